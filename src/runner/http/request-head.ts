import type { Connection } from '../dial/dial.ts'
import { type HttpHeader, type HttpRequest, sentHeaders } from './http-request.ts'

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** No line break and no NUL, and nothing that Latin-1 cannot carry. */
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/

/**
 * The head of a request, as Latin-1 text; null where a method, name or value could break out of its place, or Host is
 * there twice. A forwarding proxy is told the whole URL, and who asks.
 */
export function requestHead(request: HttpRequest, forwarder: Connection['forwarder']): string | null {
  const { method, url } = request
  const headers = headersFor(request, forwarder?.authorization ?? null)
  if (!token.test(method) || !headers.every(isWritable) || headers.filter(isHost).length > 1) return null
  const path = url.pathname + url.search
  let head = `${method} ${forwarder ? url.origin + path : path} HTTP/1.1\r\n`
  for (const [name, value] of headers) head += `${name}: ${value}\r\n`
  return `${head}\r\n`
}

/** What a proxy asks for is the operator's to tell, not the check's. */
function headersFor(request: HttpRequest, proxyAuthorization: string | null): readonly HttpHeader[] {
  const headers = sentHeaders(request)
  if (proxyAuthorization === null) return headers
  const others = headers.filter(([name]) => name.toLowerCase() !== 'proxy-authorization')
  return [...others, ['proxy-authorization', proxyAuthorization]]
}

function isWritable([name, value]: HttpHeader): boolean {
  return token.test(name) && fieldValue.test(value)
}

function isHost([name]: HttpHeader): boolean {
  return name.toLowerCase() === 'host'
}
