import type { CheckDefinition } from '../contract/run.ts'
import { AppError } from '../lib/app-error.ts'
import { type ProxySettings, parseProxyUrl } from '../runner/dial/proxy-url.ts'

/** The proxy that the checks of this location go through, as the service said it last. */
export class CheckProxy {
  #url: string | null = null
  #settings: ProxySettings | null = null
  #fault: AppError | null = null

  /** Null or empty for none. */
  use(proxyUrl: string | null): void {
    if (proxyUrl === this.#url) return
    this.#url = proxyUrl
    const read = proxyUrl ? parseProxyUrl(proxyUrl) : null
    this.#settings = read && 'settings' in read ? read.settings : null
    this.#fault =
      read && 'fault' in read
        ? new AppError('PROXY_UNUSABLE', `The proxyUrl of the location must be ${read.fault}`)
        : null
  }

  /** The definition with what nobody is told of this proxy among its secrets: a proxy may send it back. */
  guarded(definition: CheckDefinition): CheckDefinition {
    const authorization = this.#settings?.authorization?.reveal()
    if (authorization === undefined) return definition
    const credentials = authorization.replace(/^Basic /, '')
    const [, password = ''] = /^[^:]*:(.*)$/s.exec(Buffer.from(credentials, 'base64').toString()) ?? []
    const secrets = [credentials, password].map((value) => ({ key: '', value, locked: false, secret: true }))
    return { ...definition, variables: [...definition.variables, ...secrets] }
  }

  /** Null for none. @throws AppError PROXY_UNUSABLE: a check never goes around a proxy that cannot be read */
  current(): ProxySettings | null {
    if (this.#fault) throw this.#fault
    return this.#settings
  }
}
