import type { Socket } from 'node:net'
import type { Cuttable } from '../cutoff.ts'
import { Race } from '../dial/connect.ts'
import type { AskedListener, AskingOptions } from './asking.ts'
import { badAnswer, endedEarly } from './dns-fault.ts'
import type { NameServer } from './name-server.ts'
import { readMessage } from './read-message.ts'

const lengthBytes = 2

/**
 * Connects to the first of the servers that can be, asks it, and reads one message (RFC 1035 §4.2.2). Over a connection
 * nobody else can answer: what is not an answer to the question is the server's fault.
 */
export class TcpAsking implements Cuttable {
  readonly #options: AskingOptions
  readonly #done: AskedListener
  #race: Race | null = null
  #socket: Socket | null = null
  #chunks: Buffer[] = []
  #received = 0
  /** Of the message, once its length is known. */
  #end = lengthBytes

  constructor(options: AskingOptions, done: AskedListener) {
    this.#options = options
    this.#done = done
  }

  start(): void {
    this.#options.watcher.onPhase('connect')
    this.#connect(groupsByPort(this.#options.servers))
  }

  cut(): void {
    this.#race?.stop()
    this.#close()
  }

  /** A race is to one port: those of another are tried where it is lost. */
  #connect([group = [], ...others]: readonly (readonly NameServer[])[]): void {
    const { clock, watcher } = this.#options
    const port = group[0]?.port ?? 0
    this.#race = new Race(
      { port, clock, forbids: () => false, onTried: watcher.onTried },
      (error, socket) => {
        const server = group.find(({ address }) => address === socket?.remoteAddress) ?? group[0]
        if (socket && server) this.#ask(socket, server)
        else if (others.length > 0) this.#connect(others)
        else this.#fail(error ?? new Error('no name server was there to be asked'))
      },
    )
    this.#race.add(group.map(({ address }) => address))
    this.#race.complete()
  }

  #ask(socket: Socket, server: NameServer): void {
    const { query, watcher } = this.#options
    this.#socket = socket
    watcher.onPhase('firstByte')
    socket
      .on('data', (chunk: Buffer) => this.#take(chunk, server))
      .on('error', (error) => this.#fail(error))
      .on('end', () => this.#fail(endedEarly(this.#received)))
      .on('close', () => this.#fail(endedEarly(this.#received)))
    watcher.onSent()
    socket.write(framed(query.message))
  }

  #take(chunk: Buffer, server: NameServer): void {
    if (this.#received === 0) this.#options.watcher.onPhase('download')
    this.#chunks.push(chunk)
    this.#received += chunk.length
    if (this.#received < this.#end) return
    const received = Buffer.concat(this.#chunks)
    this.#chunks = [received]
    this.#end = lengthBytes + received.readUInt16BE(0)
    if (received.length >= this.#end) this.#read(received.subarray(lengthBytes, this.#end), server)
  }

  #read(message: Buffer, server: NameServer): void {
    const { query, watcher } = this.#options
    watcher.onHeard()
    const read = readMessage(message, query)
    if (read.kind === 'answer') {
      this.#close()
      this.#done({ kind: 'answered', server, answer: read.answer })
    } else {
      this.#fail(read.kind === 'bad' ? read.fault : badAnswer('it does not answer the question'))
    }
  }

  #fail(error: Error): void {
    this.#close()
    this.#done({ kind: 'failed', error })
  }

  #close(): void {
    this.#socket
      ?.removeAllListeners()
      .on('error', () => {})
      .destroy()
    this.#socket = null
  }
}

function groupsByPort(servers: readonly NameServer[]): NameServer[][] {
  return [...Map.groupBy(servers, ({ port }) => port).values()]
}

function framed(message: Buffer): Buffer {
  const length = Buffer.alloc(lengthBytes)
  length.writeUInt16BE(message.length)
  return Buffer.concat([length, message])
}
