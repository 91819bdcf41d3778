import { readdir, readlink } from 'node:fs/promises'
import type { BenchAgent } from '../support/agent.ts'
import type { Collector } from './collector.ts'

/** How a running agent stands. */
export interface SoakSample {
  /** Since the load began. */
  readonly seconds: number
  readonly rssMb: number
  /** What objects take, and the buffers that belong to them. */
  readonly heapMb: number
  readonly fds: number
  readonly sockets: number
  readonly timers: number
  /** Handles and requests of the runtime that are alive, timers included. */
  readonly resources: number
  readonly outbox: number
  readonly running: number
}

const megabyte = 2 ** 20

/** Of memory, what is left when the garbage is gone: how lazy the collector is under load says nothing. */
export async function sampleOf(
  { pid, metrics }: BenchAgent,
  { collect }: Collector,
  seconds: number,
): Promise<SoakSample> {
  await collect()
  const [values, links] = await Promise.all([metrics(), openFiles(pid)])
  const value = (name: string) => values.get(name) ?? 0
  return {
    seconds,
    rssMb: value('process_resident_memory_bytes') / megabyte,
    heapMb: (value('nodejs_heap_size_used_bytes') + value('nodejs_external_memory_bytes')) / megabyte,
    fds: links.length,
    sockets: links.filter((link) => link.startsWith('socket:')).length,
    timers: value('nodejs_active_resources{type="Timeout"}'),
    resources: value('nodejs_active_resources_total'),
    outbox: value('picket_outbox_records'),
    running: value('picket_queue_running'),
  }
}

/** What the file descriptors of a process stand for; none where there is no /proc. */
async function openFiles(pid: number): Promise<string[]> {
  const folder = `/proc/${pid}/fd`
  const names = await readdir(folder).catch(() => [])
  // One that was closed meanwhile has no name any more.
  return Promise.all(names.map((name) => readlink(`${folder}/${name}`).catch(() => 'closed')))
}
