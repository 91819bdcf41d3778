/** Whether a request can be sent there: by HTTP or HTTPS, to a name without an empty label in it (`a..b`, `a..`). */
export function isRequestable({ protocol, hostname }: URL): boolean {
  return (protocol === 'http:' || protocol === 'https:') && !hostname.includes('..')
}
