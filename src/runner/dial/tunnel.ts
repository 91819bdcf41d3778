import { isIPv6, type Socket } from 'node:net'

export interface TunnelOptions {
  /** Connected to the proxy. */
  readonly socket: Socket
  /** The target: a name, or an IP literal without brackets. */
  readonly hostname: string
  readonly port: number
  /** What `Proxy-Authorization` says. */
  readonly authorization: string | null
}

/** The status of the proxy's answer, or an error where there is none that can be understood. */
export type Answered = (error: Error | null, status: number) => void

const maxHeadBytes = 65_536
const headEnd = '\r\n\r\n'

/**
 * Asks a proxy for a tunnel (RFC 9110 §9.3.6). Of what comes after the head of its answer nothing is taken: it is the
 * target's, and stays in the socket. Returns what stops the waiting; the socket stays open.
 */
export function askForTunnel(
  { socket, hostname, port, authorization }: TunnelOptions,
  done: Answered,
): () => void {
  const authority = isIPv6(hostname) ? `[${hostname}]:${port}` : `${hostname}:${port}`
  const lines = [`CONNECT ${authority} HTTP/1.1`, `Host: ${authority}`]
  if (authorization !== null) lines.push(`Proxy-Authorization: ${authorization}`)
  socket.write(`${lines.join('\r\n')}\r\n\r\n`, 'utf8')
  return readHead(socket, (error, head) => {
    const status = /^HTTP\/1\.[01] ([2-5]\d\d)(?: |\r|$)/.exec(head)?.[1]
    if (error || status === undefined) done(error ?? new Error('what answers is no HTTP proxy'), 0)
    else done(null, Number(status))
  })
}

/** Reads up to the empty line, and leaves the rest in the socket. */
function readHead(socket: Socket, done: (error: Error | null, head: string) => void): () => void {
  let received = Buffer.alloc(0)
  const onError = (error: Error) => end(error, '')
  const onClose = () => end(new Error('the proxy ended the connection without an answer'), '')
  const onData = (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    const length = received.indexOf(headEnd) + headEnd.length
    if (length >= headEnd.length && length <= maxHeadBytes) end(null, received.toString('latin1', 0, length))
    else if (received.length > maxHeadBytes) end(new Error('the answer of the proxy is too long'), '')
  }
  const stop = () => {
    socket.off('data', onData).off('error', onError).off('close', onClose).pause()
  }
  const end = (error: Error | null, head: string) => {
    stop()
    const rest = received.subarray(head.length)
    if (!error && rest.length > 0) socket.unshift(rest)
    done(error, head)
  }
  socket.on('data', onData).on('error', onError).on('close', onClose)
  return stop
}
