import { CompiledQuery, type Kysely, type KyselyPlugin, type RootOperationNode, sql } from 'kysely'
import type { Database } from '../../src/storage/database.ts'
import type { Schema } from '../../src/storage/schema.ts'

/**
 * What the engine says of how it carries out each query of `work`, in order. PostgreSQL is told to read whole tables only
 * where no index serves: the tables of a test are too small for it to bother.
 */
export function plansOf(
  database: Database,
  work: (db: Kysely<Schema>) => Promise<unknown>,
): Promise<string[]> {
  return database.transaction(async (db) => {
    if (database.engine === 'postgres') await sql`set local enable_seqscan = off`.execute(db)
    const nodes: RootOperationNode[] = []
    const watch: KyselyPlugin = {
      transformQuery: ({ node }) => {
        nodes.push(node)
        return node
      },
      transformResult: async ({ result }) => result,
    }
    await work(db.withPlugin(watch))
    const plans: string[] = []
    for (const node of nodes) plans.push(await explain(database, db, node))
    return plans
  })
}

async function explain(database: Database, db: Kysely<Schema>, node: RootOperationNode): Promise<string> {
  const executor = db.getExecutor()
  const compiled = executor.compileQuery(executor.transformQuery(node, { queryId: 'explain' }), {
    queryId: 'explain',
  })
  const verb = database.engine === 'sqlite' ? 'explain query plan' : 'explain'
  const { rows } = await db.executeQuery<Record<string, unknown>>(
    CompiledQuery.raw(`${verb} ${compiled.sql}`, [...compiled.parameters]),
  )
  return rows.map((row) => String(row['detail'] ?? row['queryPlan'] ?? Object.values(row)[0])).join('\n')
}
