import { describe, expect, test } from 'vitest'
import type { CheckType } from '../../src/contract/check-types.ts'
import type { ApiRequest } from '../../src/contract/checks/api/request.ts'
import type { FailureClass } from '../../src/contract/failure.ts'
import type { DefinitionOf } from '../../src/contract/run.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { parseProxyUrl } from '../../src/runner/dial/proxy-url.ts'
import { createRunCheck, type RunnerOptions } from '../../src/runner/run-check.ts'
import { apiDefinition, entry } from '../support/api-definition.ts'
import { startBlackHole } from '../support/black-hole.ts'
import { startDnsTarget } from '../support/dns-target.ts'
import { asDocumented, documentedRows, expectFailing, type Misbehaviour } from '../support/fault-rows.ts'
import { freePort } from '../support/free-port.ts'
import {
  type Certificate,
  readCertificate,
  startHttpsTarget,
  startHttpTarget,
} from '../support/http-target.ts'
import { startProxy } from '../support/proxy.ts'
import { answerRaw, startTcpTarget } from '../support/tcp-target.ts'
import { pem, startTlsTarget } from '../support/tls-target.ts'
import { urlDefinition } from '../support/url-definition.ts'

interface Probe {
  readonly url: string
  readonly request?: Partial<ApiRequest>
  readonly check?: Partial<DefinitionOf<'API'>>
  readonly options?: Partial<RunnerOptions>
}

type Way = Pick<Misbehaviour<Probe>, 'what' | 'phase' | 'start'>

const shortly = { attemptMs: 400 }
const trusted = { extraCa: [readCertificate('ca')] }

/** A name whose server answers it like this. */
const named =
  (answer: Parameters<typeof startDnsTarget>[0][string], options: Partial<RunnerOptions> = {}) =>
  async (opened: AsyncDisposableStack): Promise<Probe> => {
    const { nameServer } = opened.use(await startDnsTarget({ 'target.test': answer }))
    return { url: 'http://target.test/', options: { nameServers: [nameServer], ...options } }
  }

const tcp =
  (onConnection: Parameters<typeof startTcpTarget>[0], probe: Partial<Probe> = {}) =>
  async (opened: AsyncDisposableStack): Promise<Probe> => {
    const target = opened.use(await startTcpTarget(onConnection))
    return { url: target.origin, ...probe }
  }

const raw = (text: string, probe: Partial<Probe> = {}) => tcp(answerRaw(text), probe)

const secure =
  (certificate: Certificate, probe: Partial<Probe> = {}) =>
  async (opened: AsyncDisposableStack): Promise<Probe> => {
    const target = opened.use(await startHttpsTarget(certificate, { '/': (response) => response.end('ok') }))
    return { url: target.origin, options: trusted, ...probe }
  }

const tls =
  (target: Parameters<typeof startTlsTarget>[0], options: Partial<RunnerOptions> = {}) =>
  async (opened: AsyncDisposableStack): Promise<Probe> => {
    const { port } = opened.use(await startTlsTarget(target))
    return { url: `https://localhost:${port}`, options }
  }

const overTls =
  (onConnection: Parameters<typeof startTcpTarget>[0], options: Partial<RunnerOptions> = {}) =>
  async (opened: AsyncDisposableStack): Promise<Probe> => {
    const target = opened.use(await startTcpTarget(onConnection))
    return { url: `https://127.0.0.1:${target.port}`, options }
  }

function through(port: number): Partial<RunnerOptions> {
  const read = parseProxyUrl(`http://127.0.0.1:${port}`)
  if (!('settings' in read)) throw new Error(read.fault)
  const { settings } = read
  return { proxy: () => settings }
}

const redirecting =
  (location: string) =>
  async (opened: AsyncDisposableStack): Promise<Probe> => {
    const target = opened.use(
      await startHttpTarget({
        '/': (response) => response.writeHead(302, { location }).end(),
        '/next': (response, { url }) => {
          const step = Number(new URL(url, 'http://x').searchParams.get('n') ?? 0) + 1
          response.writeHead(302, { location: `/next?n=${step}` }).end()
        },
      }),
    )
    return { url: target.origin }
  }

