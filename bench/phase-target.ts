// Delays that are known: each script on a port of its own for each lane, and a name server. It tells when it really
// did each step, so that the lateness of its own timers is in no figure.
import { createServer } from 'node:net'
import { createServer as createSecureServer } from 'node:tls'
import { readCertificate } from '../test/support/http-target.ts'
import { answerParent, listen } from './child.ts'
import { startPhaseDns } from './phase-dns.ts'
import { TargetRecords } from './phase-marks.ts'
import { type ScriptName, scripts } from './phase-scripts.ts'

export interface PhaseTargetPorts {
  readonly dns: number
  /** Of each lane. */
  readonly scripts: Readonly<Record<ScriptName, readonly number[]>>
}

const lanes = Number(process.argv[2])
const records = new TargetRecords()

const secure = createSecureServer(
  { cert: readCertificate('valid'), key: readCertificate('server-key') },
  (socket) => {
    socket
      .on('error', () => socket.destroy())
      .once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok'))
  },
)
const tlsPort = await listen(secure)

async function listenFor(name: ScriptName): Promise<[ScriptName, number[]]> {
  const ports = Array.from({ length: lanes }, (_, lane) =>
    listen(
      createServer({ noDelay: true }, (socket) => {
        socket.on('error', () => socket.destroy())
        scripts[name](socket, records.begin(name, lane), tlsPort)
      }),
    ),
  )
  return [name, await Promise.all(ports)]
}

const names = Object.keys(scripts) as ScriptName[]
const ports = Object.fromEntries(await Promise.all(names.map(listenFor)))
answerParent(() => records.all)
process.on('disconnect', () => process.exit(0))
process.send?.({ dns: await startPhaseDns(records), scripts: ports })
