import type { ChannelType } from '../../../contract/resources/alert-channel.ts'
import type { Fault } from '../../../lib/find-faults.ts'
import { credentialOf } from '../../alerts/alert-channels.ts'

/** Types that cannot do without their credential. */
const needsCredential: readonly ChannelType[] = ['PAGERDUTY', 'OPSGENIE']

/** Each check tells these of every channel that it has, in characters of JSON. */
const toldLists = ['headers', 'queryParameters'] as const
const longestList = 16_384

const tooLong = (config: Readonly<Record<string, unknown>>): Fault[] =>
  toldLists
    .filter((name) => (JSON.stringify(config[name]) ?? '').length > longestList)
    .map((name) => ({
      path: `config.${name}`,
      text: `"config.${name}" must have at most ${longestList} characters of JSON`,
    }))

const isWeb = (url: string) => ['http:', 'https:'].includes(URL.parse(url)?.protocol ?? '')

/** What the schema alone cannot see. The URL itself is not told again: it may open a door. */
export function channelFaults(type: ChannelType, config: Readonly<Record<string, unknown>>): Fault[] {
  const { url } = config
  const faults = tooLong(config)
  if (typeof url === 'string' && !url.includes('{{') && !isWeb(url))
    faults.push({
      path: 'config.url',
      text: '"config.url" must be a URL that starts with http:// or https://',
    })
  const name = credentialOf(type)
  if (name !== null && needsCredential.includes(type) && config[name] === '')
    faults.push({ path: `config.${name}`, text: `"config.${name}" must not be empty` })
  return faults
}
