import { existsSync } from 'node:fs'
import { Database } from '../../pipeline/index/duckdb.ts'
import { pathsOf } from '../../pipeline/index/paths.ts'
import { tableNames } from '../../pipeline/index/tables.ts'
import { readSettings } from './environment.ts'

/** Prints rows by table of the published snapshot, which a running registry does not mind. */
export async function stats({ json }: { json?: boolean }): Promise<void> {
  const { registry } = pathsOf(readSettings().DATA_DIR)
  if (!existsSync(registry)) throw new Error('nothing was published yet')
  const db = await Database.open(registry, { readOnly: true })
  const tables = tableNames('tables')
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
    const lines = Object.entries(facts).map(([name, value]) => `${name.padEnd(16)} ${value}`)
    process.stdout.write(`${lines.join('\n')}\n`)
  }
}
