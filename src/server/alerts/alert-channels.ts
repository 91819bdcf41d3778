import type { AlertChannelBody, ChannelType } from '../../contract/resources/alert-channel.ts'
import type { Sealer } from '../../lib/sealing.ts'
import { sealedPlaces } from '../secrets/sealed-places.ts'

/** A channel as it is stored: its config sealed as a whole, since URLs and headers of it open doors too. */
export interface StoredChannel extends Omit<AlertChannelBody, 'config' | 'subscriptions'> {
  readonly config: string
}

type OpenChannelOf<B> = B extends { type: infer T; config: infer C }
  ? { readonly id: number; readonly type: T; readonly config: C }
  : never
/** A channel with what it needs to reach somebody. */
export type OpenChannel = OpenChannelOf<AlertChannelBody>

/** What of a config is told to nobody. */
const credentials: Readonly<Partial<Record<ChannelType, string>>> = {
  WEBHOOK: 'webhookSecret',
  PAGERDUTY: 'serviceKey',
  OPSGENIE: 'apiKey',
}

/** The name of a type's credential; null for a type that has none. */
export const credentialOf = (type: ChannelType): string | null => credentials[type] ?? null

export const sealConfig = (sealer: Sealer, id: string, config: object): string =>
  sealer.seal(JSON.stringify(config), sealedPlaces.alertChannel(id))

/** It was validated before it was sealed, and is sealed nowhere else. @throws AppError SECRET_UNREADABLE */
export function openChannel(sealer: Sealer, id: string, { type, config }: StoredChannel): OpenChannel {
  const opened: unknown = JSON.parse(sealer.open(config, sealedPlaces.alertChannel(id)))
  return { id: Number(id), type, config: opened } as OpenChannel
}

/** As it is shown: without its credential, which is empty. */
export function shownConfig(type: ChannelType, config: object): Record<string, unknown> {
  const shown: Record<string, unknown> = { ...config }
  const name = credentialOf(type)
  if (name !== null && shown[name]) shown[name] = ''
  return shown
}

/** A credential that is left empty stays as it is stored: sending back what was read changes nothing. */
export function withStoredCredential(
  type: ChannelType,
  config: object,
  stored: OpenChannel | null,
): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...config }
  const name = credentialOf(type)
  if (name === null || merged[name] !== '' || stored?.type !== type) return merged
  const kept: Record<string, unknown> = { ...stored.config }
  return { ...merged, [name]: kept[name] ?? '' }
}
