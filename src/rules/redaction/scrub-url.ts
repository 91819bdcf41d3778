import { isSensitiveParameter, redacted } from '../sensitive-headers.ts'

const password = /(:\/\/[^/?#@:\s]*):([^/?#\s]*)@/g
const parameter = /(^|[?&;#])([^?&;#=\s]{1,256})=((?:<redacted>|[^&;#\s"'<>])*)/g

/** Every password and every value of a sensitive parameter in the URLs of a text is taken out; the user name stays. */
export function scrubUrl(text: string): string {
  const withoutPasswords = text.includes('@') ? text.replace(password, `$1:${redacted}@`) : text
  if (!text.includes('=')) return withoutPasswords
  return withoutPasswords.replace(parameter, (whole, before: string, name: string) =>
    isSensitiveParameter(decode(name)) ? `${before}${name}=${redacted}` : whole,
  )
}

export interface UrlSecrets {
  readonly passwords: readonly string[]
  readonly values: readonly string[]
}

const none: UrlSecrets = { passwords: [], values: [] }

/** What scrubUrl takes out, as it stands there and decoded. */
export function urlSecrets(text: string): UrlSecrets {
  if (!text.includes('@') && !text.includes('=')) return none
  const bothForms = (value = '') => [value, decode(value)]
  const passwords = Array.from(text.matchAll(password), ([, , value]) => bothForms(value))
  const values = Array.from(text.matchAll(parameter), ([, , name = '', value]) =>
    isSensitiveParameter(decode(name)) ? bothForms(value) : [],
  )
  return { passwords: passwords.flat(), values: values.flat() }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
