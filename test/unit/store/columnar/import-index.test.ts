import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toUserId } from '../../../../pipeline/core/user-id.ts'
import { Database } from '../../../../pipeline/store/columnar/duckdb.ts'
import { type Importing, importIndex } from '../../../../pipeline/store/columnar/import-index.ts'
import { makeFolders, type Paths, resolvePaths } from '../../../../pipeline/store/paths.ts'
import {
  FORMAT_BEFORE,
  openRecord,
  openRecordReadOnly,
  RECORD_FORMAT,
} from '../../../../pipeline/store/record.ts'
import { hasOldIndex } from '../../../../pipeline/store/record-file.ts'
import { Sqlite } from '../../../../pipeline/store/sqlite.ts'
import { listTables, readTableFile } from '../../../../pipeline/store/table-files.ts'
import { findProgram } from '../../../support/processes/programs.ts'
import { cleanUp, createDataDir, makeDataDir } from '../../../support/registry/registry.ts'
import { hashStores, writeStores } from '../../../support/registry/stored-formats.ts'

type Row = Record<string, unknown>

const byText = (rows: readonly Row[]) => rows.map(row => JSON.stringify(row)).sort()
const tables = listTables('tables').map(name => readTableFile('tables', name))

/** Moments of an import at which it is killed, of all and of those at its end, where files take each other's place. */
const SPREAD = 3
const LAST_STEPS = [5, 6, 7, 8, 9, 10]

const made = makeDataDir()
beforeAll(() => writeStores(made.dir))
afterAll(() => made.remove())

async function createOldStores(): Promise<Paths> {
  const paths = resolvePaths(createDataDir())
  cpSync(made.dir, paths.dir, { recursive: true })
  makeFolders(paths)
  return paths
}

function runImport({ dir }: Paths, last = 0) {
  const program = findProgram('test/support/processes/import-process.ts')
  return spawnSync(process.execPath, [program, dir, String(last)], { encoding: 'utf8' })
}

function readFormat(record: string): number {
  const db = Sqlite.open(record)
  const { user_version } = db.oneOrThrow<{ user_version: number }>('pragma user_version')
  db.close()
  return user_version
}

/** Reads the rows of the tables of the index, as JSON values; columns that a table of old lacks are null. */
async function readOldRows({ oldIndex }: Pick<Paths, 'oldIndex'>): Promise<Map<string, Row[]>> {
  const db = await Database.open(oldIndex)
  const rows = new Map<string, Row[]>()
  const known = new Set(
    (await db.all<{ name: string }>('select table_name as name from duckdb_tables()')).map(
      table => table.name,
    ),
  )
  for (const { name, columns } of tables.filter(table => known.has(table.name))) {
    const stored = columns.filter(({ computed }) => computed === undefined)
    const empty = Object.fromEntries(stored.map(column => [column.name, null]))
    const found = await db.all<Row>(`select * from internal.${name}`)
    rows.set(
      name,
      found.map(row => ({ ...empty, ...row })),
    )
  }
  db.close()
  return rows
}

function readRows(paths: Paths): Map<string, Row[]> {
  const db = openRecord(paths.record)
  cleanUp(() => db.close())
  return new Map(
    tables.map(({ name, storedAs }) => [name, db.all<Row>(`select * from ${storedAs}`)]),
  )
}

function expectSame(after: Map<string, Row[]>, before: Map<string, Row[]>): void {
  for (const [name, rows] of before)
    expect(byText(after.get(name) ?? []), name).toEqual(byText(rows))
}

