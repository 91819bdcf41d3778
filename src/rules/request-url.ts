import { templateFault } from './template/fill-request.ts'

const protocols = ['http:', 'https:']

/** Why a check cannot have this URL, as a sentence; null when it can. What comes of a template is known only when it runs. */
export function requestUrlFault(url: string): string | null {
  if (url.includes('{{')) {
    const fault = templateFault(url)
    return fault === null ? null : `"request.url" ${fault}`
  }
  if (protocols.includes(URL.parse(url)?.protocol ?? '')) return null
  return '"request.url" must be a URL that starts with http:// or https://'
}
