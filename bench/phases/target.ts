// Delays that are known: each script on a port of its own for each lane, and a name server. It tells when it really
// did each step, so that the lateness of its own timers is in no figure.
import { createServer } from 'node:net'
import { answerParent, listen, startChild } from '../support/child.ts'
import { startPhaseDns } from './dns.ts'
import { TargetRecords } from './marks.ts'
import { type ScriptName, scripts } from './scripts.ts'

export interface PhaseTargetPorts {
  readonly dns: number
  /** Of each lane. */
  readonly scripts: Readonly<Record<ScriptName, readonly number[]>>
}

const lanes = Number(process.argv[2])
const records = new TargetRecords()

// Its handshakes are in another process: they would keep the clock of this one waiting.
const secure = await startChild(new URL('../support/fixed-target.ts', import.meta.url), { args: ['https'] })
const tlsPort = Number(new URL(secure.said.url).port)

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
