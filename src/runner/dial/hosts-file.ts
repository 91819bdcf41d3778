import { isIP } from 'node:net'

export type Family = 4 | 6

/** Lower-case names and their addresses, of both families, in the order of the file. */
export type Hosts = ReadonlyMap<string, readonly string[]>

/** Reads a hosts file. What is no address is passed over. */
export function parseHosts(text: string): Hosts {
  const hosts = new Map<string, string[]>()
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    if (isIP(address) === 0) continue
    for (const name of names) add(hosts, name.toLowerCase(), address)
  }
  return hosts
}

function add(hosts: Map<string, string[]>, name: string, address: string): void {
  const addresses = hosts.get(name)
  if (addresses) addresses.push(address)
  else hosts.set(name, [address])
}
