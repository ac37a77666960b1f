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
import { findFormat, findNewestFormat, planMigrations } from '../../../pipeline/store/migrations.ts'
import { type Paths, resolvePaths } from '../../../pipeline/store/paths.ts'
import { buildNextBatch } from '../../support/fixtures/batches.ts'
import { buildBrandSave } from '../../support/fixtures/submissions.ts'
import { findProgram } from '../../support/processes/programs.ts'
import { cleanUp, createDataDir, openSequencer } from '../../support/registry/registry.ts'
import { listStoredFormats, readRows, writeStores } from '../../support/registry/stored-formats.ts'
import { testClock } from '../../support/worlds/clock.ts'

const stores = ['index', 'accounts'] as const
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

/** Has a store say that it is of this format. */
async function claimFormat(file: string, format: number): Promise<void> {
  const db = await Database.open(file)
  if (basename(file) === 'accounts.duckdb' && (await findFormat(db)) === 1) {
    await db.run('create table meta (format integer); insert into meta values (1)')
  }
  await db.run('update meta set format = $format', { format })
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

describe('the backup of the accounts', () => {
  test('is made before the migration, holds the old data, and is private', async () => {
    const paths = await createOldStores()
    const before = await listRows(paths.accounts)
    await openMigrated(paths)
    const [name, ...more] = readdirSync(paths.accountsBackups)
    expect(more).toEqual([])
    expect(name).toMatch(/^\d{4}-\d\d-\d\dT[\d-]+Z-format-1\.duckdb$/)
    expect(statSync(`${paths.accountsBackups}/${name}`).mode & 0o777).toBe(0o600)
    expect(statSync(paths.accountsBackups).mode & 0o777).toBe(0o700)
    expect(await listRows(`${paths.accountsBackups}/${name}`)).toEqual(before)
  })

  test('includes what only the log of a killed writer held', async () => {
    const paths = await createOldStores()
    renameAndDie(paths.accounts)
    await openMigrated(paths)
    const [name] = readdirSync(paths.accountsBackups)
    const { organizations } = await listRows(`${paths.accountsBackups}/${name}`)
    expect(organizations).toMatchObject([{ name: 'Told to the log' }])
  })

  test('is one of three that are kept', async () => {
    const paths = await createOldStores()
    const before = `${paths.accounts}.before`
    cpSync(paths.accounts, before)
    const names: string[] = []
    for (let time = 0; time < 4; time++) {
      cpSync(before, paths.accounts)
      await (await openSequencer({ dataDir: paths.dir, clock: testClock(at) })).close()
      names.push(readdirSync(paths.accountsBackups).sort().at(-1)!)
    }
    expect(readdirSync(paths.accountsBackups).sort()).toEqual(names.slice(1))
  })

  test('is not made by a start without migrations', async () => {
    const paths = await createOldStores({ index: 1, accounts: findNewestFormat('accounts') })
    await openMigrated(paths)
    expect(existsSync(paths.accountsBackups)).toBe(false)
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

describe.each(stores)('%s of a newer version', store => {
  test('is refused with advice, and nothing is changed', async () => {
    const paths = await createOldStores()
    await claimFormat(paths[store], 99)
    const before = await Promise.all(stores.map(store => listRows(paths[store])))
    const newest = findNewestFormat(store)
    await expect(openSequencer({ dataDir: paths.dir })).rejects.toThrow(
      new RegExp(
        `${store}.duckdb has format 99 .* up to ${newest}. .*registry restore DIR --force`,
      ),
    )
    expect(await Promise.all(stores.map(store => listRows(paths[store])))).toEqual(before)
    expect(existsSync(paths.accountsBackups)).toBe(false)
    await expect(planMigrations(paths)).rejects.toThrow('has format 99')
  })

  test('is not restored over existing stores', async () => {
    const paths = await createOldStores()
    const registry = await openMigrated(paths)
    const backup = `${createDataDir()}/backup`
    await registry.backUp(backup)
    await registry.close()
    await claimFormat(`${backup}/${store}.duckdb`, 99)
    const file = `${backup}/manifest.json`
    const manifest = JSON.parse(readFileSync(file, 'utf8'))
    const listed = manifest.files.find((file: { name: string }) => file.name === `${store}.duckdb`)
    const bytes = readFileSync(`${backup}/${store}.duckdb`)
    listed.sha256 = createHash('sha256').update(bytes).digest('hex')
    writeFileSync(file, JSON.stringify(manifest))
    await expect(restore(paths.dir, backup, { force: true })).rejects.toThrow('has format 99')
    expect((await openMigrated(paths)).seq).toBe(3)
  })
})

describe('registry migrate', () => {
  test('prints the plan without changes, then carries it out', async () => {
    const paths = await createOldStores()
    const before = hashFiles(paths)
    const steps = [
      'accounts/002-format.sql',
      'index/002-property-sets.sql',
      'index/003-row-versions.sql',
      'index/004-internal-schema.sql',
      'index/005-alias-versions.sql',
      'index/006-brand-promotion.sql',
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
    renameAndDie(paths.accounts)
    const before = hashFiles(paths)
    expect(await planMigrations(paths)).toHaveLength(6)
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
