import { makeBadge } from 'badge-maker'
import type { BadgeQuery } from '../../../contract/resources/badge.ts'
import type { BadgeState } from './find-state.ts'

const colors = { passing: 'brightgreen', degraded: 'yellow', failing: 'red', unknown: 'lightgrey' } as const
const labelColors = { default: '#555', dark: '#1b1f24', light: '#eaeef2' } as const

/** An SVG. It names neither check nor group: whoever has the address sees the state alone. */
export function drawBadge({ state, responseTimeMs }: BadgeState, { style, theme }: BadgeQuery): string {
  return makeBadge({
    label: 'status',
    message: responseTimeMs === null ? state : `${state}, ${responseTimeMs} ms`,
    color: colors[state],
    labelColor: labelColors[theme],
    style,
  })
}
