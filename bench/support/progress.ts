/** Says on standard error what goes on; on a terminal each line takes the place of the one before. */
export function progress(text: string): void {
  process.stderr.write(process.stderr.isTTY ? `\r\u001b[K${text}` : `${text}\n`)
}

/** Leaves the line of a terminal empty. */
export function progressEnded(): void {
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K')
}
