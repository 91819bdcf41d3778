// A route of the HTTP library that does nothing: no key, no input, no storage, no rate limit.
import Fastify from 'fastify'

const app = Fastify()
app.get('/', async () => ({}))
process.on('disconnect', () => process.exit(0))
process.send?.({ url: await app.listen({ host: '127.0.0.1', port: 0 }) })
