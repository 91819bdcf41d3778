import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Pool } from 'undici'
import { freePort } from '../../test/support/free-port.ts'
import { cpuSecondsOf } from '../support/metrics.ts'
import { type Load, type Measured, warmUpMs } from './measured.ts'

const command = 'prometheus-blackbox-exporter'

/** The version of the exporter that is installed; null when there is none. */
export function blackboxVersion(): string | null {
  const { status, stdout, stderr } = spawnSync(command, ['--version'], { encoding: 'utf8' })
  return status === 0 ? (/version (\S+?),? /.exec(stdout + stderr)?.[1] ?? 'unknown') : null
}

type Module = 'http_2xx' | 'https_2xx' | 'tcp_connect'

/** YAML takes JSON as it is. */
const configOf = (caFile: string) =>
  JSON.stringify({
    modules: {
      http_2xx: { prober: 'http', timeout: '10s', http: { preferred_ip_protocol: 'ip4' } },
      https_2xx: {
        prober: 'http',
        timeout: '10s',
        http: { preferred_ip_protocol: 'ip4', fail_if_not_ssl: true, tls_config: { ca_file: caFile } },
      },
      tcp_connect: { prober: 'tcp', timeout: '10s', tcp: { preferred_ip_protocol: 'ip4' } },
    },
  })

/** Probes the target through blackbox_exporter; its own process's CPU time counts, not that of whoever asks it. */
export async function measureBlackbox(module: Module, target: string, load: Load): Promise<Measured> {
  const dir = await mkdtemp(join(tmpdir(), 'picket-bench-'))
  const origin = `http://127.0.0.1:${await freePort()}`
  const config = join(dir, 'blackbox.yml')
  const caFile = fileURLToPath(new URL('../../test/support/certificates/ca.pem', import.meta.url))
  await writeFile(config, configOf(caFile))
  const args = [
    `--config.file=${config}`,
    `--web.listen-address=${new URL(origin).host}`,
    '--log.level=error',
  ]
  const exporter = spawn(command, args, { stdio: 'ignore' })
  try {
    await answering(`${origin}/metrics`, exporter)
    return await measure(origin, `/probe?module=${module}&target=${encodeURIComponent(target)}`, load)
  } finally {
    exporter.kill()
    await rm(dir, { recursive: true, force: true })
  }
}

async function answering(url: string, exporter: ChildProcess): Promise<void> {
  const answers = () =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    )
  while (!(await answers())) {
    if (exporter.exitCode !== null) throw new Error(`${command} ended with ${exporter.exitCode}`)
  }
}

async function measure(origin: string, path: string, { seconds, concurrency }: Load): Promise<Measured> {
  const pool = new Pool(origin, { connections: concurrency })
  let checks = 0
  let stopped = false
  const asking = Array.from({ length: concurrency }, async () => {
    while (!stopped) {
      const { body } = await pool.request({ path, method: 'GET' })
      if (!(await body.text()).includes('probe_success 1')) throw new Error(`${command}: a probe failed`)
      checks += 1
    }
  })
  const measuring = async (): Promise<Measured> => {
    await wait(warmUpMs)
    const [cpuBefore, before] = [await cpuSecondsOf(`${origin}/metrics`), checks]
    await wait(seconds * 1000)
    const measured = {
      checks: checks - before,
      cpuSeconds: (await cpuSecondsOf(`${origin}/metrics`)) - cpuBefore,
    }
    stopped = true
    return measured
  }
  const [measured] = await Promise.all([measuring(), ...asking])
  await pool.close()
  return measured
}
