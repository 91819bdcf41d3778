import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { connectInTurn } from '../../../src/runner/dial/connect.ts'
import { startTcpTarget } from '../../support/tcp-target.ts'

interface Opened {
  readonly socket: Socket
  readonly tried: readonly string[]
}

function open(addresses: readonly string[], port: number): Promise<Opened> {
  const tried: string[] = []
  return new Promise((resolve, reject) => {
    connectInTurn({ addresses, port, onAddress: (address) => tried.push(address) }, (error, socket) => {
      if (socket) resolve({ socket, tried })
      else reject(Object.assign(error ?? new Error('neither'), { tried }))
    })
  })
}

test('goes on to the next address when one refuses', async () => {
  await using target = await startTcpTarget(() => {})
  const { socket, tried } = await open(['127.0.0.2', '127.0.0.3', '127.0.0.1'], target.port)
  expect(tried).toEqual(['127.0.0.2', '127.0.0.3', '127.0.0.1'])
  expect(socket.remoteAddress).toBe('127.0.0.1')
  socket.destroy()
})

test('goes no further than the first address that answers', async () => {
  await using target = await startTcpTarget(() => {})
  const { socket, tried } = await open(['127.0.0.1', '127.0.0.2'], target.port)
  expect(tried).toEqual(['127.0.0.1'])
  socket.destroy()
})

test('fails as the last address did', async () => {
  const closed = await startTcpTarget(() => {})
  await closed[Symbol.asyncDispose]()
  await expect(open(['127.0.0.2', '127.0.0.1'], closed.port)).rejects.toMatchObject({
    code: 'ECONNREFUSED',
    address: '127.0.0.1',
    tried: ['127.0.0.2', '127.0.0.1'],
  })
})
