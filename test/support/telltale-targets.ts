import type { Socket } from 'node:net'
import { domainToASCII } from 'node:url'
import { type Answer, decode } from 'dns-packet'
import { type DnsLiar, startDnsLiar } from './dns-liar.ts'
import { framed, replyTo } from './dns-messages.ts'
import { type EchoTarget, startEchoTarget } from './echo-target.ts'
import { encodings } from './secret-traces.ts'
import { startTcpTarget, type TcpTarget } from './tcp-target.ts'

/** Targets of every type that know the secrets of a check, and tell each of them in every way there is. */
export interface TelltaleTargets {
  readonly http: EchoTarget
  /** Ends its side when it has told all. */
  readonly tcp: TcpTarget
  /** Resets the connection then. */
  readonly resettingTcp: TcpTarget
  /** Knows every name of any type; 127.0.0.1 is the only address. */
  readonly nameServer: DnsLiar
  /** What it was asked, and the TCP target was told. */
  readonly heard: readonly string[]
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

export async function startTelltales(secrets: readonly string[]): Promise<TelltaleTargets> {
  await using opened = new AsyncDisposableStack()
  const heard: string[] = []
  const sayings = secrets.flatMap((secret) => Object.values(encodings).map((encode) => encode(secret)))
  const telling = (end: (socket: Socket) => void) => (socket: Socket) => {
    socket.once('data', (data: Buffer) => {
      heard.push(data.toString())
      socket.write(`${data}\n${sayings.join('\n')}`, () => end(socket))
    })
  }
  const answer = (question: Buffer) => {
    const { name, type } = decode(question).questions?.[0] ?? { name: '', type: 'A' }
    heard.push(name)
    return replyTo(question, { answers: answersOf(name, type, secrets, sayings) })
  }
  const targets = {
    heard,
    http: opened.use(await startEchoTarget()),
    tcp: opened.use(await startTcpTarget(telling((socket) => socket.end()))),
    // A reset takes with it what was not read yet.
    resettingTcp: opened.use(
      await startTcpTarget(telling((socket) => setTimeout(() => socket.resetAndDestroy(), 50))),
    ),
    nameServer: opened.use(
      await startDnsLiar({
        udp: (question, reply) => reply(answer(question)),
        tcp: (question, socket) => socket.end(framed(answer(question))),
      }),
    ),
  }
  const open = opened.move()
  return { ...targets, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

function answersOf(
  name: string,
  type: string,
  secrets: readonly string[],
  sayings: readonly string[],
): Answer[] {
  const record = { name, ttl: 1, class: 'IN' } as const
  if (type === 'A') return [{ ...record, type: 'A', data: '127.0.0.1' }]
  if (type === 'AAAA') return []
  const names = [name, ...secrets.flatMap(namesWith)]
  return [
    ...sayings.map((text): Answer => ({ ...record, type: 'TXT', data: stringsOf(Buffer.from(text), 255) })),
    ...secrets.flatMap((secret): Answer[] => [
      // Cut in the middle, and not in UTF-8.
      { ...record, type: 'TXT', data: stringsOf(Buffer.from(secret), 4) },
      { ...record, type: 'TXT', data: [Buffer.from(secret, 'latin1')] },
      { ...record, type: 'NULL', data: Buffer.from(secret) },
    ]),
    ...names.flatMap((told): Answer[] => [
      { ...record, type: 'CNAME', data: told },
      { ...record, type: 'PTR', data: told },
      { ...record, type: 'NS', data: told },
      { ...record, type: 'MX', data: { preference: 1, exchange: told } },
      { ...record, type: 'A', name: told, data: '192.0.2.1' },
    ]),
  ]
}

const stringsOf = (bytes: Buffer, length: number): Buffer[] =>
  Array.from({ length: Math.ceil(bytes.length / length) }, (_, at) =>
    bytes.subarray(at * length, (at + 1) * length),
  )

/** As UTF-8, which is against the rules, in punycode, and as a part of a label; of what fits into one. */
function namesWith(secret: string): string[] {
  const label = secret.replaceAll('.', '-')
  const names = [`${label}.test`, `${domainToASCII(secret)}.test`, `${domainToASCII(`ü${secret}ü`)}.test`]
  return names.filter((name) => Buffer.byteLength(name) < 60 && name.split('.').every((part) => part !== ''))
}
