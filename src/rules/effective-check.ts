import type { AnyCheck } from '../contract/checks/any-check.ts'
import type { ApiCheck } from '../contract/checks/api/check.ts'
import type { ApiRequest } from '../contract/checks/api/request.ts'
import type { CheckGroup } from '../contract/resources/check-group.ts'
import type { Variable } from '../contract/variable.ts'
import { mergeVariables } from './merge-variables.ts'

type KeyValues = ApiRequest['headers']

/** In `{{GROUP_BASE_URL}}` a check's URL takes that of its group's defaults (semantics §6). */
const baseUrlKey = 'GROUP_BASE_URL'

/** Everywhere a check or a group runs, in the order in which a round robin takes them. */
export function locationsOf(placed: Pick<AnyCheck, 'locations' | 'privateLocations'>): string[] {
  return [...(placed.locations ?? []), ...(placed.privateLocations ?? [])]
}

/** `over`, and what of `under` it does not have. */
function mergedUnder(over: KeyValues, under: KeyValues, same: (a: string, b: string) => boolean): KeyValues {
  return [...over, ...under.filter(({ key }) => !over.some((own) => same(own.key, key)))]
}

const sameText = (a: string, b: string) => a === b
const sameHeader = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()

function effectiveRequest(request: ApiRequest, group: CheckGroup): ApiRequest {
  const { headers, queryParameters, assertions, basicAuth } = group.apiCheckDefaults
  const own = request.basicAuth
  const hasOwn = own && (own.username !== '' || own.password !== '')
  return {
    ...request,
    headers: mergedUnder(request.headers, headers, sameHeader),
    queryParameters: mergedUnder(request.queryParameters, queryParameters, sameText),
    assertions: [...request.assertions, ...assertions],
    ...(!hasOwn && basicAuth && { basicAuth }),
  }
}

function groupVariables({ apiCheckDefaults: { url }, environmentVariables }: CheckGroup): Variable[] {
  const baseUrl = url ? [{ key: baseUrlKey, value: url, locked: false, secret: false }] : []
  return [...(environmentVariables ?? []), ...baseUrl]
}

/** What the group says of how its checks run, over what they say themselves. */
function effectiveSettings(check: AnyCheck, group: CheckGroup): Partial<AnyCheck> {
  const { retryStrategy, runParallel, doubleCheck, useGlobalAlertSettings, alertSettings, version } = group
  const strategy = retryStrategy === 'FALLBACK' ? check.retryStrategy : retryStrategy
  return {
    ...(strategy !== undefined && { retryStrategy: strategy }),
    ...(runParallel !== null && { runParallel }),
    doubleCheck: version === 1 ? doubleCheck : doubleCheck || check.doubleCheck,
    ...(useGlobalAlertSettings !== null && { useGlobalAlertSettings }),
    ...(alertSettings && { alertSettings }),
    runtimeId: group.runtimeId ?? check.runtimeId,
  }
}

/**
 * The check as it runs in its group (semantics §5, §6), the secrets of both opened or hidden alike: the group's
 * locations, where it has any, in the place of its own, and its variables over the group's. Scripts stay apart: both run.
 * A check without a group is as it was sent.
 */
export function effectiveCheck<T extends AnyCheck>(check: T, group: CheckGroup | null): T {
  if (!group) return check
  const placed = locationsOf(group).length > 0 ? group : check
  return {
    ...check,
    ...effectiveSettings(check, group),
    activated: check.activated && group.activated,
    muted: check.muted || group.muted,
    locations: placed.locations,
    privateLocations: placed.privateLocations,
    environmentVariables: mergeVariables(check.environmentVariables ?? [], groupVariables(group)),
  }
}

/**
 * As effectiveCheck, of an API check: headers, query parameters and basic auth of the group under its own, assertions of
 * the group behind them.
 */
export function effectiveApiCheck(check: ApiCheck, group: CheckGroup | null): ApiCheck {
  const effective = effectiveCheck(check, group)
  return group ? { ...effective, request: effectiveRequest(check.request, group) } : effective
}
