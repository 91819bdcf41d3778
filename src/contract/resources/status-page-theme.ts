import { type Static, Type } from 'typebox'
import { Nullable } from '../schema.ts'

/** As the contract has it, in either case. */
const Color = Type.String({ pattern: '^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$' })

const Palette = Type.Object({
  bodyBackgroundColor: Color,
  headerBackgroundColor: Color,
  headerFontColor: Color,
  titleFontColor: Color,
  bodyFontColor: Color,
  bodyFontColorMuted: Color,
  navigationFontColor: Color,
  linkFontColor: Color,
  cardBackgroundColor: Color,
  borderColor: Color,
  primaryButtonBackgroundColor: Color,
  primaryButtonFontColor: Color,
})

export const ThemeColors = Type.Object({ light: Palette, dark: Palette })
export type ThemeColors = Static<typeof ThemeColors>

/** `{}` stands for null (semantics §2). */
export const ThemeColorsBody = Nullable(
  Type.Object({ light: Type.Optional(Palette), dark: Type.Optional(Palette) }),
  { default: null },
)
export type ThemeColorsBody = Static<typeof ThemeColorsBody>
