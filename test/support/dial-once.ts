// Dials localhost over TLS on the port that is its first argument, trusting the test authorities that the others name, and
// tells how that ended.
import { dialed, dialer } from './dialed.ts'
import { pem } from './tls-target.ts'

const [port, ...authorities] = process.argv.slice(2)
const dial = dialer({ extraCa: authorities.map((name) => pem(name)) })
const tls = { name: 'localhost', verify: true, clientCertificate: null }
const { error, connection } = await dialed(dial, { port: Number(port), tls })
connection?.socket.destroy()
process.stdout.write(error && 'code' in error ? String(error.code) : 'connected')
