import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { bindDnsPorts } from './dns-ports.ts'

export interface DnsLiar {
  readonly port: number
  /** `127.0.0.1:49152` */
  readonly nameServer: string
  /** Every question, in the order of their coming. */
  readonly overUdp: Buffer[]
  readonly overTcp: Buffer[]
  /** From a port that nobody asked. */
  readonly sendAside: (message: Buffer, toPort: number) => void
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

export interface DnsLies {
  /** Told each question with its number, from 1 on, and the port that it came from. */
  readonly udp?: (question: Buffer, reply: (message: Buffer) => void, count: number, port: number) => void
  /** Told each question without its length. */
  readonly tcp?: (question: Buffer, socket: Socket) => void
}

/** A name server on a free port of 127.0.0.1, over UDP and TCP, that says whatever it is told to say. */
export async function startDnsLiar({ udp: lie, tcp: lieOverTcp }: DnsLies): Promise<DnsLiar> {
  const { udp, tcp } = await bindDnsPorts()
  const aside = createSocket('udp4')
  const open = new Set<Socket>()
  const { port } = udp.address()
  const liar: DnsLiar = {
    port,
    nameServer: `127.0.0.1:${port}`,
    overUdp: [],
    overTcp: [],
    sendAside: (message, toPort) => aside.send(message, toPort, '127.0.0.1'),
    [Symbol.asyncDispose]: async () => {
      for (const socket of open) socket.destroy()
      const closed = [udp, aside, tcp].map((server) => once(server, 'close'))
      udp.close()
      aside.close()
      tcp.close()
      await Promise.all(closed)
    },
  }
  udp.on('message', (question, from) => {
    liar.overUdp.push(question)
    const reply = (message: Buffer) => udp.send(message, from.port, from.address, () => {})
    lie?.(question, reply, liar.overUdp.length, from.port)
  })
  tcp.on('connection', (socket) => {
    open.add(socket)
    socket
      .on('error', () => {})
      .on('close', () => open.delete(socket))
      .once('data', (question: Buffer) => {
        liar.overTcp.push(question.subarray(2))
        lieOverTcp?.(question.subarray(2), socket)
      })
  })
  return liar
}
