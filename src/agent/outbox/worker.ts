import { parentPort, workerData } from 'node:worker_threads'
import type { Batch, OutboxCall, OutboxReply, OutboxRequest, OutboxSettings } from './messages.ts'
import { emptyStats } from './messages.ts'
import { faultOf } from './outbox-file.ts'
import { OutboxStore } from './store.ts'

/** The outbox's own thread: a slow disk never bends a measurement. */
function serve(
  store: OutboxStore,
  reply: (reply: OutboxReply) => void,
  end: () => void,
): (request: OutboxRequest) => void {
  const carryOut = (call: OutboxCall): Batch | null => {
    switch (call.kind) {
      case 'put':
        store.put(call.bodies)
        return null
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

  return ({ id, call, serviceAt }) => {
    let batch: Batch | null = null
    let fault: OutboxReply['fault'] = null
    try {
      store.tellServiceTime(serviceAt)
      batch = carryOut(call)
    } catch (error) {
      fault = faultOf(error)
    }
    reply({ id, stats: store.stats, batch, setAside: null, fault })
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
    reply({ id: 0, stats: store.stats, batch: null, setAside: store.setAsideFile, fault: null })
  } catch (error) {
    reply({ id: 0, stats: emptyStats, batch: null, setAside: null, fault: faultOf(error) })
  }
}
