import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import {
  type Echo,
  intervalMs,
  maxRefused,
  type Pinged,
  type PingTarget,
  type Refused,
  replyMs,
} from './ping.ts'

const program = 'ping'
/** Of one ping of 50: lines beyond them come from no `ping`. */
const maxLines = 1000

/**
 * Pings by the `ping` program of iputils, or of busybox: where this process may not, that one often may. Of its own
 * errors it tells by their texts alone: no reply came, is all that is known then.
 */
export function pingByProgram({ address, count }: PingTarget, signal: AbortSignal): Promise<Pinged> {
  const interval = String(intervalMs / 1000)
  const options = ['-n', '-c', String(count), '-i', interval, '-W', String(replyMs / 1000), address]
  return new Promise((resolve, reject) => {
    const child = spawn(program, options, { env: ownEnvironment(), stdio: ['ignore', 'pipe', 'ignore'] })
    const stop = () => child.kill('SIGKILL')
    const reading = readEchoes(child)
    const ended = () => signal.removeEventListener('abort', stop)
    signal.addEventListener('abort', stop)
    child.once('error', (error) => {
      ended()
      reject(error)
    })
    child.once('close', () => {
      ended()
      resolve(pingedOf(reading, signal.aborted ? null : count))
    })
    if (signal.aborted) stop()
  })
}

/** Its texts depend on the language; nothing else of our environment is its business. */
function ownEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], LC_ALL: 'C' }
}

interface Reading {
  readonly replies: Map<number, Echo>
  readonly refused: Refused[]
}

function readEchoes(child: ChildProcess): Reading {
  const reading: Reading = { replies: new Map(), refused: [] }
  if (!child.stdout) return reading
  let lines = 0
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines += 1
    if (lines <= maxLines) readLine(line, reading)
  })
  return reading
}

const reply = /^\d+ bytes from .*[ :](?:icmp_)?seq=(?<sequence>\d+) ttl=(?<ttl>\d+) time=(?<ms>[\d.]+) ms/
const refusal = /^From (?<from>[\d.a-fA-F:]+)[^ ]* icmp_seq=\d+ (?<text>.+)$/

function readLine(line: string, { replies, refused }: Reading): void {
  const found = reply.exec(line)?.groups
  if (found) {
    const sequence = Number(found['sequence'])
    const rttMs = Number(found['ms'])
    // What is late by our measure is late by whatever way.
    if (replies.has(sequence) || rttMs > replyMs) return
    replies.set(sequence, { sequence, rttMs, ttl: Number(found['ttl']) })
    return
  }
  const from = refusal.exec(line)?.groups?.['from']
  if (from === undefined || refused.length >= maxRefused) return
  refused.push({ code: /Time to live exceeded/.test(line) ? 'TTL_EXCEEDED' : 'EHOSTUNREACH', from })
}

/** One that was stopped has sent at least what was answered; busybox counts from 0. */
function pingedOf({ replies, refused }: Reading, count: number | null): Pinged {
  const first = replies.has(0) ? 0 : 1
  const sent = count ?? Math.max(0, ...replies.keys()) + 1 - first
  const echoes = Array.from({ length: sent }, (_, index) => {
    const { rttMs = null, ttl = null } = replies.get(first + index) ?? {}
    return { sequence: index + 1, rttMs, ttl }
  })
  return { echoes, refused }
}
