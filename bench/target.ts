// What is probed: answers 200 with a small body. A process of its own, so that its work is on nobody's account.
import { createServer } from 'node:http'
import { listenAndSay } from './child.ts'

const server = createServer({ keepAliveTimeout: 1 }, (_request, response) => {
  response.setHeader('content-type', 'application/json')
  response.end('{"ok":true,"items":[1,2,3]}')
})
listenAndSay(server)
