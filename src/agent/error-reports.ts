import type { ErrorReport } from '../contract/agent-protocol.ts'
import { safeMessage, safeStack } from './safe-stack.ts'
import type { ServiceClient } from './service-client.ts'

export interface ErrorReportsOptions {
  /** EXTERNAL_OBSERVABILITY */
  readonly enabled: boolean
  readonly send: ServiceClient['reportError']
  readonly version: string
  readonly monotonicMs: () => number
}

/** Tells the service of an error-level event. Never throws; resolves when it was sent or could not be. */
export type ReportError = (error: unknown) => Promise<void>

const maxAMinute = 10
const minuteMs = 60_000
const repeatAfterMs = 60 * minuteMs
const maxRemembered = 1000

/**
 * Reports carry five fields and no others; no key, URL, header, body or setting is among them (service.md, Events).
 * At most ten a minute are sent, and the same one once an hour.
 */
export function createErrorReports(options: ErrorReportsOptions): ReportError {
  const { enabled, send, version, monotonicMs } = options
  const sentAt = new Map<string, number>()
  const recent: number[] = []

  const allowed = (key: string): boolean => {
    const now = monotonicMs()
    while (recent[0] !== undefined && now - recent[0] >= minuteMs) recent.shift()
    const before = sentAt.get(key)
    if (recent.length >= maxAMinute || (before !== undefined && now - before < repeatAfterMs)) return false
    if (sentAt.size >= maxRemembered) sentAt.clear()
    sentAt.set(key, now)
    recent.push(now)
    return true
  }

  return async (error) => {
    if (!enabled) return
    try {
      const report = toReport(error, version)
      if (allowed(report.stack)) await send(report)
    } catch {
      // An agent that cannot report goes on all the same; its log has the event.
    }
  }
}

function toReport(error: unknown, version: string): ErrorReport {
  return {
    message: safeMessage(error).slice(0, 2000).toWellFormed(),
    stack: safeStack(error).slice(0, 20_000).toWellFormed(),
    agentVersion: version,
    platform: `${process.platform}-${process.arch}`,
    runtimeVersion: process.version,
  }
}
