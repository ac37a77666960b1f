import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import { restore } from '../../../pipeline/maintenance/restore.ts'
import { verify } from '../../../pipeline/maintenance/verify-stores.ts'
import { Reader } from '../../../pipeline/read/reader.ts'
import { advance, readCheckpoint } from '../../../pipeline/store/checkpoint.ts'
import { Database } from '../../../pipeline/store/duckdb.ts'
import { findNewestFormat, OLDEST_FORMAT } from '../../../pipeline/store/migrations.ts'
import { type Paths, resolvePaths } from '../../../pipeline/store/paths.ts'
import { Sqlite } from '../../../pipeline/store/sqlite.ts'
import { openFacts } from '../../../pipeline/writer/healing/facts.ts'
import { buildNextBatch } from '../../support/fixtures/batches.ts'
import { buildBrandSave } from '../../support/fixtures/submissions.ts'
import { findProgram } from '../../support/processes/programs.ts'
import { cleanUp, createDataDir, openSequencer } from '../../support/registry/registry.ts'
import { writeStores } from '../../support/registry/stored-formats.ts'
import { testClock } from '../../support/worlds/clock.ts'

const at = '2026-11-21T12:00Z'

/** Creates a folder with the stores of the oldest formats that are opened, closed. */
async function createOldStores(): Promise<Paths> {
  const dataDir = createDataDir()
  await writeStores(dataDir)
  return resolvePaths(dataDir)
}

async function openMigrated(paths: Paths) {
  const registry = await openSequencer({ dataDir: paths.dir, clock: testClock(at) })
  cleanUp(() => registry.close())
  return registry
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

function hashStores({ index, record }: Paths): string[] {
  return [index, record].map(file => createHash('sha256').update(readFileSync(file)).digest('hex'))
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

describe('a registry with stores of the oldest formats', () => {
  test('continues where it was', async () => {
    const paths = await createOldStores()
    const registry = await openMigrated(paths)
    expect(registry.accounts.db.all('select name from organizations')).toEqual([{ name: 'Acme' }])
    // Records of what members saved of a domain without a file had no identifiers: a commit adds them.
    const rows = await registry.index.all(
      `select event_type from events where seq > 2 and actor = 'registry:save'`,
    )
    expect(rows).toEqual([{ event_type: 'property.updated' }])
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

  test('shows no snapshot of another format', async () => {
    const paths = await createOldStores()
    mkdirSync(paths.snapshots)
    const old = paths.snapshotFile(7)
    cpSync(paths.index, old)
    await claimFormat(old, OLDEST_FORMAT - 1)
    advance(paths, { seq: 2, snapshot: basename(old), last_event_id: null, sha256: '' })
    const reader = new Reader(paths.dir, testClock(at))
    cleanUp(() => reader.close())
    await reader.refresh()
    expect(reader.snapshot).toBeUndefined()
  })

  test('loses what was derived from them in a migration, and publishes again', async () => {
    const paths = await createOldStores()
    const before = await openMigrated(paths)
    await before.publish()
    await before.close()
    expect(readCheckpoint(paths)?.seq).toBe(3)
    const folder = createDataDir()
    const format = findNewestFormat() + 1
    writeFileSync(`${folder}/${format}-nothing.sql`, 'select 1')
    const { index, accounts } = await openFacts(paths, undefined, folder)
    await index.run('update meta set format = $format', { format: format - 1 })
    index.close()
    accounts.close()
    for (const file of [paths.checkpoint, paths.searchCheckpoint, paths.servingFile]) {
      expect(existsSync(file), file).toBe(false)
    }
    expect(await verify(await openMigrated(paths))).toEqual([])
    expect(readCheckpoint(paths)?.seq).toBe(3)
  })
})

describe('stores that this version cannot read are refused with advice, and nothing is changed', () => {
  test.each([
    [99, `up to ${findNewestFormat()}. .*registry restore DIR --force`],
    [OLDEST_FORMAT - 1, 'Start commit \\w+ of the registry on this folder once'],
  ])('an index of format %i', async (format, advice) => {
    const paths = await createOldStores()
    await claimFormat(paths.index, format)
    const before = hashStores(paths)
    await expect(openSequencer({ dataDir: paths.dir })).rejects.toThrow(
      new RegExp(`index.duckdb has format ${format}.* ${advice}`),
    )
    expect(hashStores(paths)).toEqual(before)
  })

  test('a record of a newer one', async () => {
    const paths = await createOldStores()
    claimRecordFormat(paths.record, 99)
    const before = hashStores(paths)
    await expect(openSequencer({ dataDir: paths.dir })).rejects.toThrow(
      /has format 99 .*registry restore DIR --force/,
    )
    expect(hashStores(paths)).toEqual(before)
  })

  test('private rows as they were kept before the record', async () => {
    const paths = await createOldStores()
    rmSync(paths.record)
    mkdirSync(dirname(paths.oldAccounts), { recursive: true })
    writeFileSync(paths.oldAccounts, '')
    const refusal = /record\/record\.sqlite is missing or empty/
    await expect(openSequencer({ dataDir: paths.dir })).rejects.toThrow(refusal)
    rmSync(paths.index)
    await expect(openSequencer({ dataDir: paths.dir })).rejects.toThrow('index.duckdb is missing')
  })

  test.each(['index.duckdb', 'record.sqlite'])(
    'a backup with one is not restored: %s',
    async name => {
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
    },
  )
})

test('a takedown deletes private rows that earlier versions left', async () => {
  const paths = await createOldStores()
  mkdirSync(paths.oldAccountsCopies, { recursive: true })
  writeFileSync(paths.oldAccounts, '')
  const registry = await openMigrated(paths)
  const operation = { op: 'domain.takedown', domain: 'told.example' } as never
  await registry.commit({
    observations: [],
    submissions: [{ submission_id: 'takedown', operation }],
  })
  await registry.publish()
  expect(existsSync(paths.oldAccountsCopies)).toBe(false)
  expect(existsSync(paths.oldAccounts)).toBe(false)
})

describe('registry migrate', () => {
  test('says that nothing is to be done, and changes nothing', async () => {
    const paths = await createOldStores()
    const before = hashStores(paths)
    for (const args of [['migrate', '--dry-run'], ['migrate']]) {
      expect(runCommand(paths, ...args)).toMatchObject({
        status: 0,
        stdout: 'nothing to migrate\n',
      })
    }
    expect(hashStores(paths)).toEqual(before)
  })

  test.each(['index', 'record'] as const)(
    'names the format that it cannot read: %s',
    async store => {
      const paths = await createOldStores()
      if (store === 'index') await claimFormat(paths.index, OLDEST_FORMAT - 1)
      else claimRecordFormat(paths.record, 99)
      const { status, stderr } = runCommand(paths, 'migrate', '--dry-run')
      expect(status).toBe(1)
      expect(stderr).toMatch(/has format (6|99)/)
    },
  )

  test('needs the registry to be stopped', async () => {
    const paths = await createOldStores()
    await openMigrated(paths)
    const { status, stderr } = runCommand(paths, 'migrate', '--dry-run')
    expect(status).toBe(1)
    expect(stderr).toMatch(/another process has .* open/)
  })
})
