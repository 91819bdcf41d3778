/** Start-up pushes what undoes each step; `close()` undoes them, last first, whatever some of them throw. */
export class Closers {
  readonly #steps: { name: string; undo: () => unknown }[] = []

  push(name: string, undo: () => unknown): void {
    this.#steps.push({ name, undo })
  }

  /** @throws AggregateError with the error of every step that failed. */
  async close(): Promise<void> {
    const errors: unknown[] = []
    for (let step = this.#steps.pop(); step; step = this.#steps.pop()) {
      try {
        await step.undo()
      } catch (cause) {
        errors.push(new Error(`could not close ${step.name}`, { cause }))
      }
    }
    if (errors.length > 0) throw new AggregateError(errors, 'not everything closed cleanly')
  }
}
