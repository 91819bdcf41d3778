import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from './free-port.ts'

const found = spawnSync('nginx', ['-v']).status === 0
export const nginxIsHere = found
/** Stands in the name of what is skipped where nginx is not installed. */
export const skippedWithoutNginx = found
  ? ''
  : ' (skipped: nginx is not installed, apt-get install nginx-light)'

export interface NginxTarget {
  readonly http: string
  readonly https: string
  /** While down, /health answers 503. */
  setDown(down: boolean): Promise<void>
  stop(): Promise<void>
}

const certificate = (name: string) => fileURLToPath(new URL(`certificates/${name}.pem`, import.meta.url))

function configuration(dir: string, http: number, https: number): string {
  return `
daemon off;
pid ${dir}/nginx.pid;
error_log stderr crit;
worker_processes 1;
events { worker_connections 1024; }
http {
  access_log off;
  client_body_temp_path ${dir}/body;
  proxy_temp_path ${dir}/proxy;
  fastcgi_temp_path ${dir}/fastcgi;
  uwsgi_temp_path ${dir}/uwsgi;
  scgi_temp_path ${dir}/scgi;
  types { application/json json; text/plain txt; }
  server {
    listen 127.0.0.1:${http};
    listen 127.0.0.1:${https} ssl;
    ssl_protocols TLSv1.3;
    ssl_certificate ${certificate('valid')};
    ssl_certificate_key ${certificate('server-key')};
    root ${dir}/www;
    location = /health { if (-f ${dir}/down) { return 503 "down"; } default_type application/json; return 200 '{"ok":true,"items":[1,2,3]}'; }
    location = /slow.txt { limit_rate 40k; }
    location = /packed.json { gzip on; gzip_types application/json; gzip_min_length 0; }
    location = /moved { return 302 /health; }
    location = /private { auth_basic "private"; auth_basic_user_file ${dir}/users; default_type text/plain; try_files /big.txt =404; }
    location = /echo { default_type text/plain; return 200 "$request_method $args $http_x_test $content_type"; }
  }
}`
}

function connects(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}

/** A real nginx on loopback: TLS, redirects, basic auth, gzip, a slow file, and a /health that can go down. */
export async function startNginx(): Promise<NginxTarget> {
  const dir = await mkdtemp(join(tmpdir(), 'picket-nginx-'))
  const [http, https] = [await freePort(), await freePort()]
  await mkdir(join(dir, 'www'))
  await writeFile(join(dir, 'www', 'slow.txt'), 'x'.repeat(60_000))
  await writeFile(join(dir, 'www', 'big.txt'), 'for your eyes only')
  await writeFile(join(dir, 'www', 'packed.json'), JSON.stringify({ packed: true, fill: 'y'.repeat(2000) }))
  // {PLAIN} passwords are part of nginx's own auth_basic.
  await writeFile(join(dir, 'users'), 'ann:{PLAIN}s3cret\n')
  // Where it was started by root, nginx gives its workers to another user.
  await chmod(dir, 0o755)
  await writeFile(join(dir, 'nginx.conf'), configuration(dir, http, https))
  const nginx = spawn('nginx', ['-c', join(dir, 'nginx.conf'), '-p', dir, '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const exited = once(nginx, 'exit')
  while (!(await connects(http))) {
    if (nginx.exitCode !== null) throw new Error(`nginx ended with ${nginx.exitCode}`)
  }
  return {
    http: `http://127.0.0.1:${http}`,
    https: `https://localhost:${https}`,
    setDown: (down) => (down ? writeFile(join(dir, 'down'), '') : rm(join(dir, 'down'), { force: true })),
    stop: async () => {
      nginx.kill('SIGQUIT')
      await exited
      await rm(dir, { recursive: true, force: true })
    },
  }
}
