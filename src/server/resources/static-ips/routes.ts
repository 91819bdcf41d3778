import { Type } from 'typebox'
import { IpList, IpsByRegion, Ipv6ByRegion } from '../../../contract/resources/static-ip.ts'
import type { App } from '../../http/app-type.ts'
import type { StaticIp } from './parse-static-ips.ts'

const tags = ['Static IPs']
const summaries = {
  list: 'Addresses that checks are run from',
  byRegion: 'Addresses that checks are run from, by region',
  lines: 'Addresses that checks are run from, one a line',
}

function ipv4sByRegion(ips: readonly StaticIp[]): IpsByRegion {
  const byRegion = new Map<string, string[]>()
  for (const { region, address } of ips) {
    if (region !== null) byRegion.set(region, [...(byRegion.get(region) ?? []), address])
  }
  return Object.fromEntries(byRegion)
}

function ipv6ByRegion(ips: readonly StaticIp[]): Ipv6ByRegion {
  return Object.fromEntries(
    ips.flatMap(({ region, address }) => (region === null ? [] : [[region, address]])),
  )
}

function linesRoute(app: App, path: string, addresses: readonly string[]): void {
  const text = addresses.map((address) => `${address}\n`).join('')
  app.get(
    path,
    {
      schema: {
        tags,
        summary: summaries.lines,
        response: { 200: { content: { 'text/plain': { schema: Type.String() } } } },
      },
    },
    (_request, reply) => {
      reply.header('content-type', 'text/plain; charset=utf-8')
      return text
    },
  )
}

function listRoute(app: App, path: string, addresses: readonly string[]): void {
  app.get(path, { schema: { tags, summary: summaries.list, response: { 200: IpList } } }, () => [
    ...addresses,
  ])
}

/** What the operator says of the agents' addresses; empty answers where nothing is said. */
export function staticIpRoutes(app: App, ips: readonly StaticIp[]): void {
  const v4 = ips.filter(({ family }) => family === 4)
  const v6 = ips.filter(({ family }) => family === 6)
  const addressOf = ({ address }: StaticIp) => address
  const summary = summaries.byRegion

  listRoute(app, '/v1/static-ips', v4.map(addressOf))
  listRoute(app, '/v1/static-ipv6s', v6.map(addressOf))
  linesRoute(app, '/v1/static-ips.txt', v4.map(addressOf))
  linesRoute(app, '/v1/static-ipv6s.txt', v6.map(addressOf))
  app.get('/v1/static-ips-by-region', { schema: { tags, summary, response: { 200: IpsByRegion } } }, () =>
    ipv4sByRegion(v4),
  )
  app.get('/v1/static-ipv6s-by-region', { schema: { tags, summary, response: { 200: Ipv6ByRegion } } }, () =>
    ipv6ByRegion(v6),
  )
}
