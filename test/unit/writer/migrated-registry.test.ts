import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename } from 'node:path'
import { describe, expect, test } from 'vitest'
import { restore } from '../../../pipeline/maintenance/restore.ts'
import { verify } from '../../../pipeline/maintenance/verify-stores.ts'
import { Reader } from '../../../pipeline/read/reader.ts'
import { advance, readCheckpoint } from '../../../pipeline/store/checkpoint.ts'
import { Database } from '../../../pipeline/store/duckdb.ts'
import { findNewestFormat } from '../../../pipeline/store/migrations.ts'
import { type Paths, resolvePaths } from '../../../pipeline/store/paths.ts'
import { planMigrations } from '../../../pipeline/store/plan-migrations.ts'
import { openRecord } from '../../../pipeline/store/record.ts'
import { Sqlite } from '../../../pipeline/store/sqlite.ts'
import { listTables } from '../../../pipeline/store/table-files.ts'
import { buildNextBatch } from '../../support/fixtures/batches.ts'
import { buildBrandSave } from '../../support/fixtures/submissions.ts'
import { findProgram } from '../../support/processes/programs.ts'
import { cleanUp, createDataDir, openSequencer } from '../../support/registry/registry.ts'
import { listStoredFormats, readRows, writeStores } from '../../support/registry/stored-formats.ts'
import { testClock } from '../../support/worlds/clock.ts'

const at = '2026-11-21T12:00Z'

/** Creates a folder with the stores of version 1, closed. */
async function createOldStores(formats = { index: 1, accounts: 1 }): Promise<Paths> {
  const dataDir = createDataDir()
  await writeStores(dataDir, formats)
  return resolvePaths(dataDir)
}

async function openMigrated(paths: Paths) {
  const registry = await openSequencer({ dataDir: paths.dir, clock: testClock(at) })
  cleanUp(() => registry.close())
  return registry
}

async function listRows(file: string) {
  const db = await Database.open(file, { readOnly: true })
  const rows = await readRows(db)
  db.close()
  return rows
}

/** Has an index say that it is of this format. */
async function claimFormat(file: string, format: number): Promise<void> {
  const db = await Database.open(file)
  await db.run('update meta set format = $format', { format })
  db.close()
}

/** Has a record say that it is of this format. */
function claimRecordFormat(file: string, format: number): void {
  const db = Sqlite.open(file)
  db.exec(`pragma user_version = ${format}`)
  db.emptyLog()
  db.close()
}

function hashFiles(paths: Paths): Record<string, string> {
  const files = readdirSync(paths.dir, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => `${entry.parentPath}/${entry.name}`)
  return Object.fromEntries(
    files.sort().map(file => [file, createHash('sha256').update(readFileSync(file)).digest('hex')]),
  )
}

function runCommand(paths: Paths, ...args: string[]) {
  const env = { PATH: process.env.PATH, DATA_DIR: paths.dir, LOG_LEVEL: 'error' }
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [findProgram('scripts/registry.ts'), ...args],
    { env, encoding: 'utf8' },
  )
  return { status, stdout, stderr }
}

describe('a registry with older formats', () => {
  const mixes = listStoredFormats('index').flatMap(index =>
    listStoredFormats('accounts').map(accounts => ({ index, accounts })),
  )

  test.each(mixes)('continues where it was: index $index, accounts $accounts', async formats => {
    const paths = await createOldStores(formats)
    const registry = await openMigrated(paths)
    // Format 1 had no records of what members saved of a domain without a file, and later ones had some
    // without identifiers: a commit makes them.
    const rows = await registry.index.all(
      `select event_type from events where seq > 2 and actor = 'registry:save'`,
    )
    const made = formats.index === 1 ? 'property.created' : 'property.updated'
    expect(rows).toEqual([{ event_type: made }])
    expect(registry.seq).toBe(3)
    expect(await verify(registry)).toEqual([])
    await registry.commit(buildNextBatch(Date.parse(at)))
    await registry.commit({
      observations: [],
      submissions: [buildBrandSave('Acme', 'told.example', 'Told a third time')],
    })
    await registry.publish()
    expect(await verify(registry)).toEqual([])
  })

  test('shows no snapshot from before, and publishes a new one when it opens', async () => {
    const paths = await createOldStores()
    mkdirSync(paths.snapshots)
    const old = paths.snapshotFile(7)
    cpSync(paths.index, old)
    advance(paths, { seq: 2, snapshot: basename(old), last_event_id: null, sha256: '' })
    const reader = new Reader(paths.dir, testClock(at))
    cleanUp(() => reader.close())
    await reader.refresh()
    expect(reader.snapshot).toBeUndefined()

    await openMigrated(paths)
    expect(readCheckpoint(paths)?.snapshot).toBe('000008.duckdb')
    await reader.refresh()
    expect(reader.snapshot?.seq).toBe(3)
    expect(reader.search?.seq).toBe(3)
  })
})

