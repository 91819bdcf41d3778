import type { CheckTarget } from './select-checks.ts'

interface SentTarget {
  readonly matchTags?: readonly (readonly string[] | string)[]
  readonly checkId?: readonly string[] | string
}

/** A target as it is sent: what may be one or a list of them is a list afterwards. */
export function targetOf({ matchTags, checkId }: SentTarget, allowDeactivated: boolean): CheckTarget {
  return {
    allowDeactivated,
    checkId: checkId === undefined ? undefined : [checkId].flat(),
    matchTags: matchTags?.map((tags) => [tags].flat()),
  }
}
