import { expect, test } from 'vitest'
import { AddressQueue } from '../../../src/runner/dial/address-queue.ts'

function all(queue: AddressQueue): string[] {
  const taken: string[] = []
  for (let next = queue.take(); next !== null; next = queue.take()) taken.push(next)
  return taken
}

test.each([
  [['::1', '::2', '10.0.0.1', '10.0.0.2'], '::1 10.0.0.1 ::2 10.0.0.2'],
  [['10.0.0.1', '::1', '::2', '::3'], '10.0.0.1 ::1 ::2 ::3'],
  [['::1', '10.0.0.1', '10.0.0.2', '10.0.0.3'], '::1 10.0.0.1 10.0.0.2 10.0.0.3'],
  [['10.0.0.2', '10.0.0.1'], '10.0.0.2 10.0.0.1'],
  [[], ''],
])('addresses wait by turns of their families: %j', (addresses, order) => {
  const queue = new AddressQueue()
  queue.add(addresses)
  expect(queue.empty).toBe(order === '')
  expect(all(queue).join(' ')).toBe(order)
  expect(queue.empty).toBe(true)
})

test('a family that comes later is next', () => {
  const queue = new AddressQueue()
  queue.add(['::1', '::2', '::3'])
  expect([queue.take(), queue.take()]).toEqual(['::1', '::2'])
  queue.add(['10.0.0.1', '10.0.0.2'])
  expect(all(queue)).toEqual(['10.0.0.1', '::3', '10.0.0.2'])
})

test('no more than a hundred addresses are taken', () => {
  const queue = new AddressQueue()
  for (let at = 0; at < 10; at += 1) queue.add(Array.from({ length: 20 }, (_, low) => `10.0.${at}.${low}`))
  expect(all(queue)).toHaveLength(100)
  expect(queue.empty).toBe(true)
})
