import type { Kysely } from 'kysely'
import type { Schema } from './schema.ts'

/** The next number of a row of ids, from 1 on: each is given out once, whichever account asks. */
export async function nextNumber(db: Kysely<Schema>, name: string): Promise<number> {
  return takeNumbers(db, name, 1)
}

/** As many of them as asked for, ascending. */
export async function nextNumbers(db: Kysely<Schema>, name: string, count: number): Promise<number[]> {
  if (count === 0) return []
  const last = await takeNumbers(db, name, count)
  return Array.from({ length: count }, (_, index) => last - count + 1 + index)
}

/** The last of those that are taken. */
async function takeNumbers(db: Kysely<Schema>, name: string, count: number): Promise<number> {
  const { last } = await db
    .insertInto('counters')
    .values({ name, last: count })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet((eb) => ({ last: eb('counters.last', '+', count) })),
    )
    .returning('last')
    .executeTakeFirstOrThrow()
  return last
}
