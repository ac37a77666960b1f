import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { restore } from '../../../pipeline/maintenance/restore.ts'
import { verify } from '../../../pipeline/maintenance/verify-stores.ts'
import { Reader } from '../../../pipeline/read/reader.ts'
import { advance } from '../../../pipeline/store/checkpoint.ts'
import { Database } from '../../../pipeline/store/columnar/duckdb.ts'
import { makeFolders, type Paths, resolvePaths } from '../../../pipeline/store/paths.ts'
import { buildNextBatch } from '../../support/fixtures/batches.ts'
import { buildBrandSave, buildSubmission } from '../../support/fixtures/submissions.ts'
import { findProgram } from '../../support/processes/programs.ts'
import {
  cleanUp,
  createDataDir,
  makeDataDir,
  openSequencer,
} from '../../support/registry/registry.ts'
import { hashStores, writeStores } from '../../support/registry/stored-formats.ts'
import { testClock } from '../../support/worlds/clock.ts'

// Stores are made, opened and published many times over.
vi.setConfig({ testTimeout: 60_000 })

const at = '2026-11-21T12:00Z'
const made = makeDataDir()
beforeAll(() => writeStores(made.dir))
afterAll(() => made.remove())

/** Creates a folder with an index beside its record, as the version before left them. */
function createOldStores(): Paths {
  const paths = resolvePaths(createDataDir())
  cpSync(made.dir, paths.dir, { recursive: true })
  makeFolders(paths)
  return paths
}

async function open(paths: Paths) {
  const registry = await openSequencer({ dataDir: paths.dir, clock: testClock(at) })
  cleanUp(() => registry.close())
  return registry
}

function runCommand(paths: Paths, ...args: string[]) {
  const env = { PATH: process.env.PATH, DATA_DIR: paths.dir, LOG_LEVEL: 'error' }
  const program = findProgram('scripts/registry.ts')
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    env,
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

describe('a registry whose index is in a file of its own', () => {
  test('continues where it was', async () => {
    const paths = createOldStores()
    const registry = await open(paths)
    expect(registry.accounts.db.all('select name from organizations')).toEqual([{ name: 'Acme' }])
    // Records of what members saved of a domain without a file had no identifiers: a commit adds them.
    const rows = await registry.index.all(
      `select event_type from events where seq > 2 and actor = 'registry:save'`,
    )
    expect(rows).toEqual([{ event_type: 'property.updated' }])
    expect(registry.seq).toBe(3)
    expect(await verify(registry)).toEqual([])
    await registry.commit(buildNextBatch(Date.parse(at)))
    const third = buildBrandSave('Acme', 'told.example', 'Told a third time')
    await registry.commit({ observations: [], submissions: [third] })
    await registry.publish()
    expect(await verify(registry)).toEqual([])
  })

  test('loses both files as they were with the first takedown', async () => {
    const paths = createOldStores()
    const registry = await open(paths)
    expect(existsSync(`${paths.old}/index.duckdb`)).toBe(true)
    const takedown = { op: 'domain.takedown', domain: 'told.example' } as never
    await registry.commit({ observations: [], submissions: [buildSubmission('down', takedown)] })
    await registry.publish()
    expect(existsSync(paths.old)).toBe(false)
  })

  test('is migrated by a command as well, which says so before', async () => {
    const paths = createOldStores()
    const before = hashStores(paths)
    expect(runCommand(paths, 'migrate', '--dry-run')).toMatchObject({
      status: 0,
      stdout: 'This would import index.duckdb into record/record.sqlite.\n',
    })
    expect(hashStores(paths)).toEqual(before)
    const { status, stderr } = runCommand(paths, 'status')
    expect([status, stderr]).toEqual([1, expect.stringContaining('registry migrate')])
    expect(runCommand(paths, 'migrate').stdout).toBe(
      'Imported index.duckdb into record/record.sqlite.\n',
    )
    expect(runCommand(paths, 'migrate').stdout).toBe('There is nothing to migrate.\n')
    expect(await verify(await open(paths))).toEqual([])
  })
})

test('a backup with an index of its own is restored', async () => {
  const old = createOldStores()
  const backup = `${createDataDir()}/backup`
  mkdirSync(backup)
  const files = [old.oldIndex, old.record].map(file => {
    copyFileSync(file, `${backup}/${basename(file)}`)
    const bytes = readFileSync(file)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    return { name: basename(file), bytes: bytes.length, sha256 }
  })
  const manifest = { format: 1, seq: 2, made_at: '2026-11-20T03:00:00Z', files }
  writeFileSync(`${backup}/manifest.json`, JSON.stringify(manifest))
  const dataDir = createDataDir()
  expect(await restore(dataDir, backup, {})).toMatchObject({ seq: 2 })
  const registry = await open(resolvePaths(dataDir))
  expect(await registry.index.one('select count(*) as events from events where seq <= 2')).toEqual({
    events: 36,
  })
  expect(await verify(registry)).toEqual([])
})

test('a snapshot of another format is not shown', async () => {
  const paths = createOldStores()
  mkdirSync(paths.snapshots)
  const file = paths.snapshotFile(7)
  copyFileSync(paths.oldIndex, file)
  const db = await Database.open(file)
  await db.run('update internal.meta set format = 6')
  db.close()
  advance(paths, { seq: 2, snapshot: basename(file), last_event_id: null, sha256: '' })
  const reader = new Reader(paths.dir, testClock(at))
  cleanUp(() => reader.close())
  await reader.refresh()
  expect(reader.snapshot).toBeUndefined()
})