describe('an index in a file of its own', () => {
  test('is moved into the record with every row, and both files are kept', async () => {
    const paths = await createOldStores()
    await changeIndex(
      paths.oldIndex,
      `set search_path = 'internal,main'; create table crawl_days as
      select date '2026-11-20' as day, 'ads.txt' as kind, 'ok' as outcome, 3::ubigint as attempts, 2::bigint as seq`,
    )
    const before = await readOldRows(paths)
    expect([...before.values()].flat().length).toBeGreaterThan(200)
    const steps: Importing[] = []
    await importIndex(paths, progress => steps.push(progress))
    const rows = readRows(paths)
    expect(rows.get('crawl_days')).toMatchObject([{ day: '2026-11-20', attempts: 3 }])
    before.set('crawl_days', rows.get('crawl_days') ?? [])
    expectSame(rows, before)
    expect(hasOldIndex(paths)).toBe(false)
    expect((await readOldRows({ oldIndex: `${paths.old}/index.duckdb` })).get('events')).toEqual(
      before.get('events'),
    )
    const copy = Sqlite.open(`${paths.old}/record.sqlite`)
    expect(copy.all('select name from organizations')).toEqual([{ name: 'Acme' }])
    copy.close()
    const last = steps.at(-1)
    expect(last?.rows).toBe(last?.of)
    expect(last?.rows).toBeGreaterThan(200)
  })

  test('leaves people their roles, under the ids that they have now', async () => {
    const paths = await createOldStores()
    changeRecord(
      paths.record,
      `insert into roles (holder, id, role, granted_at, seq)
       values ('user', 'Ann@acme.example', 'moderator', '2026-11-20T03:00:00Z', 1), ('user', 'ada|1', 'admin', '2026-11-20T03:00:00Z', 1)`,
    )
    await importIndex(paths)
    const record = openRecordReadOnly(paths.record)
    expect(record.all('select id, role from roles order by role')).toEqual([
      { id: 'ada|1', role: 'admin' },
      { id: toUserId('ann@acme.example'), role: 'moderator' },
    ])
    record.close()
  })

  test('may be an empty one, which a first start left that was interrupted', async () => {
    const paths = resolvePaths(createDataDir())
    makeFolders(paths)
    const db = await Database.open(paths.oldIndex)
    await db.run('create schema internal; create table internal.meta (format integer)')
    db.close()
    await importIndex(paths)
    expect(readRows(paths).get('meta')).toMatchObject([{ seq: 0, fence: 0 }])
  })

  test('may be an empty one beside a record without commits', async () => {
    const paths = await createOldStores()
    rmSync(paths.oldIndex)
    changeRecord(paths.record, 'delete from submissions')
    const db = await Database.open(paths.oldIndex)
    await db.run('create table unfinished (a integer)')
    db.close()
    await importIndex(paths)
    openRecord(paths.record).close()
    expect(readRows(paths).get('meta')).toMatchObject([{ seq: 0, fence: 0 }])
  })

  test('is imported after a kill at any moment, and the record is the old one or the new one until then', async () => {
    const before = await readOldRows(await createOldStores())
    const whole = runImport(await createOldStores())
    expect(whole.status, whole.stderr).toBe(0)
    const steps = Number(whole.stdout)
    const spread = Array.from({ length: SPREAD }, (_, at) => Math.ceil(((at + 1) / SPREAD) * steps))
    const states = new Set<number>()
    for (const step of new Set([...spread, ...LAST_STEPS.map(back => steps - back)])) {
      const paths = await createOldStores()
      const { signal, stderr } = runImport(paths, step)
      expect(signal, stderr).toBe('SIGKILL')
      const format = readFormat(paths.record)
      states.add(format)
      if (format === FORMAT_BEFORE) expect(hasOldIndex(paths)).toBe(true)
      if (hasOldIndex(paths)) await importIndex(paths)
      expectSame(readRows(paths), before)
      expect(existsSync(`${paths.record}.import`)).toBe(false)
    }
    expect(states).toEqual(new Set([FORMAT_BEFORE, RECORD_FORMAT]))
  })
})

describe('is refused in words, and nothing is changed', () => {
  const damages: Record<string, { damage: (paths: Paths) => unknown; says: RegExp }> = {
    'an index of another format': {
      damage: ({ oldIndex }) => changeIndex(oldIndex, 'update internal.meta set format = 6'),
      says: /index\.duckdb has format 6, and this version reads format 7 only/,
    },
    'a damaged index': {
      damage: ({ oldIndex }) => writeFileSync(oldIndex, 'no database'),
      says: /index\.duckdb cannot be read \(.*\): .*registry restore/,
    },
    'an index without its record': {
      damage: ({ record }) => rmSync(record),
      says: /record\/record\.sqlite is missing or empty, and index\.duckdb has 2 commits/,
    },
    'an empty index beside a record with commits': {
      damage: ({ oldIndex }) => changeIndex(oldIndex, 'delete from internal.meta'),
      says: /index\.duckdb lacks the last commit of record\/record\.sqlite/,
    },
    'an index that lacks the last commit': {
      damage: ({ oldIndex }) => changeIndex(oldIndex, 'update internal.meta set seq = 1'),
      says: /lacks the last commit .* start the version that wrote it once/,
    },
    'a record that is newer': {
      damage: ({ record }) => changeRecord(record, 'pragma user_version = 99'),
      says: /record\/record\.sqlite has format 99/,
    },
  }

  test.each(Object.entries(damages))('%s', async (_, { damage, says }) => {
    const paths = await createOldStores()
    await damage(paths)
    const before = hashStores(paths)
    await expect(importIndex(paths)).rejects.toThrow(says)
    expect(hashStores(paths)).toEqual(before)
    expect(existsSync(`${paths.record}.import`)).toBe(false)
  })

  test('a record whose index is not there', async () => {
    const paths = await createOldStores()
    rmSync(paths.oldIndex)
    const before = readFileSync(paths.record)
    expect(() => openRecord(paths.record)).toThrow(/has no index.*index\.duckdb/)
    expect(() => openRecordReadOnly(paths.record)).toThrow(/registry migrate/)
    expect(readFileSync(paths.record)).toEqual(before)
  })
})

async function changeIndex(file: string, sql: string): Promise<void> {
  const db = await Database.open(file)
  await db.run(sql)
  db.close()
}

function changeRecord(file: string, sql: string): void {
  const db = Sqlite.open(file)
  db.exec(sql)
  db.emptyLog()
  db.close()
}
