import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { toldTexts, tracesOf } from './secret-traces.ts'
import type { TestAgent } from './test-agent.ts'

/** All that stands in the files of a folder. */
export async function filesIn(folder: string): Promise<string> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true })
  const files = entries.filter((entry) => entry.isFile())
  const texts = files.map((entry) => readFile(join(entry.parentPath, entry.name), 'utf8'))
  return (await Promise.all(texts)).join('\n')
}

async function healthTexts({ health }: TestAgent): Promise<string[]> {
  const paths = ['/-/readiness', '/-/liveness', '/health', '/metrics']
  return Promise.all(paths.map(async (path) => (await health(path)).text))
}

/** All that an agent tells and writes down, once it did; `files`: what stood in them before. */
export async function toldBy(agent: TestAgent, files: string): Promise<Readonly<Record<string, string>>> {
  const { service, log, dataDir } = agent
  return {
    files: files + (await filesIn(dataDir)),
    health: (await healthTexts(agent)).join('\n'),
    logs: toldTexts(log),
    results: toldTexts([service.results, service.batches]),
    errorReports: toldTexts(service.errorReports),
    requests: toldTexts([service.targets, service.claims, service.released]),
  }
}

export function expectNoTraces(
  secrets: readonly string[],
  told: Readonly<Record<string, string>>,
  traces: typeof tracesOf = tracesOf,
): void {
  for (const secret of secrets) {
    for (const [place, text] of Object.entries(told)) {
      expect({ secret, place, traces: traces(secret, text) }).toEqual({ secret, place, traces: [] })
    }
  }
}
