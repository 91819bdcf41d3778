const bars = '▁▂▃▄▅▆▇█'

/** The values as a row of bars from 0 to their greatest, at most `width` of them; several values in one bar: their greatest. */
export function sparkline(values: readonly number[], width: number): string {
  const most = Math.max(...values)
  const columns = Math.min(width, values.length)
  return Array.from({ length: columns }, (_, column) => {
    const [from, to] = [column, column + 1].map((at) => Math.floor((at * values.length) / columns))
    const value = Math.max(...values.slice(from, to))
    return bars[most === 0 ? 0 : Math.round((value / most) * (bars.length - 1))]
  }).join('')
}
