// Accepts every connection and never says a word.
import { createServer } from 'node:net'
import { listenAndSay } from '../support/child.ts'

await listenAndSay(createServer((socket) => socket.on('error', () => socket.destroy()).resume()))
