/** The samples of a process that serves Prometheus metrics, by name and labels as they are written. */
export type Metrics = ReadonlyMap<string, number>

export async function readMetrics(url: string): Promise<Metrics> {
  const text = await (await fetch(url)).text()
  const samples = text.matchAll(/^([a-z_]+(?:\{[^}]*\})?) (\S+)$/gm)
  return new Map(Array.from(samples, ([, name = '', value]) => [name, Number(value)]))
}

/** @throws Error when there is none of this name */
export function metric(metrics: Metrics, name: string): number {
  const value = metrics.get(name)
  if (value === undefined) throw new Error(`there is no metric ${name}`)
  return value
}

/** User and system seconds of the process. */
export async function cpuSecondsOf(url: string): Promise<number> {
  return metric(await readMetrics(url), 'process_cpu_seconds_total')
}