/** Names the organization in a process that is killed: its name is in the log alone. */
function renameAndDie(accounts: string): void {
  const program = `
    import { Database } from '${findProgram('pipeline/store/duckdb.ts')}'
    const db = await Database.open(process.argv.at(-1))
    await db.run("update organizations set name = 'Told to the log'")
    process.kill(process.pid, 'SIGKILL')`
  const args = ['--input-type=module', '-e', program, accounts]
  spawnSync(process.execPath, args)
  expect(existsSync(`${accounts}.wal`)).toBe(true)
}

/** Reads the rows of a record as DuckDB shows those that it was made of, each value as text. */
function readRecord({ record }: Paths): Record<string, Record<string, string | null>[]> {
  const db = Sqlite.open(record, { readOnly: true })
  const toText = (value: unknown) =>
    value === null ? null : typeof value === 'object' ? JSON.stringify(value) : String(value)
  const tables = listTables('accounts').map(name => {
    const rows = db.all<object>(`select * from ${name} order by rowid`)
    const texts = rows.map(row =>
      Object.fromEntries(Object.entries(row).map(([column, value]) => [column, toText(value)])),
    )
    return [name, texts] as const
  })
  db.close()
  return Object.fromEntries(tables)
}

/** Converts a value that DuckDB shows to the text that the record shows. */
function convertText(value: string | null): string | null {
  if (value === null) return null
  if (/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?\+00$/.test(value))
    return new Date(value).toISOString()
  if (/^[[{]/.test(value) && !value.startsWith('[]')) {
    const json = /^\[[\w.-]/.test(value) && !/^\[["{\d]/.test(value)
    return json ? JSON.stringify(value.slice(1, -1).split(', ')) : JSON.stringify(JSON.parse(value))
  }
  return value
}

describe.each(listStoredFormats('accounts'))('private rows of format %i', accounts => {
  test('are all in the record, and unchanged', async () => {
    const paths = await createOldStores({ index: 1, accounts })
    const { meta: _, ...before } = await listRows(paths.oldAccounts)
    await (await openSequencer({ dataDir: paths.dir, clock: testClock(at) })).close()
    const after = readRecord(paths)
    expect(Object.values(before).flat().length).toBeGreaterThan(10)
    for (const [table, rows] of Object.entries(before)) {
      const converted = rows.map(row =>
        Object.fromEntries(Object.entries(row).map(([name, value]) => [name, convertText(value)])),
      )
      expect(after[table], table).toHaveLength(rows.length)
      expect(after[table], table).toEqual(expect.arrayContaining(converted))
    }
  })
})

describe('the old file of the private rows', () => {
  test('is kept when they are converted, as it was, and private', async () => {
    const paths = await createOldStores()
    const before = await listRows(paths.oldAccounts)
    await openMigrated(paths)
    expect(existsSync(paths.oldAccounts)).toBe(false)
    const [name, ...more] = readdirSync(paths.accountsBackups)
    expect(more).toEqual([])
    expect(name).toMatch(/^\d{4}-\d\d-\d\dT[\d-]+Z-accounts\.duckdb$/)
    expect(statSync(`${paths.accountsBackups}/${name}`).mode & 0o777).toBe(0o600)
    expect(statSync(paths.accountsBackups).mode & 0o777).toBe(0o700)
    expect(statSync(paths.record).mode & 0o777).toBe(0o600)
    expect(await listRows(`${paths.accountsBackups}/${name}`)).toEqual(before)
  })

  test('includes what only the log of a killed writer held, and so does the record', async () => {
    const paths = await createOldStores()
    renameAndDie(paths.oldAccounts)
    await (await openSequencer({ dataDir: paths.dir, clock: testClock(at) })).close()
    const [name] = readdirSync(paths.accountsBackups)
    const { organizations } = await listRows(`${paths.accountsBackups}/${name}`)
    expect(organizations).toMatchObject([{ name: 'Told to the log' }])
    expect(readRecord(paths).organizations).toMatchObject([{ name: 'Told to the log' }])
  })

  test('is one of three that are kept', async () => {
    const paths = await createOldStores()
    const before = `${paths.oldAccounts}.before`
    cpSync(paths.oldAccounts, before)
    const names: string[] = []
    for (let time = 0; time < 4; time++) {
      cpSync(before, paths.oldAccounts)
      await (await openSequencer({ dataDir: paths.dir, clock: testClock(at) })).close()
      names.push(readdirSync(paths.accountsBackups).sort().at(-1)!)
    }
    expect(readdirSync(paths.accountsBackups).sort()).toEqual(names.slice(1))
  })

  test('is not there where nothing was to be converted', async () => {
    const registry = await openSequencer({ dataDir: createDataDir(), clock: testClock(at) })
    cleanUp(() => registry.close())
    expect(existsSync(registry.paths.accountsBackups)).toBe(false)
  })

  test('is deleted when a domain is taken down', async () => {
    const paths = await createOldStores()
    const registry = await openMigrated(paths)
    const operation = { op: 'domain.takedown', domain: 'told.example' } as never
    await registry.commit({
      observations: [],
      submissions: [{ submission_id: 'takedown', operation }],
    })
    await registry.publish()
    expect(existsSync(paths.accountsBackups)).toBe(false)
  })
})

describe('a kill during the conversion', () => {
  test.each(['insert', 'renameSync', 'rmSync'])('at %s starts again', async moment => {
    const paths = await createOldStores()
    const { organizations, submissions } = await listRows(paths.oldAccounts)
    const states = new Set<boolean>()
    for (let time = 1; ; time++) {
      const program = `
        import fs from 'node:fs'
        import { syncBuiltinESMExports } from 'node:module'
        const [dir, moment, times] = process.argv.slice(-3)
        let done = 0
        const dieAt = (owner, name) => {
          const real = owner[name]
          owner[name] = function (...given) {
            if (++done === Number(times)) process.kill(process.pid, 'SIGKILL')
            return real.apply(this, given)
          }
        }
        if (moment !== 'insert') dieAt(fs, moment)
        syncBuiltinESMExports()
        const { Sqlite } = await import('${findProgram('pipeline/store/sqlite.ts')}')
        if (moment === 'insert') dieAt(Sqlite.prototype, moment)
        const { openRecord } = await import('${findProgram('pipeline/store/record.ts')}')
        const { resolvePaths, makeFolders } = await import('${findProgram('pipeline/store/paths.ts')}')
        makeFolders(resolvePaths(dir))
        const record = await openRecord(resolvePaths(dir))
        record.close()`
      const args = ['--input-type=module', '-e', program, paths.dir, moment, String(time)]
      const { signal, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
      states.add(existsSync(paths.record))
      if (signal === null) {
        expect(stderr).toBe('')
        break
      }
      // Either the old file is there, or the whole record.
      expect(existsSync(paths.oldAccounts) || existsSync(paths.record)).toBe(true)
    }
    expect(states).toContain(true)
    const record = await openRecord(paths)
    cleanUp(() => record.close())
    expect(record.all('select name from organizations')).toEqual(
      organizations!.map(({ name }) => ({ name })),
    )
    expect(record.all('select 1 from submissions')).toHaveLength(submissions!.length)
    expect(readdirSync(paths.accountsBackups)).toHaveLength(1)
    expect(existsSync(paths.oldAccounts)).toBe(false)
  })
})

describe('stores of a newer version', () => {
  test('are refused with advice, and nothing is changed: the index', async () => {
    const paths = await createOldStores()
    await claimFormat(paths.index, 99)
    const before = [await listRows(paths.index), await listRows(paths.oldAccounts)]
    await expect(openSequencer({ dataDir: paths.dir })).rejects.toThrow(
      new RegExp(
        `index.duckdb has format 99 .* up to ${findNewestFormat()}. .*registry restore DIR --force`,
      ),
    )
    expect([await listRows(paths.index), await listRows(paths.oldAccounts)]).toEqual(before)
    expect(existsSync(paths.accountsBackups)).toBe(false)
    expect(existsSync(paths.record)).toBe(false)
    await expect(planMigrations(paths)).rejects.toThrow('has format 99')
  })

  test('are refused with advice, and nothing is changed: accounts and record', async () => {
    const paths = await createOldStores({ index: 1, accounts: 2 })
    await claimFormat(paths.oldAccounts, 99)
    const advice = /has format 99 .*registry restore DIR --force/
    await expect(openSequencer({ dataDir: paths.dir })).rejects.toThrow(advice)
    await expect(planMigrations(paths)).rejects.toThrow(advice)
    expect(existsSync(paths.record)).toBe(false)
    await claimFormat(paths.oldAccounts, 2)
    await (await openMigrated(paths)).close()
    claimRecordFormat(paths.record, 99)
    const before = hashFiles(paths)[paths.record]
    await expect(openSequencer({ dataDir: paths.dir })).rejects.toThrow(advice)
    await expect(planMigrations(paths)).rejects.toThrow(advice)
    expect(hashFiles(paths)[paths.record]).toBe(before)
  })

  test.each(['index.duckdb', 'record.sqlite'])('are not restored: %s', async name => {
    const paths = await createOldStores()
    const registry = await openMigrated(paths)
    const backup = `${createDataDir()}/backup`
    await registry.backUp(backup)
    await registry.close()
    if (name === 'index.duckdb') await claimFormat(`${backup}/${name}`, 99)
    else claimRecordFormat(`${backup}/${name}`, 99)
    const file = `${backup}/manifest.json`
    const manifest = JSON.parse(readFileSync(file, 'utf8'))
    const listed = manifest.files.find((file: { name: string }) => file.name === name)
    const bytes = readFileSync(`${backup}/${name}`)
    listed.sha256 = createHash('sha256').update(bytes).digest('hex')
    writeFileSync(file, JSON.stringify(manifest))
    await expect(restore(paths.dir, backup, { force: true })).rejects.toThrow('has format 99')
    expect((await openMigrated(paths)).seq).toBe(3)
  })
})

test('a backup of a version that kept private rows in DuckDB is restored and converted', async () => {
  const old = await createOldStores()
  const backup = `${createDataDir()}/backup`
  mkdirSync(backup)
  const files = ['index.duckdb', 'accounts.duckdb'].map(name => {
    const from = name === 'index.duckdb' ? old.index : old.oldAccounts
    cpSync(from, `${backup}/${name}`)
    const bytes = readFileSync(from)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    return { name, bytes: bytes.length, sha256 }
  })
  const manifest = { format: 1, seq: 2, made_at: '2026-11-21T12:00:00.000Z', files }
  writeFileSync(`${backup}/manifest.json`, JSON.stringify(manifest))
  const dataDir = createDataDir()
  const before = await openSequencer({ dataDir, clock: testClock(at) })
  await before.close()
  await restore(dataDir, backup, { force: true })
  const registry = await openSequencer({ dataDir, clock: testClock(at) })
  cleanUp(() => registry.close())
  expect(registry.accounts.db.all('select name from organizations')).toHaveLength(1)
  expect(await verify(registry)).toEqual([])
})

describe('registry migrate', () => {
  test('prints the plan without changes, then carries it out', async () => {
    const paths = await createOldStores()
    const before = hashFiles(paths)
    const steps = [
      'the conversion of accounts/accounts.duckdb to record/record.sqlite',
      'index/002-property-sets.sql',
      'index/003-row-versions.sql',
      'index/004-internal-schema.sql',
      'index/005-alias-versions.sql',
      'index/006-brand-promotion.sql',
      'index/007-house-claims.sql',
    ]
    expect(runCommand(paths, 'migrate', '--dry-run')).toMatchObject({
      status: 0,
      stdout: steps.map(step => `would run ${step}\n`).join(''),
    })
    expect(hashFiles(paths)).toEqual(before)
    expect(runCommand(paths, 'migrate')).toMatchObject({
      status: 0,
      stdout: steps.map(step => `ran ${step}\n`).join(''),
    })
    expect(runCommand(paths, 'migrate')).toMatchObject({
      status: 0,
      stdout: 'nothing to migrate\n',
    })
    expect(await verify(await openMigrated(paths))).toEqual([])
  })

  test('plans beside the log of a killed writer without touching it', async () => {
    const paths = await createOldStores()
    renameAndDie(paths.oldAccounts)
    const before = hashFiles(paths)
    expect(await planMigrations(paths)).toHaveLength(7)
    expect(hashFiles(paths)).toEqual(before)
  })

  test('needs the registry to be stopped', async () => {
    const paths = await createOldStores()
    await openMigrated(paths)
    const { status, stderr } = runCommand(paths, 'migrate', '--dry-run')
    expect(status).toBe(1)
    expect(stderr).toMatch(/another process has .* open/)
  })
})
