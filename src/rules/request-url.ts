const protocols = ['http:', 'https:']

/** Why a check cannot have this URL, as a sentence; null when it can. One with a template in it is known only when it runs. */
export function requestUrlFault(url: string): string | null {
  if (url.includes('{{') || protocols.includes(URL.parse(url)?.protocol ?? '')) return null
  return '"request.url" must be a URL that starts with http:// or https://'
}
