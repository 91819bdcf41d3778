import { createServer } from 'node:http'

// A target that is always well: a process of its own, told of by its port. GET /-/visits says how many came.
let visits = 0
const server = createServer((request, response) => {
  if (request.url === '/-/visits') return void response.end(String(visits))
  visits += 1
  response.end('ok')
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address !== null && typeof address !== 'string') process.stdout.write(`${address.port}\n`)
})
process.stdin.resume().once('end', () => process.exit(0))
