export interface TakenResult {
  readonly runId: string
  readonly checkId: string
  readonly dueAt: number
  /** As the agent reports it. */
  readonly queueUs: number
  readonly receivedAt: number
  readonly passing: boolean
}

/** What the parent asks of the stopping service. */
export const questions = {
  stop: { kind: 'stop' },
  start: { kind: 'start' },
  taken: { kind: 'taken' },
} as const
