import { isIP } from 'node:net'
import type { Setting } from '../../lib/settings.ts'
import type { Canary } from '../../runner/canary/egress-canary.ts'

const maxCanaries = 10

const allowed = `at most ${maxCanaries} addresses such as 10.0.0.1:443 or [fd00::1]:53, with commas between them`

const label = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/i

/** PICKET_CANARIES: `host:port` entries, an IPv6 address in brackets. */
export const parseCanaries: Setting<readonly Canary[]>['parse'] = (text) => {
  const canaries = text.split(',').map((entry) => parseCanary(entry.trim()))
  const value = canaries.filter((canary) => canary !== null)
  return value.length === canaries.length && value.length <= maxCanaries ? { value } : { allowed }
}

function parseCanary(entry: string): Canary | null {
  const [, bracketed, host = bracketed ?? '', digits] =
    /^(?:\[(.+)\]|([^:[\]]+)):(\d{1,5})$/.exec(entry) ?? []
  const port = Number(digits)
  const isHost = bracketed === undefined ? isIpv4OrName(host) : isIP(bracketed) === 6
  return isHost && port >= 1 && port <= 65_535 ? { host, port } : null
}

function isIpv4OrName(host: string): boolean {
  if (isIP(host) === 4) return true
  const labels = host.replace(/\.$/, '').split('.')
  // What ends in a number is an IPv4 address or nothing.
  return host.length <= 253 && labels.every((text) => label.test(text)) && !/^\d+$/.test(labels.at(-1) ?? '')
}
