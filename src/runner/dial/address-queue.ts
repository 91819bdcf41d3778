import { isIPv6 } from 'node:net'

/** What a target's name may lead to is bounded. */
const maxAddresses = 100

/** Addresses that wait to be tried: the families by turns, beginning with that of the first address (RFC 8305 §4). */
export class AddressQueue {
  readonly #waiting: readonly [string[], string[]] = [[], []]
  #turn: 0 | 1 | null = null
  #left = maxAddresses

  get empty(): boolean {
    return this.#left === 0 || this.#waiting.every((addresses) => addresses.length === 0)
  }

  add(addresses: readonly string[]): void {
    for (const address of addresses) {
      const family = isIPv6(address) ? 1 : 0
      this.#turn ??= family
      this.#waiting[family].push(address)
    }
  }

  take(): string | null {
    if (this.#turn === null || this.empty) return null
    const other = this.#turn === 0 ? 1 : 0
    const family = this.#waiting[this.#turn].length > 0 ? this.#turn : other
    this.#turn = family === 0 ? 1 : 0
    this.#left -= 1
    return this.#waiting[family].shift() ?? null
  }
}
