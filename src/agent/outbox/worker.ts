import { parentPort, workerData } from 'node:worker_threads'
import type { Batch, OutboxCall, OutboxReply, OutboxRequest, OutboxSettings } from './messages.ts'
import { emptyStats } from './messages.ts'
import { faultOf, OutboxStore } from './store.ts'

/** Records that come within this time share a transaction, and so one wait for the disk. */
const collectMs = 2

type Put = { readonly id: number; readonly bodies: readonly string[] }

/** The outbox's own thread: a slow disk never bends a measurement. */
function serve(
  store: OutboxStore,
  reply: (reply: OutboxReply) => void,
  end: () => void,
): (request: OutboxRequest) => void {
  let puts: Put[] = []

  const answer = (ids: readonly number[], work: () => Batch | null) => {
    let batch: Batch | null = null
    let fault: OutboxReply['fault'] = null
    try {
      batch = work()
    } catch (error) {
      fault = faultOf(error)
    }
    const { stats } = store
    for (const id of ids) reply({ id, stats, batch, fault })
  }

  const commit = () => {
    if (puts.length === 0) return
    const ready = puts
    puts = []
    answer(
      ready.map(({ id }) => id),
      () => {
        store.put(ready.flatMap(({ bodies }) => bodies))
        return null
      },
    )
  }

  const carryOut = (call: Exclude<OutboxCall, { kind: 'put' }>): Batch | null => {
    switch (call.kind) {
      case 'take':
        return store.take(call.maxRecords, call.maxBytes)
      case 'remove':
        store.remove(call.seqs)
        return null
      case 'set-aside':
        store.setAside(call.seq, call.reason)
        return null
      case 'close':
        store.close()
        return null
    }
  }

  return ({ id, call }) => {
    if (call.kind === 'put') {
      puts.push({ id, bodies: call.bodies })
      if (puts.length === 1) setTimeout(commit, collectMs)
      return
    }
    if (call.kind === 'close') commit()
    answer([id], () => carryOut(call))
    if (call.kind === 'close') end()
  }
}

const port = parentPort
if (port) {
  const reply = (message: OutboxReply) => port.postMessage(message)
  try {
    // Given by the outbox, in this process.
    const store = new OutboxStore(workerData as OutboxSettings)
    port.on(
      'message',
      serve(store, reply, () => port.close()),
    )
    reply({ id: 0, stats: store.stats, batch: null, fault: null })
  } catch (error) {
    reply({ id: 0, stats: emptyStats, batch: null, fault: faultOf(error) })
  }
}
