import { statSync } from 'node:fs'
import { expect, it } from 'vitest'
import { Database } from '../../../pipeline/store/duckdb.ts'
import { cleanUp, createDataDir } from '../../support/registry/registry.ts'

const TEXTS = 120
const MEGABYTE = 1_000_000
const LARGE = `select n, length(text)::double as length from large
  where n in (select unnest([3, 50, 90]))`

/** Opens a database that may use less memory than its rows need at once, and writes them. */
async function openLarge(file: string) {
  const db = await Database.open(file, { memoryLimit: '100MB', threads: 1 })
  cleanUp(async () => db.close())
  await db.run('create table if not exists large (n integer, text varchar)')
  return db
}

async function fill(db: Database): Promise<void> {
  for (let n = 0; n < TEXTS; n++) {
    await db.transaction(() => db.insert('large', [{ n, text: `${n}`.padEnd(MEGABYTE, 'x') }]))
  }
}

it('long texts beyond the usual memory are committed, written to the file, and read', async () => {
  const file = `${createDataDir()}/large.duckdb`
  const db = await openLarge(file)
  await fill(db)
  expect(statSync(`${file}.wal`).size).toBeLessThan(70 * MEGABYTE)
  await db.withMostMemory(() => db.run('checkpoint'))
  expect(statSync(file).size).toBeGreaterThan(100 * MEGABYTE)
  const found = await db.all(`${LARGE} order by n`)
  expect(found).toEqual([3, 50, 90].map(n => ({ n, length: MEGABYTE })))
})

it('a transaction that needs more memory than usual is undone, and the next one has it', async () => {
  const file = `${createDataDir()}/large.duckdb`
  const db = await openLarge(file)
  await fill(db)
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
