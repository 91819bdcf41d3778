import { expect, test } from 'vitest'
import { Closers } from '../../src/lib/closers.ts'

test('steps are undone last first, whatever some of them throw', async () => {
  const closers = new Closers()
  const undone: string[] = []
  closers.push('one', () => undone.push('one'))
  closers.push('two', () => {
    undone.push('two')
    throw new Error('stuck')
  })
  closers.push('three', async () => undone.push('three'))
  await expect(closers.close()).rejects.toMatchObject({ errors: [{ message: 'could not close two' }] })
  expect(undone).toEqual(['three', 'two', 'one'])
})

test('a step is undone once', async () => {
  const closers = new Closers()
  let times = 0
  closers.push('one', () => {
    times += 1
  })
  await closers.close()
  await closers.close()
  expect(times).toBe(1)
})
