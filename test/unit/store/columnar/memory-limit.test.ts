import { expect, it } from 'vitest'
import { Columnar } from '../../../../pipeline/store/columnar/columnar.ts'
import { Database } from '../../../../pipeline/store/columnar/duckdb.ts'
import { openMemoryIndex } from '../../../support/registry/memory-index.ts'
import { insertRows } from '../../../support/registry/published-tables.ts'
import { cleanUp, createDataDir } from '../../../support/registry/registry.ts'
import { testClock } from '../../../support/worlds/clock.ts'

const TEXTS = 120
const MEGABYTE = 1_000_000
const DISTINCT = 'select count(distinct text)::int as n from large'

async function openLarge(file: string, memoryLimit: string) {
  const db = await Database.open(file, { memoryLimit, threads: 1 })
  cleanUp(async () => db.close())
  return db
}

it('documents beyond the usual memory are published', async () => {
  const at = '2026-11-20T03:00:00.000Z'
  const index = await openMemoryIndex(testClock(at))
  const long = 'x'.repeat(MEGABYTE)
  for (let n = 0; n < TEXTS; n++) {
    const file = { kind: 'brand.json', location: `${n}.example`, variant: 'brand', hash: `${n}` }
    const content = { faults: [], fault_count: 0, document: { description: `${n}${long}` } }
    const times = { first_seen_at: at, changed_at: at, seq: 1 }
    index.accounts.insert('documents', [{ ...file, ...content, ...times }])
  }
  const file = `${createDataDir()}/columnar.duckdb`
  const columnar = new Columnar(file, '100MB')
  await columnar.update(index.accounts)
  columnar.close()
  index.close()
  const published = await Database.open(file, { readOnly: true })
  const sql =
    'select count(*)::int as n, min(length(document::varchar)) > $least as is_whole from documents'
  expect(await published.one(sql, { least: MEGABYTE })).toEqual({ n: TEXTS, is_whole: true })
  published.close()
})

it('a query that needs more memory than usual gets it, but not within a transaction', async () => {
  const file = `${createDataDir()}/large.duckdb`
  const filled = await openLarge(file, '1GB')
  await filled.run('create table large (n integer, text varchar)')
  const rows = Array.from({ length: TEXTS }, (_, n) => ({ n, text: `${n}`.padEnd(MEGABYTE, 'x') }))
  for (const row of rows) await insertRows(filled, 'large', [row])
  await filled.run('checkpoint')
  filled.close()
  const db = await openLarge(file, '100MB')
  await expect(db.transaction(() => db.all(DISTINCT))).rejects.toThrow('Out of Memory')
  expect(await db.one(DISTINCT)).toEqual({ n: TEXTS })
})
