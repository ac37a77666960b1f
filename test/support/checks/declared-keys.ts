import type { Database } from '../../../pipeline/store/columnar/duckdb.ts'

interface DeclaredKey {
  table_name: string
  kind: 'primary' | 'foreign'
  columns: string[]
  referenced_table: string | null
  referenced_columns: string[] | null
}

/** Lists rows that the declared keys do not tell apart, and references that lead to no row, as lines. */
export async function listBrokenKeys(db: Database): Promise<string[]> {
  const broken: string[] = []
  for (const key of await db.all<DeclaredKey>('from data_keys')) {
    const rows = await db.all<object>(
      key.kind === 'primary' ? buildRepeated(key) : await buildDangling(db, key),
    )
    const what =
      `${key.table_name} (${key.columns.join(', ')}) ${key.referenced_table ?? ''}`.trim()
    for (const row of rows) broken.push(`${what}: ${Object.values(row).join(' ')}`)
  }
  return broken
}

function buildRepeated({ table_name, columns }: DeclaredKey): string {
  return `select ${columns.join(', ')} from ${table_name} group by all having count(*) > 1`
}

async function buildDangling(db: Database, key: DeclaredKey): Promise<string> {
  const types = await db.describe(key.table_name)
  const values = key.columns.map(name =>
    types.get(name)?.endsWith('[]') ? `unnest(${name}) as ${name}` : name,
  )
  return `select ${values.join(', ')} from ${key.table_name} where ${key.columns[0]} is not null
    except select ${key.referenced_columns?.join(', ')} from ${key.referenced_table}`
}
