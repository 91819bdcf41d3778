import { parseAddress } from './ip-network.ts'

const shownCharacters = 100

/** What is wrong with an item of egress rules that is neither an address, a CIDR block nor a host, as a sentence. */
export function egressRuleFault(item: string): string {
  if (item === '') return 'an item is empty'
  return `${JSON.stringify(item.slice(0, shownCharacters))} ${reasonOf(item)}`
}

/** WHATWG URL: a host that ends in a number is an address, in whatever spelling. */
export const endsInNumber = (text: string): boolean => /(?:^|\.)(?:\d+|0x[\da-f]*)\.?$/i.test(text)

function reasonOf(item: string): string {
  if (item.includes('://')) return 'is a URL: its host alone is a rule'
  if (item.includes('/')) return cidrReason(item)
  if (/^[^:]*:\d*$/.test(item)) return 'has a port: a rule is of a host and all its ports'
  if (item.includes(':')) return 'is not an IPv6 address'
  if (item.includes('*')) return 'has a * that is not its whole first label, as in *.example.com'
  if (endsInNumber(item)) return 'is not an IPv4 address: that is four numbers from 0 to 255'
  return 'is neither an address, a CIDR nor a host name'
}

function cidrReason(item: string): string {
  const address = parseAddress(item.slice(0, item.indexOf('/')))
  if (!address) return 'is not a CIDR: before the / stands no address in full'
  const bits = address.kind() === 'ipv4' ? 32 : 128
  return `is not a CIDR: after the / stands no whole number from 0 to ${bits}`
}
