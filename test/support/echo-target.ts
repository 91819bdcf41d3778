import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { encodings } from './secret-traces.ts'

/** `redirected`: by way of another request. `cut`: broken off in the middle of the body. */
export type EchoMode = 'plain' | 'redirected' | 'cut'

export interface EchoTarget {
  /** Below it every path is answered; `/plain`, `/redirected` and `/cut` say how. */
  readonly origin: string
  /** All that was received since the start, as it was meant. */
  readonly received: readonly string[]
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/**
 * A real HTTP server that has no manners: it tells everything that it was told, in its status line, its headers, where
 * it redirects to, and its body, in every encoding there is.
 */
export async function startEchoTarget(): Promise<EchoTarget> {
  const received: string[] = []
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const values = valuesOf(request, body)
      received.push(...values)
      answer(request.url ?? '', values, response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('not listening on a port')
  return {
    origin: `http://127.0.0.1:${address.port}`,
    received,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

function valuesOf({ url = '', headers }: IncomingMessage, body: string): string[] {
  const { pathname, searchParams } = new URL(url, 'http://a')
  const texts = Object.values(headers).flatMap((value) => value ?? [])
  const credentials = texts.flatMap((text) => {
    const encoded = /^Basic (.+)$/.exec(text)?.[1]
    return encoded === undefined ? [] : [Buffer.from(encoded, 'base64').toString('utf8')]
  })
  const cookies = headers.cookie?.split(/; ?/).map((cookie) => cookie.replace(/^[^=]*=/, '')) ?? []
  return [
    ...pathname.split('/').map(decodeURIComponent),
    ...searchParams.values(),
    ...[...texts, ...credentials, ...cookies, body],
  ].filter((text) => text.length > 4)
}

function answer(url: string, values: readonly string[], response: ServerResponse): void {
  const inHeader = values.map((value) =>
    Buffer.from(value)
      .toString('latin1')
      .replace(/[^\t -~\x80-\xff]/g, ' '),
  )
  const encoded = values.map(encodeURIComponent)
  const base64 = values.map((value) => Buffer.from(value).toString('base64'))
  const headers = { 'x-echo': inHeader, 'x-encoded': encoded, 'x-base64': base64, 'set-cookie': inHeader }
  if (url.startsWith('/redirected')) {
    const location = `/plain/${encoded.join('/')}?${encoded.map((value) => `a=${value}`).join('&')}`.slice(
      0,
      8000,
    )
    response.writeHead(302, inHeader.join(' ').slice(0, 1000), { ...headers, location }).end()
    return
  }
  const told = values.flatMap((value) => Object.values(encodings).map((encode) => encode(value)))
  const body = JSON.stringify({ values, told, raw: 'below' }) + values.join('\n')
  response.writeHead(200, inHeader.join(' ').slice(0, 1000), headers)
  if (!url.startsWith('/cut')) response.end(body)
  else response.write(body.slice(0, -10), () => response.destroy())
}
