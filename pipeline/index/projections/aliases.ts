import type { Database } from '../duckdb.ts'
import type { Scope } from '../scope.ts'
import type { Entry } from '../serving.ts'

export async function aliasEntries(
  index: Database,
  { aliases, parameters }: Scope,
): Promise<Entry[]> {
  const rows = await index.all<{ alias_rid: string; canonical_rid: string }>(
    `select alias_rid, canonical_rid from aliases where ${aliases}`,
    parameters,
  )
  return rows.map(({ alias_rid, canonical_rid }) => ({
    space: 'alias',
    key: alias_rid,
    value: Buffer.from(canonical_rid),
  }))
}
