import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { Database } from '../../../pipeline/store/duckdb.ts'
import {
  findFormat,
  findNewestFormat,
  listMigrations,
  listPending,
  migrate,
  OLDEST_FORMAT,
} from '../../../pipeline/store/migrations.ts'
import { makeFolders, resolvePaths } from '../../../pipeline/store/paths.ts'
import { findProgram } from '../../support/processes/programs.ts'
import { cleanUp, createDataDir } from '../../support/registry/registry.ts'
import { readRows, readShape, writeStoredIndex } from '../../support/registry/stored-formats.ts'

const next = OLDEST_FORMAT + 1

async function open(file: string): Promise<Database> {
  const db = await Database.open(file)
  cleanUp(() => db.close())
  return db
}

async function openStored(): Promise<Database> {
  const dataDir = createDataDir()
  await writeStoredIndex(dataDir)
  return open(resolvePaths(dataDir).index)
}

async function openFresh(): Promise<Database> {
  const db = await open(':memory:')
  await migrate(db)
  return db
}

/** Makes a folder of migrations with one, which follows the oldest format. */
function createMigration(
  sql = `alter table internal.publishers add column motto varchar;
    update internal.publishers set motto = domain;`,
): string {
  const folder = createDataDir()
  writeFileSync(`${folder}/00${next}-mottos.sql`, sql)
  return folder
}

test('the migrations of the index are numbered without a gap, each to its format', () => {
  const migrations = listMigrations()
  expect(migrations.map(({ format }) => format)).toEqual(migrations.map((_, at) => at + next))
  expect(migrations.every(({ file }) => /^\d{3}-[a-z-]+\.sql$/.test(file))).toBe(true)
})

test('a fresh index has the newest format', async () => {
  const db = await openFresh()
  expect(await findFormat(db)).toBe(findNewestFormat())
  expect(await listPending(db)).toEqual([])
})

// Fails when a table was changed without a migration.
test('a stored index has the tables of a new one after its migration, and each row', async () => {
  const db = await openStored()
  const before = await readRows(db)
  await migrate(db)
  expect(await readShape(db)).toEqual(await readShape(await openFresh()))
  const { meta: _, ...after } = await readRows(db)
  for (const [table, rows] of Object.entries(before)) {
    if (table === 'meta') continue
    expect(after[table], table).toEqual(rows.map(row => expect.objectContaining(row)))
  }
})

test('a migration runs once, with the number of its format', async () => {
  const db = await openStored()
  const folder = createMigration()
  const performed: number[] = []
  for (let start = 0; start < 2; start++) {
    await migrate(db, ({ format }) => performed.push(format), folder)
  }
  expect(performed).toEqual([next])
  expect(await findFormat(db)).toBe(next)
  expect(await db.all('select 1 from publishers where motto is distinct from domain')).toEqual([])
})

test('a kill during a migration leaves the old store or the new one, and the next start has the new one', async () => {
  const folder = createMigration()
  const states = new Set<string>()
  for (let statements = 1; ; statements++) {
    const paths = resolvePaths(createDataDir())
    makeFolders(paths)
    await writeStoredIndex(paths.dir)
    const before = await Database.open(paths.index)
    const [shape, rows] = [await readShape(before), await readRows(before)]
    before.close()

    const program = findProgram('test/support/processes/migration-process.ts')
    const args = [program, paths.index, String(statements), folder]
    const { signal, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    expect(signal, stderr).toBe('SIGKILL')

    const db = await Database.open(paths.index)
    const found = await findFormat(db)
    states.add(found === OLDEST_FORMAT ? 'old' : 'new')
    if (found === OLDEST_FORMAT) {
      expect(await readShape(db)).toEqual(shape)
      expect(await readRows(db)).toEqual(rows)
    }
    await migrate(db, undefined, folder)
    expect(await findFormat(db)).toBe(next)
    expect(await db.all('select 1 from publishers where motto is distinct from domain')).toEqual([])
    expect(Object.keys(await readRows(db))).toContain('submissions')
    db.close()
    // A log that was left by the kill was read, and closing has emptied it.
    expect(existsSync(`${paths.index}.wal`)).toBe(false)
    if (found === next) break
  }
  expect([...states]).toEqual(['old', 'new'])
})

test('a failing migration changes nothing and names itself', async () => {
  const db = await openStored()
  const folder = createMigration(
    'drop table internal.wakes; alter table internal.authorizations drop column missing;',
  )
  const before = [await readShape(db), await readRows(db)]
  await expect(migrate(db, undefined, folder)).rejects.toThrow(
    new RegExp(`^migration 00${next}-mottos\\.sql failed and changed nothing: .*missing`),
  )
  expect([await readShape(db), await readRows(db)]).toEqual(before)
})

test('an index of an older format is refused with the way on, and nothing is changed', async () => {
  const db = await openStored()
  await db.run('update meta set format = $format', { format: OLDEST_FORMAT - 1 })
  const before = await readRows(db)
  await expect(migrate(db)).rejects.toThrow(
    /^index\.duckdb has format 6, and this version reads formats from 7 on\. Start commit \w{8} of the registry on this folder once/,
  )
  expect(await readRows(db)).toEqual(before)
})

test('the first start of a newer version mends the comments of the index and creates a missing table', async () => {
  const db = await openFresh()
  const fresh = await readShape(db)
  await db.run("create or replace view main.data_set as select 'those before' as definitions")
  await db.run("comment on table meta is 'something else'")
  await db.run('comment on column submissions.seq is null')
  await db.run('drop table policies')
  await migrate(db)
  expect(await readShape(db)).toEqual(fresh)
})

test('a start looks at no table of the index that it has declared before', async () => {
  const db = await openFresh()
  await db.run("comment on table meta is 'something else'")
  const shape = await readShape(db)
  await migrate(db)
  expect(await readShape(db)).toEqual(shape)
})

test('tables without a row from an interrupted first start are created again', async () => {
  const db = await openStored()
  for (const table of Object.keys(await readRows(db))) await db.run(`truncate ${table}`)
  await db.run('checkpoint')
  await migrate(db)
  expect(await readShape(db)).toEqual(await readShape(await openFresh()))
  expect(await findFormat(db)).toBe(findNewestFormat())
})

test('an index with rows and no format is refused', async () => {
  const db = await openStored()
  await db.run('delete from meta')
  await expect(migrate(db)).rejects.toThrow('has rows but no format number')
})
