// Picket's dialer alone: connects, and nothing is made of it.
import { systemClock } from '../../src/lib/clock.ts'
import { createEgressPolicy } from '../../src/rules/egress/egress-policy.ts'
import { noEgressRules } from '../../src/rules/egress/egress-rules.ts'
import { createDialer } from '../../src/runner/dial/dial.ts'
import { createResolver } from '../../src/runner/dial/resolve.ts'
import { countLoop } from './counted-loop.ts'

const dial = createDialer({
  clock: systemClock,
  resolve: createResolver({ clock: systemClock }),
  egress: createEgressPolicy({ allow: noEgressRules, deny: noEgressRules }),
  proxy: () => null,
  extraCa: [],
})
const ignore = () => {}
const watcher = { onPhase: ignore, onTried: ignore, onTls: ignore }

await countLoop(
  (url) =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(url)
      dial({ hostname, port: Number(port), family: 4, tls: null }, watcher, (error, connection) => {
        if (!connection) return reject(error ?? new Error('no connection and no error'))
        connection.socket.on('close', () => resolve()).destroy()
      })
    }),
)
