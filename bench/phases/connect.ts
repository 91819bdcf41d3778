import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { createRunCheck } from '../../src/runner/run-check.ts'
import { apiDefinition } from '../../test/support/api-definition.ts'
import { ask, type Child, startChild } from '../support/child.ts'
import type { TargetRecord } from './marks.ts'
import { asSeen, errorMs, type PhaseErrors, phaseClock } from './samples.ts'
import type { Seen } from './scenarios.ts'

type ConnectTarget = Child<{ readonly port: number; readonly fillers: number }>

/** Attempts of a connect are a second long: many of them at once are no load. */
interface ConnectLoad {
  readonly samples: number
  readonly burst: number
}

const betweenStartsMs = 8
const cutMs = 100
/** Connections of loopback that are taken at all are taken within this. */
const longestFillMs = 100
const phase = 'connect'

/**
 * A connection that takes about a second: its first SYN meets a full queue and is dropped, the next one is accepted,
 * and the target notes when. Only Linux drops it; elsewhere there are no figures.
 */
export async function measureConnects(load: ConnectLoad): Promise<PhaseErrors[]> {
  if (process.platform !== 'linux') return []
  const target: ConnectTarget = await startChild(new URL('connect-target.ts', import.meta.url))
  try {
    const accepted = await bursts(load, (from) => acceptedErrors(target, from, load.burst))
    const cut = await bursts(load, () => cutErrors(target, load.burst))
    return [
      { phase, ends: 'accepted', errorsMs: accepted },
      { phase, ends: 'cut off', errorsMs: cut },
    ]
  } finally {
    // Nothing else ends a process that is stopped.
    target.process.kill('SIGKILL')
  }
}

async function bursts(
  { samples }: ConnectLoad,
  next: (from: number) => Promise<number[]>,
): Promise<number[]> {
  const errorsMs: number[] = []
  while (errorsMs.length < samples) errorsMs.push(...(await next(errorsMs.length)))
  return errorsMs
}

async function acceptedErrors(target: ConnectTarget, from: number, burst: number): Promise<number[]> {
  const attempt = attempts(target, null)
  const fillers = await fill(target)
  const attempted = spread(burst, (index) => attempt(from + index))
  await wait(burst * betweenStartsMs)
  target.process.kill('SIGCONT')
  const seen = await attempted
  for (const filler of fillers) filler.destroy()
  const records = await ask<TargetRecord[]>(target.process, {})
  const acceptedMs = new Map(records.map(({ lane, marks }) => [lane, new Map(marks).get('accepted')]))
  return seen.map((attempt, index) =>
    errorMs(attempt, (acceptedMs.get(from + index) ?? Number.NaN) - attempt.startedMs),
  )
}

async function cutErrors(target: ConnectTarget, burst: number): Promise<number[]> {
  const attempt = attempts(target, cutMs)
  const fillers = await fill(target)
  const seen = await spread(burst, attempt)
  target.process.kill('SIGCONT')
  for (const filler of fillers) filler.destroy()
  return seen.map((attempt) => errorMs(attempt, attempt.settledMs - attempt.startedMs))
}

function spread(burst: number, attempt: (index: number) => Promise<Seen>): Promise<Seen[]> {
  return Promise.all(
    Array.from({ length: burst }, async (_, index) => {
      await wait(index * betweenStartsMs)
      return attempt(index)
    }),
  )
}

function attempts({ said: { port } }: ConnectTarget, cut: number | null): (index: number) => Promise<Seen> {
  const options = { clock: phaseClock, useOsDnsResolver: false, version: 'bench' }
  const runCheck = createRunCheck(cut === null ? options : { ...options, attemptMs: cut })
  return async (index) => {
    const definition = apiDefinition(`http://127.0.0.1:${port}/${index}`)
    const outcome = await runCheck(definition, new AbortController().signal)
    return asSeen(outcome, { phase, fails: cut !== null })
  }
}

/** Stops the target. The kernel takes connections that nobody accepts until one waits: then its queue is full. */
async function fill({ process: target, said: { port, fillers } }: ConnectTarget): Promise<Socket[]> {
  target.kill('SIGSTOP')
  while (!/^\d+ \(.*\) T /.test(await readFile(`/proc/${target.pid}/stat`, 'utf8')));
  const sockets = Array.from({ length: fillers + 1 }, () => connect({ host: '127.0.0.1', port }))
  for (const socket of sockets) socket.on('error', () => socket.destroy())
  const taken = sockets.map((socket) => once(socket, 'connect'))
  await Promise.race([Promise.all(taken), wait(longestFillMs)])
  return sockets
}
