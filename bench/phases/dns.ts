import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import type { TargetRecords } from './marks.ts'
import { aWhileMs } from './scripts.ts'

const headerBytes = 12
const responseCodes: Readonly<Record<string, number>> = { dns: 0, 'dns-nxdomain': 3 }
/** A pointer to the name of the question, type A, class IN, 60 s, 4 bytes: 127.0.0.1. */
const loopback = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1])

/**
 * A name server on a free UDP port of 127.0.0.1 that answers after a while, if at all, as the first label of a name
 * says: `dns-7-0` is the first question of lane 7.
 */
export async function startPhaseDns(records: TargetRecords): Promise<number> {
  const asked = new Set<string>()
  const socket = createSocket('udp4')
  socket.on('message', async (query, from) => {
    const label = query.toString('latin1', headerBytes + 1, headerBytes + 1 + query.readUInt8(headerBytes))
    // A question that got no answer is asked again.
    if (asked.has(label)) return
    asked.add(label)
    const [, script = '', lane] = /^(.+)-(\d+)-\d+$/.exec(label) ?? []
    const mark = records.begin(script, Number(lane))
    mark('asked')
    const code = responseCodes[script]
    if (code === undefined) return
    await wait(aWhileMs())
    mark('told')
    socket.send(answer(query, code), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return socket.address().port
}

function answer(query: Buffer, code: number): Buffer {
  // The name's root label, type and class end the question; what follows it is dropped.
  const question = query.subarray(headerBytes, query.indexOf(0, headerBytes) + 5)
  const header = Buffer.alloc(headerBytes)
  query.copy(header, 0, 0, 2)
  header.writeUInt16BE(0x8180 | code, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(code === 0 ? 1 : 0, 6)
  return Buffer.concat([header, question, ...(code === 0 ? [loopback] : [])])
}
