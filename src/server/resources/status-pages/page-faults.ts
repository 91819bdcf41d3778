import type { StatusPageBody } from '../../../contract/resources/status-page.ts'
import type { ThemeColors, ThemeColorsBody } from '../../../contract/resources/status-page-theme.ts'
import type { Fault } from '../../../lib/find-faults.ts'
import { inputInvalid } from '../../http/api-error.ts'
import type { Page } from './page.ts'
import type { NamedService } from './service-collection.ts'

const linkFields = ['logo', 'redirectTo', 'favicon'] as const

/** Visitors' browsers follow them: nothing but the web, read as a browser reads it. @throws ApiError 400 */
export function assertLinks(page: Pick<StatusPageBody, (typeof linkFields)[number]>): void {
  const faults = linkFields.flatMap((field) => (leadsToWeb(page[field]) ? [] : [notAWebLink(field)]))
  if (faults.length > 0) throw inputInvalid(faults)
}

const notAWebLink = (path: string): Fault => ({ path, text: `"${path}" must be an http or https URL` })

function leadsToWeb(link: string | null): boolean {
  if (link === null) return true
  const url = URL.parse(link, 'https://page.invalid')
  return url !== null && ['http:', 'https:'].includes(url.protocol)
}

/** Both palettes or none. @throws ApiError 400 */
export function themeColorsOf(colors: ThemeColorsBody): ThemeColors | null {
  const { light, dark } = colors ?? {}
  if (light && dark) return { light, dark }
  if (!light && !dark) return null
  const path = light ? 'themeColors.dark' : 'themeColors.light'
  throw inputInvalid([{ path, text: `"${path}" is required` }])
}

/** The services of the cards, each with its place in a body. */
export const servicesInCards = ({ cards }: Page): NamedService[] =>
  cards.flatMap(({ serviceIds }, card) =>
    serviceIds.map((id, service) => ({ path: `cards[${card}].services[${service}].id`, id })),
  )
