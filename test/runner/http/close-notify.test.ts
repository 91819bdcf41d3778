import { createSecureContext, TLSSocket } from 'node:tls'
import { describe, expect, test } from 'vitest'
import { attempt } from '../../support/api-attempt.ts'
import { startTcpTarget, type TcpTarget } from '../../support/tcp-target.ts'
import { pem } from '../../support/tls-target.ts'

const secureContext = createSecureContext({ cert: pem('valid'), key: pem('server-key') })

/** Over TLS: answers the first bytes with these, and ends in one of two ways. */
function startTarget(answer: string, ending: 'close_notify' | 'no close_notify'): Promise<TcpTarget> {
  return startTcpTarget((socket) => {
    const secure = new TLSSocket(socket, { isServer: true, secureContext })
    secure
      .on('error', () => {})
      .once('data', () => {
        secure.write(answer, () => (ending === 'close_notify' ? secure : socket).end())
      })
  })
}

const endings = ['close_notify', 'no close_notify'] as const
const ok = 'HTTP/1.1 200 OK\r\n'

describe.each(endings)('over TLS, a connection that ends with %s', (ending) => {
  const outcomeOf = async (answer: string) => {
    await using target = await startTarget(answer, ending)
    return await attempt(`https://localhost:${target.port}`, {}, { extraCa: [pem('ca')] })
  }

  test.each([
    ['its length', `${ok}content-length: 5\r\n\r\nhello`],
    ['its chunks', `${ok}transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`],
    ['nothing but that end', `${ok}\r\nhello`],
  ])('is a whole answer when its body is told by %s', async (_by, answer) => {
    expect(await outcomeOf(answer)).toMatchObject({
      kind: 'observed',
      observation: { response: { status: 200, body: 'hello', truncated: false } },
    })
  })

  test.each([
    ['its length', `${ok}content-length: 9\r\n\r\nhello`],
    ['its chunks', `${ok}transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n`],
    ['its headers', `${ok}x: `],
  ])('is no whole answer when %s want more', async (_what, answer) => {
    expect(await outcomeOf(answer)).toMatchObject({ kind: 'unreachable', cause: { class: 'truncated' } })
  })
})
