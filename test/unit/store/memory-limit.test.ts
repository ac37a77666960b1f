import { expect, it } from 'vitest'
import { Columnar } from '../../../pipeline/store/columnar.ts'
import { Database } from '../../../pipeline/store/duckdb.ts'
import { openMemoryIndex } from '../../support/registry/memory-index.ts'
import { cleanUp, createDataDir } from '../../support/registry/registry.ts'
import { testClock } from '../../support/worlds/clock.ts'

const TEXTS = 120
const MEGABYTE = 1_000_000
const LARGE = `select n, length(text)::double as length from large
  where n in (select unnest([3, 50, 90]))`

/** Opens a database that may use less memory than its rows need at once. */
async function openLarge(file: string) {
  const db = await Database.open(file, { memoryLimit: '100MB', threads: 1 })
  cleanUp(async () => db.close())
  await db.run('create table if not exists large (n integer, text varchar)')
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

it('a transaction that needs more memory than usual is undone, and the next one has it', async () => {
  const file = `${createDataDir()}/large.duckdb`
  const db = await openLarge(file)
  for (let n = 0; n < TEXTS; n++) {
    await db.insert('large', [{ n, text: `${n}`.padEnd(MEGABYTE, 'x') }])
    if (n % 60 === 59) await db.withMostMemory(() => db.run('checkpoint'))
  }
  db.close()
  const again = await openLarge(file)
  const read = () =>
    again.transaction(async () => {
      await again.insert('large', [{ n: TEXTS, text: 'more' }])
      return again.all(LARGE)
    })
  await expect(read()).rejects.toThrow('Out of Memory')
  expect(await again.one('select count(*)::int as rows from large')).toEqual({ rows: TEXTS })
  expect(await read()).toHaveLength(3)
  expect(await again.one('select count(*)::int as rows from large')).toEqual({ rows: TEXTS + 1 })
})
