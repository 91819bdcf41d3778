import { type Static, Type } from 'typebox'
import { OneOf } from '../schema.ts'

/** How a badge is to look; `responseTime` adds that of the newest result. */
export const BadgeQuery = Type.Object({
  style: OneOf(['flat', 'plastic', 'flat-square', 'for-the-badge', 'social'], { default: 'flat' }),
  theme: OneOf(['light', 'dark', 'default'], { default: 'default' }),
  responseTime: Type.Boolean({ default: false }),
})
export type BadgeQuery = Static<typeof BadgeQuery>
