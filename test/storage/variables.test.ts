import { expect, test } from 'vitest'
import {
  countVariables,
  deleteVariable,
  findVariable,
  insertVariable,
  listAllVariables,
  listVariables,
  updateVariable,
} from '../../src/storage/variables.ts'
import { forEachEngine } from '../support/databases.ts'
import { addAccount, t0, variableRow } from '../support/storage-rows.ts'

forEachEngine((_engine, open) => {
  test('gives a key to one variable of an account; other accounts may have the same', async () => {
    const database = await open()
    const db = database.kysely
    const [ours, theirs] = [await addAccount(database), await addAccount(database)]
    const first = variableRow(ours, 'A', { value: 'Žluťoučký 🐎\n', secret: 1, locked: 1 })
    expect(await insertVariable(db, first)).toBe(true)
    expect(await insertVariable(db, variableRow(ours, 'A'))).toBe(false)
    expect(await insertVariable(db, variableRow(theirs, 'A'))).toBe(true)
    expect(await insertVariable(db, variableRow(ours, 'a'))).toBe(true)
    expect(await findVariable(db, ours, 'A')).toEqual(first)
    expect(await countVariables(db, ours)).toBe(2)
  })

  test('gives a key to one of several who ask at once', async () => {
    const database = await open()
    const accountId = await addAccount(database)
    const insert = () => insertVariable(database.kysely, variableRow(accountId, 'A'))
    const inserted = await Promise.all(Array.from({ length: 5 }, insert))
    expect(inserted.filter(Boolean)).toHaveLength(1)
  })

  test('lists the variables of one account in the order of their bytes, in pages or all', async () => {
    const database = await open()
    const db = database.kysely
    const accountId = await addAccount(database)
    await insertVariable(db, variableRow(await addAccount(database), 'B'))
    for (const key of ['b', '_', 'B', 'A', 'a-1', 'a.1', '9'])
      await insertVariable(db, variableRow(accountId, key))
    const inOrder = ['9', 'A', 'B', '_', 'a-1', 'a.1', 'b']
    const page = async (offset: number) => {
      const { rows, total } = await listVariables(db, accountId, { offset, limit: 4 })
      return [rows.map(({ key }) => key), total]
    }
    expect(await page(0)).toEqual([inOrder.slice(0, 4), 7])
    expect(await page(4)).toEqual([inOrder.slice(4), 7])
    expect(await page(8)).toEqual([[], 7])
    expect((await listAllVariables(db, accountId)).map(({ key }) => key)).toEqual(inOrder)
  })

  test('changes and deletes a variable of one account alone', async () => {
    const database = await open()
    const db = database.kysely
    const [ours, theirs] = [await addAccount(database), await addAccount(database)]
    for (const accountId of [ours, theirs])
      for (const key of ['A', 'B']) await insertVariable(db, variableRow(accountId, key))
    const changed = variableRow(ours, 'A', { value: 'w', locked: 1, secret: 1, updatedAt: t0 + 9 })
    await updateVariable(db, { ...changed, createdAt: 1 })
    expect(await findVariable(db, ours, 'A')).toEqual(changed)
    expect(await deleteVariable(db, ours, 'B')).toBe(true)
    expect(await deleteVariable(db, ours, 'B')).toBe(false)
    expect(await listAllVariables(db, ours)).toEqual([changed])
    expect(await listAllVariables(db, theirs)).toEqual([variableRow(theirs, 'A'), variableRow(theirs, 'B')])
  })
})