const matrix: Readonly<Record<FailureClass, readonly Way[]>> = {
  'variable-missing': [
    {
      what: 'the request names a variable that nobody defined: nothing is sent',
      phase: null,
      start: () => ({ url: 'http://{{HOST}}/' }),
    },
  ],
  'template-invalid': [
    {
      what: 'a template of the request cannot be read, or grows too large',
      phase: null,
      start: () => ({ url: 'http://127.0.0.1/{{#if}}' }),
    },
  ],
  'invalid-request': [
    { what: 'the URL is none of http or https', phase: null, start: () => ({ url: 'ftp://127.0.0.1/' }) },
    {
      what: 'a header cannot be sent as it is written',
      phase: null,
      start: async (opened) => {
        const { url } = await raw('')(opened)
        return { url, request: { headers: [entry('x-a', 'one\r\ntwo: three')] } }
      },
    },
  ],
  'dns-nxdomain': [{ what: 'the name does not exist', phase: 'dns', start: named('NXDOMAIN') }],
  'dns-servfail': [{ what: 'the name server fails', phase: 'dns', start: named('SERVFAIL') }],
  'dns-no-address': [
    {
      what: 'the name has no address of the IP family asked for',
      phase: 'dns',
      start: async (opened) => ({
        ...(await named({ addresses: ['127.0.0.1'], ttl: 1 })(opened)),
        request: { ipFamily: 'IPv6' },
      }),
    },
  ],
  'dns-timeout': [{ what: 'the name server is silent', phase: 'dns', start: named('silence', shortly) }],
  'dns-failed': [
    {
      what: 'nobody listens where the name server should be',
      phase: 'dns',
      start: async () => ({
        url: 'http://target.test/',
        options: { nameServers: [`127.0.0.1:${await freePort()}`] },
      }),
    },
  ],
  'egress-forbidden': [
    {
      what: 'the address is one that no check may reach',
      phase: 'connect',
      start: () => ({ url: 'http://169.254.169.254/latest/meta-data/' }),
    },
    {
      what: 'the name is one that no check may ask for',
      phase: null,
      start: () => ({ url: 'http://metadata.google.internal/' }),
    },
    {
      what: 'the name leads to such an address',
      phase: 'connect',
      start: named({ addresses: ['169.254.169.254'], ttl: 1 }),
    },
    {
      what: 'a redirect leads there',
      phase: 'connect',
      start: redirecting('http://[::ffff:169.254.169.254]/'),
    },
    {
      what: 'the Host header says so to a proxy that forwards',
      phase: null,
      start: async (opened) => {
        const proxy = opened.use(await startProxy())
        return {
          url: 'http://target.test/',
          request: { headers: [entry('Host', 'metadata.google.internal')] },
          options: through(proxy.port),
        }
      },
    },
  ],
  'proxy-refused': [
    {
      what: 'the proxy of the location finds no way to the target',
      phase: 'connect',
      start: async (opened) => {
        const proxy = opened.use(await startProxy({ refuseWith: 502 }))
        return { url: 'https://target.test/', options: through(proxy.port) }
      },
    },
  ],
  refused: [
    {
      what: 'nobody listens on the port',
      phase: 'connect',
      start: async () => ({ url: `http://127.0.0.1:${await freePort()}` }),
    },
  ],
  unreachable: [
    {
      what: 'there is no way to the address',
      phase: 'connect',
      start: () => ({ url: 'http://255.255.255.255/' }),
    },
  ],
  'connect-timeout': [
    {
      what: 'the address takes no connection and refuses none',
      phase: 'connect',
      start: async (opened) => {
        const hole = opened.use(await startBlackHole())
        return { url: `http://127.0.0.1:${hole.port}`, options: shortly }
      },
    },
  ],
  reset: [
    {
      what: 'the connection is reset during the TLS handshake',
      phase: 'tls',
      start: overTls((socket) => socket.once('data', () => socket.resetAndDestroy())),
    },
    {
      what: 'the connection is reset while the request is sent',
      phase: 'send',
      start: tcp((socket) => socket.once('data', () => socket.resetAndDestroy()), {
        request: { method: 'POST', bodyType: 'RAW', body: 'x'.repeat(16_777_216) },
      }),
    },
    {
      what: 'the connection is reset before an answer',
      phase: 'firstByte',
      start: tcp((socket) => socket.once('data', () => socket.resetAndDestroy())),
    },
    {
      what: 'the connection is reset in the middle of the body',
      phase: 'download',
      start: tcp((socket) => {
        socket.once('data', () => {
          socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf')
          // A reset takes with it what was not read yet.
          setTimeout(() => socket.resetAndDestroy(), 100)
        })
      }),
    },
  ],
  closed: [
    {
      what: 'the connection is closed before an answer',
      phase: 'firstByte',
      start: tcp((socket) => socket.once('data', () => socket.end())),
    },
  ],
  'tls-timeout': [
    { what: 'the TLS handshake is not answered', phase: 'tls', start: overTls(() => {}, shortly) },
  ],
  'tls-expired': [{ what: 'the certificate has expired', phase: 'tls', start: secure('expired') }],
  'tls-not-yet-valid': [
    { what: 'the certificate is not valid yet', phase: 'tls', start: secure('not-yet-valid') },
  ],
  'tls-hostname': [
    { what: 'the certificate is for another name', phase: 'tls', start: secure('wrong-host') },
  ],
  'tls-self-signed': [{ what: 'the certificate is self-signed', phase: 'tls', start: secure('self-signed') }],
  'tls-issuer-missing': [
    {
      what: 'the certificate that issued its own is missing',
      phase: 'tls',
      start: tls({ cert: pem('chain-leaf') }, { extraCa: [pem('root')] }),
    },
  ],
  'tls-untrusted': [
    {
      what: 'the chain is complete, and its authority is not trusted',
      phase: 'tls',
      start: tls({ cert: pem('chain-leaf', 'intermediate', 'root') }),
    },
  ],
  'tls-client-certificate': [
    {
      what: 'the target wants a client certificate that the check has not',
      phase: 'firstByte',
      start: tls({ ca: pem('client-ca'), requestCert: true, rejectUnauthorized: true }, trusted),
    },
  ],
  'tls-handshake': [
    {
      what: 'the target does not speak TLS',
      phase: 'tls',
      start: overTls(answerRaw('HTTP/1.1 400 Bad Request\r\n\r\n')),
    },
    {
      what: 'the target speaks no cipher that is offered',
      phase: 'tls',
      start: tls({
        cert: pem('rsa'),
        key: pem('rsa-key'),
        ciphers: 'DHE-RSA-AES128-GCM-SHA256',
        dhparam: 'auto',
        maxVersion: 'TLSv1.2',
      }),
    },
  ],
  'send-timeout': [
    {
      what: 'the target stops reading in the middle of a large request',
      phase: 'send',
      start: tcp((socket) => socket.pause(), {
        request: { method: 'POST', bodyType: 'RAW', body: 'x'.repeat(16_777_216) },
        options: shortly,
      }),
    },
  ],
  'first-byte-timeout': [
    {
      what: 'the target is silent after the request',
      phase: 'firstByte',
      start: tcp(() => {}, { options: shortly }),
    },
  ],
  'body-timeout': [
    {
      what: 'the answer stalls in its body',
      phase: 'download',
      start: tcp(
        (socket) =>
          socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf')),
        { options: shortly },
      ),
    },
    {
      what: 'the answer trickles beyond the deadline',
      phase: 'download',
      start: tcp(
        (socket) => {
          socket.once('data', () => {
            socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n')
            const trickle = setInterval(() => socket.write('h'), 20)
            socket.once('close', () => clearInterval(trickle))
          })
        },
        { options: shortly },
      ),
    },
  ],
  truncated: [
    {
      what: 'the answer ends before its content-length',
      phase: 'download',
      start: raw('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf'),
    },
    {
      what: 'the answer ends in the middle of its chunks',
      phase: 'download',
      start: raw('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n'),
    },
  ],
  'http-malformed': [
    { what: 'the answer is no HTTP', phase: 'firstByte', start: raw('SSH-2.0-OpenSSH_9.2\r\n') },
    {
      what: 'the body is in a transfer coding that nobody knows',
      phase: 'download',
      start: raw('HTTP/1.1 200 OK\r\ntransfer-encoding: klingon, chunked\r\n\r\n0\r\n\r\n'),
    },
  ],
  'headers-too-large': [
    {
      what: 'the headers of the answer never end',
      phase: 'download',
      start: raw(`HTTP/1.1 200 OK\r\n${'x-flood: drowning\r\n'.repeat(10_000)}\r\n`),
    },
  ],
  decompression: [
    {
      what: 'the body is not compressed as its header says',
      phase: 'download',
      start: raw('HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 4\r\n\r\nnope'),
    },
    {
      what: 'the body is not compressed as its transfer coding says',
      phase: 'download',
      start: raw('HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n4\r\nnope\r\n0\r\n\r\n'),
    },
  ],
  'too-many-redirects': [
    { what: 'redirects go on for more than ten hops', phase: null, start: redirecting('/next') },
  ],
  'redirect-loop': [{ what: 'redirects lead in a circle', phase: null, start: redirecting('/') }],
  'redirect-downgrade': [
    {
      what: 'a redirect leads from https to http',
      phase: null,
      start: async (opened) => {
        const target = opened.use(
          await startHttpsTarget('valid', {
            '/': (response) => response.writeHead(301, { location: 'http://127.0.0.1/' }).end(),
          }),
        )
        return { url: target.origin, options: trusted }
      },
    },
  ],
  'redirect-invalid': [
    { what: 'a redirect leads to what is no address', phase: null, start: redirecting('gopher://old.test/') },
  ],
}

