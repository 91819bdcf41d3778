import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dnsQuery } from '../../src/runner/dns/dns-query.ts'
import { freePort } from './free-port.ts'

/** Daemons are not in the path of every user. */
const programs = { dnsmasq: '/usr/sbin/dnsmasq', unbound: '/usr/sbin/unbound' } as const
type Program = keyof typeof programs

const isHere = (program: Program) =>
  existsSync(programs[program]) && spawnSync(programs[program], ['--help']).error === undefined

/** Stands in the name of what is skipped where a server is not installed. */
export const skippedWithout = (program: Program) =>
  isHere(program) ? '' : ` (skipped: ${program} is not installed, apt-get install ${program})`

export interface DnsServer {
  readonly port: number
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

const long = Array.from({ length: 20 }, (_, index) => `${String(index).padStart(2, '0')}${'x'.repeat(200)}`)

const dnsmasqConfiguration = (port: number) => `
keep-in-foreground
no-resolv
no-hosts
listen-address=127.0.0.1
bind-interfaces
port=${port}
user=
pid-file=
local=/test/
local-ttl=60
host-record=a.test,192.0.2.1
host-record=v6.test,2001:db8::1
mx-host=mx.test,mail.mx.test,10
txt-record=txt.test,"v=spf1 -all"
cname=alias.test,target.test
host-record=target.test,192.0.2.2
${long.map((text) => `txt-record=long.test,"${text}"`).join('\n')}
`

const unboundConfiguration = (port: number, dir: string) => `
server:
  interface: 127.0.0.1
  port: ${port}
  do-daemonize: no
  use-syslog: no
  logfile: "${dir}/unbound.log"
  verbosity: 0
  chroot: ""
  directory: "${dir}"
  pidfile: "${dir}/unbound.pid"
  username: ""
  num-threads: 1
  access-control: 127.0.0.0/8 allow
  module-config: "iterator"
  local-zone: "test." static
  local-data: "test. 60 IN SOA ns.test. first\\\\.last.test. 7 3600 600 86400 60"
  local-data: "test. 60 IN NS ns.test."
  local-data: "test. 60 IN NS ns2.test."
  local-data: "ns.test. 60 IN A 127.0.0.1"
  local-data: "alias.test. 60 IN CNAME a.test."
  local-data: "a.test. 60 IN A 192.0.2.1"
  local-data: "a.test. 60 IN A 192.0.2.2"
  local-data: "v6.test. 60 IN AAAA 2001:db8::1"
  local-data: "mx.test. 60 IN MX 10 mail.mx.test."
  local-data: 'txt.test. 60 IN TXT "v=spf1 -all"'
${long.map((text) => `  local-data: 'long.test. 60 IN TXT "${text}"'`).join('\n')}
  local-zone: "refused.test." refuse
remote-control:
  control-enable: no
`

/** A real name server on loopback with records under `test`, and with more under long.test than UDP takes. */
export async function startDnsServer(program: Program): Promise<DnsServer> {
  const dir = await mkdtemp(join(tmpdir(), `picket-${program}-`))
  const port = await freePort()
  const file = join(dir, `${program}.conf`)
  const isDnsmasq = program === 'dnsmasq'
  await writeFile(file, isDnsmasq ? dnsmasqConfiguration(port) : unboundConfiguration(port, dir))
  const parameters = isDnsmasq ? [`--conf-file=${file}`] : ['-d', '-c', file]
  const child = spawn(programs[program], parameters, { stdio: ['ignore', 'ignore', 'inherit'] })
  const exited = once(child, 'exit')
  await firstAnswer(port, child)
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM')
      await exited
      await rm(dir, { recursive: true, force: true })
    },
  }
}

/** Asks until there is an answer. @throws Error when the server ends instead */
async function firstAnswer(port: number, child: ChildProcess): Promise<void> {
  const { message } = dnsQuery({ name: 'a.test', type: 'A', edns: false })
  for (let answered = false; !answered; ) {
    if (child.exitCode !== null) throw new Error(`the name server ended with ${child.exitCode}`)
    const socket = createSocket('udp4')
    const answer = new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), 100)
      const end = (is: boolean) => {
        clearTimeout(timer)
        setImmediate(() => resolve(is))
      }
      socket.on('message', () => end(true)).on('error', () => end(false))
    })
    socket.connect(port, '127.0.0.1', () => socket.send(message))
    answered = await answer
    socket.close()
  }
}
