import { existsSync } from 'node:fs'
import { Database } from '../../pipeline/store/columnar/duckdb.ts'
import { listColumnarTables } from '../../pipeline/store/columnar-log.ts'
import { resolvePaths } from '../../pipeline/store/paths.ts'
import { readSettings } from './environment.ts'
import { assertRegistry } from './open-registry.ts'

/** Prints rows per table of the published snapshot, also while a registry runs. */
export async function printStats({ json }: { json?: boolean }): Promise<void> {
  const config = readSettings()
  assertRegistry(config)
  const { registry } = resolvePaths(config.DATA_DIR)
  if (!existsSync(registry)) throw new Error('Nothing has been published yet')
  const db = await Database.open(registry, { readOnly: true })
  const tables = listColumnarTables().map(({ name }) => name)
  const [counts] = await db.all<Record<string, number>>(
    `select ${tables.map(name => `(select count(*) from ${name}) as ${name}`).join(', ')}`,
  )
  const meta = await db.one<{ seq: number; committed_at: string }>(
    'select seq, committed_at from meta',
  )
  db.close()
  const facts = { ...meta, ...counts }
  if (json) process.stdout.write(`${JSON.stringify(facts)}\n`)
  else {
    const width = Math.max(...Object.keys(facts).map(({ length }) => length))
    const lines = Object.entries(facts).map(([name, value]) => `${name.padEnd(width)} ${value}`)
    process.stdout.write(`${lines.join('\n')}\n`)
  }
}