const rows = Object.entries(matrix).flatMap(([failure, ways]) => ways.map((way) => ({ failure, ...way })))

function attempt<T extends CheckType>(definition: DefinitionOf<T>, options: Partial<RunnerOptions> = {}) {
  const run = createRunCheck({ clock: systemClock, useOsDnsResolver: false, version: '1', ...options })
  return run(definition, new AbortController().signal)
}

describe('a target that misbehaves', () => {
  test.each(rows)('$what: $failure', async (row) => {
    await using opened = new AsyncDisposableStack()
    const { url, request, check, options } = await row.start(opened)
    const definition = { ...apiDefinition(url, request), ...check }
    expectFailing(definition, await attempt(definition, options), row)
  })
})

describe('the target of a URL check that misbehaves', () => {
  test.each(rows)('$what: $failure', async (row) => {
    await using opened = new AsyncDisposableStack()
    const { url, request, check, options } = await row.start(opened)
    const asked = urlDefinition(url, request)
    // What takes a method, a header or a body is no URL check.
    if (asked === null) return expect(Object.keys(request ?? {})).not.toEqual([])
    const definition = { ...asked, shouldFail: check?.shouldFail ?? false }
    const outcome = await attempt(definition, options)
    expect(outcome.type).toBe('URL')
    expectFailing(definition, outcome, row)
  })
})

describe('the target of a heartbeat with a request that misbehaves', () => {
  test.each(rows)('$what: $failure', async (row) => {
    await using opened = new AsyncDisposableStack()
    const { url, request, check, options } = await row.start(opened)
    const definition = { ...apiDefinition(url, request), ...check, type: 'HEARTBEAT' } as const
    const outcome = await attempt(definition, options)
    expect(outcome.type).toBe('HEARTBEAT')
    expectFailing(definition, outcome, row)
  })
})

test('docs/failures.md has every class and how it comes about, and no other', () => {
  expect(documentedRows('API, URL and heartbeat checks')).toEqual(rows.map(asDocumented))
})
