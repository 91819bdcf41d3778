const verbs: Readonly<Record<string, string>> = {
  POST: 'Create',
  PUT: 'Replace',
  PATCH: 'Change',
  DELETE: 'Delete',
}

const isParameter = (segment: string) => segment.startsWith(':')
const segmentsOf = (url: string) => url.split('/').filter((segment) => segment !== '')

export function singular(noun: string): string {
  if (/(sses|uses)$/.test(noun)) return noun.slice(0, -2)
  return /[^su]s$/.test(noun) ? noun.slice(0, -1) : noun
}

const words = (segment: string) =>
  /^(api|dns|icmp|tcp|url)$/.test(segment) ? segment.toUpperCase() : segment.replaceAll('-', ' ')

/** `Read check of check group`, of `GET /v1/check-groups/:groupId/checks/:checkId`; `Create check: api`, of `POST /v1/checks/api`. */
export function summaryOf(method: string, url: string): string {
  const segments = segmentsOf(url).filter((segment) => !/^(v\d|next|agent)$/.test(segment))
  const verb = verbs[method] ?? (isParameter(segments.at(-1) ?? '') ? 'Read' : 'List')
  const owners: string[] = []
  let noun = ''
  segments.forEach((segment, index) => {
    if (isParameter(segment)) return
    const follows = index > 0 && !isParameter(segments[index - 1] ?? '')
    if (!follows && noun !== '') owners.unshift(singular(noun))
    noun = follows ? `${singular(noun)}: ${words(segment)}` : words(segment)
  })
  return [`${verb} ${verb === 'List' ? noun : singular(noun)}`, ...owners].join(' of ')
}

/** `check group`, of `/v1/check-groups/{id}`; `status page service`, of `/v1/status-pages/services`. */
export function operationNoun(path: string): string {
  const segments = segmentsOf(path).filter((segment) => !/^(v\d|next|agent)$/.test(segment))
  const last = segments.findLastIndex((segment) => !segment.startsWith('{'))
  const qualified = last > 0 && !segments[last - 1]?.startsWith('{')
  const nouns = segments.slice(qualified ? last - 1 : last, last + 1)
  return nouns.map((noun) => singular(words(noun))).join(' ')
}

/** `getV1BadgesChecksCheckid`, of `GET /v1/badges/checks/:checkId`: the names that clients were generated with. */
export function operationId(method: string, url: string): string {
  const parts = segmentsOf(url).map((segment) => segment.replaceAll(/[^a-zA-Z0-9]/g, '').toLowerCase())
  return [method.toLowerCase(), ...parts.map((part) => part.charAt(0).toUpperCase() + part.slice(1))].join('')
}
