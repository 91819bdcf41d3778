/** Which of the service's loops did not end their latest turn well. */
export class LoopTroubles {
  readonly #failing = new Set<string>()

  worked(name: string): void {
    this.#failing.delete(name)
  }

  failed(name: string): void {
    this.#failing.add(name)
  }

  get names(): string[] {
    return [...this.#failing]
  }
}
