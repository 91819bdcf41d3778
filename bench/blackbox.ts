import { spawn, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'undici'
import { freePort } from '../test/support/free-port.ts'
import { cpuSecondsOf } from './child.ts'
import type { Measured } from './measured.ts'

const command = 'prometheus-blackbox-exporter'

/** The version of the exporter that is installed; null when there is none. */
export function blackboxVersion(): string | null {
  const { status, stdout, stderr } = spawnSync(command, ['--version'], { encoding: 'utf8' })
  return status === 0 ? (/version (\S+?),? /.exec(stdout + stderr)?.[1] ?? 'unknown') : null
}

/** Probes the target through blackbox_exporter; its own process's CPU time counts, not that of whoever asks it. */
export async function measureBlackbox(
  target: string,
  seconds: number,
  concurrency: number,
): Promise<Measured> {
  const dir = await mkdtemp(join(tmpdir(), 'picket-bench-'))
  const port = await freePort()
  const config = join(dir, 'blackbox.yml')
  await writeFile(
    config,
    'modules: { http_2xx: { prober: http, timeout: 10s, http: { preferred_ip_protocol: ip4 } } }',
  )
  const args = [`--config.file=${config}`, `--web.listen-address=127.0.0.1:${port}`, '--log.level=error']
  const exporter = spawn(command, args, { stdio: 'ignore' })
  const metrics = `http://127.0.0.1:${port}/metrics`
  try {
    while (
      !(await fetch(metrics).then(
        ({ ok }) => ok,
        () => false,
      ))
    ) {
      if (exporter.exitCode !== null) throw new Error(`${command} ended with ${exporter.exitCode}`)
    }
    const pool = new Pool(`http://127.0.0.1:${port}`, { connections: concurrency })
    const path = `/probe?module=http_2xx&target=${encodeURIComponent(target)}`
    const before = await cpuSecondsOf(metrics)
    const until = performance.now() + seconds * 1000
    let checks = 0
    const probe = async () => {
      while (performance.now() < until) {
        const { body } = await pool.request({ path, method: 'GET' })
        if (!(await body.text()).includes('probe_success 1'))
          throw new Error('a probe of blackbox_exporter failed')
        checks += 1
      }
    }
    await Promise.all(Array.from({ length: concurrency }, probe))
    const cpuSeconds = (await cpuSecondsOf(metrics)) - before
    await pool.close()
    return { checks, cpuSeconds }
  } finally {
    exporter.kill()
    await rm(dir, { recursive: true, force: true })
  }
}
