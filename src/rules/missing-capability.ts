/** What an agent said that it can do (contract/agent-protocol). */
export interface Able {
  readonly checkTypes: readonly string[]
  readonly runtimes: readonly string[]
}

/** What it takes to carry out a run. */
export interface Need {
  readonly checkType: string
  /** What its scripts need; null where it has none. */
  readonly runtime: string | null
}

/**
 * What none of the agents of a place has, of what a run there needs, as the end of a sentence; null where one of them can
 * carry it out, and where there is no agent at all.
 */
export function missingCapability(agents: readonly Able[], { checkType, runtime }: Need): string | null {
  if (agents.length === 0) return null
  const ofType = agents.filter(({ checkTypes }) => checkTypes.includes(checkType))
  if (ofType.length === 0) return `can run ${checkType} checks`
  if (runtime === null || ofType.some(({ runtimes }) => runtimes.includes(runtime))) return null
  return `that runs ${checkType} checks has the runtime ${runtime}`
}
