import { createHash } from 'node:crypto'
import {
  closeSync,
  cpSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import { restore } from '../../../pipeline/maintenance/restore.ts'
import { verify } from '../../../pipeline/maintenance/verify-stores.ts'
import { Sqlite } from '../../../pipeline/store/sqlite.ts'
import { assertUndamagedBeside } from '../../../pipeline/store/undamaged.ts'
import { checkBackup, removeBackup } from '../../../pipeline/writer/copy-stores.ts'
import type { Sequencer } from '../../../pipeline/writer/sequencer.ts'
import { readFeeds } from '../../support/checks/feed.ts'
import { buildBaseBatch, buildNextBatch } from '../../support/fixtures/batches.ts'
import { buildOrganizationWrite } from '../../support/fixtures/submissions.ts'
import { cleanUp, createDataDir, openSequencer } from '../../support/registry/registry.ts'
import { testClock } from '../../support/worlds/clock.ts'

// Stores are opened, copied and made again many times over.
vi.setConfig({ testTimeout: 60_000 })

const clock = testClock('2026-11-20T03:00Z')

/** Makes a registry of two nights, closed, with a backup of the first. */
async function makeTwoNights() {
  const [dataDir, backups] = [createDataDir(), createDataDir()]
  const registry = await openSequencer({ dataDir, clock })
  await registry.commit(buildBaseBatch(clock.now()))
  const first = await readShown(registry)
  const manifest = await registry.backUp(`${backups}/first`)
  await registry.commit(buildNextBatch(clock.tick({ days: 1 })))
  await registry.publish()
  await registry.close()
  return { dataDir, backups, first, manifest }
}

async function readShown({ index }: Pick<Sequencer, 'index'>) {
  const properties = await index.all('select property_rid, name from properties order by 1, 2')
  const events = await index.all('select event_id, payload from events order by event_id')
  return { properties, events }
}

async function open(dataDir: string, at = clock): Promise<Sequencer> {
  const registry = await openSequencer({ dataDir, clock: at })
  cleanUp(() => registry.close())
  return registry
}

/** Writes something else over a page in the middle of a file. */
function damagePage(file: string): void {
  const descriptor = openSync(file, 'r+')
  const page = Math.floor(statSync(file).size / 2 / 4_096)
  writeSync(descriptor, Buffer.alloc(4_096, 0x5a), 0, 4_096, page * 4_096)
  closeSync(descriptor)
}

describe('a backup', () => {
  test('contains the record as of one commit, and is complete or absent', async () => {
    const { backups, manifest } = await makeTwoNights()
    expect(readdirSync(backups)).toEqual(['first'])
    expect(statSync(`${backups}/first`).mode & 0o077).toBe(0)
    expect(await checkBackup(`${backups}/first`)).toEqual(manifest)
    expect(manifest).toMatchObject({ seq: 1, files: [{ name: 'record.sqlite' }] })
    const record = Sqlite.openUnchanging(`${backups}/first/record.sqlite`)
    expect(record.one('select seq from meta')).toEqual({ seq: 1 })
    record.close()
  })

  test('shows the commit at which it began, while others follow', async () => {
    const { dataDir, backups } = await makeTwoNights()
    const registry = await open(dataDir)
    const began = registry.seq
    const backingUp = registry.backUp(`${backups}/meanwhile`)
    const added = { observations: [], submissions: [buildOrganizationWrite('Meanwhile')] }
    expect((await registry.commit(added)).seq).toBe(began + 1)
    expect((await backingUp).seq).toBe(began)
    const record = Sqlite.openUnchanging(`${backups}/meanwhile/record.sqlite`)
    cleanUp(() => record.close())
    expect(record.one('select seq from meta')).toEqual({ seq: began })
    expect(record.all(`select 1 from organizations where name = 'Meanwhile'`)).toEqual([])
    expect(record.listDamage()).toEqual([])
  })

  test('of a record with a damaged page is refused, which a start finds where the file was changed', async () => {
    const { dataDir, backups } = await makeTwoNights()
    const file = `${dataDir}/record/record.sqlite`
    const registry = await openSequencer({ dataDir, clock })
    damagePage(file)
    await expect(registry.backUp(`${backups}/damaged`)).rejects.toThrow(
      /^the record is damaged \(.+\): restore an earlier backup$/,
    )
    expect(readdirSync(backups), 'no copy of private rows stays').toEqual(['first'])
    await registry.close()
    utimesSync(file, new Date(), new Date())
    await expect(openSequencer({ dataDir, clock })).rejects.toThrow(
      /^record\/record\.sqlite cannot be read \(.+\): replace it .*registry restore DIR.*$/,
    )
    for (const [check, sentence] of [
      ['undamaged', 'the record is damaged'],
      ['readable', /./],
    ] as const) {
      await expect(assertUndamagedBeside(file, check, 0)).rejects.toThrow(sentence)
      await assertUndamagedBeside(`${backups}/first/record.sqlite`, check, 0)
    }
  })

  test('does not overwrite another one', async () => {
    const { dataDir, backups } = await makeTwoNights()
    const registry = await open(dataDir)
    await expect(registry.backUp(`${backups}/first`)).rejects.toThrow('already exists')
  })

  test('removes what an interrupted one left, and no other folder', async () => {
    const { dataDir, backups } = await makeTwoNights()
    const registry = await open(dataDir)
    cpSync(`${backups}/first`, `${backups}/own.partial`, { recursive: true })
    await expect(registry.backUp(`${backups}/own`)).rejects.toThrow('move it away')
    expect(await checkBackup(`${backups}/own.partial`)).toMatchObject({ seq: 1 })
    renameSync(`${backups}/own.partial/manifest.json`, `${backups}/own.partial/manifest.json.new`)
    await registry.backUp(`${backups}/own`)
    expect(readdirSync(backups).sort()).toEqual(['first', 'own'])
    renameSync(`${backups}/own`, `${backups}/again.partial`)
    removeBackup(`${backups}/again`)
    await registry.backUp(`${backups}/again`)
    expect(readdirSync(backups).sort()).toEqual(['again', 'first'])
  })

  test('is restored unchanged, with every rid and event, and all other stores are rebuilt', async () => {
    const { backups, first } = await makeTwoNights()
    const dataDir = createDataDir()
    await restore(dataDir, `${backups}/first`, {})
    const registry = await open(dataDir)
    expect(await readShown(registry)).toEqual(first)
    await registry.publish()
    expect(await verify(registry)).toEqual([])
    const { index, files, serving } = await readFeeds(registry)
    expect(files).toEqual(index)
    expect(serving).toEqual(index)
    expect(index).toHaveLength(first.events.length)
  })

  test('replaces existing stores only on request, and then all of them', async () => {
    const { dataDir, backups, first } = await makeTwoNights()
    const before = readdirSync(dataDir)
    await expect(restore(dataDir, `${backups}/first`, {})).rejects.toThrow('not empty')
    expect(readdirSync(dataDir)).toEqual(before)
    const leftOfImport = `${dataDir}/record/record.sqlite.import`
    writeFileSync(leftOfImport, 'private')
    const { seq, replaced } = await restore(dataDir, `${backups}/first`, { force: true })
    expect([seq, replaced?.last.seq]).toEqual([1, 2])
    expect(existsSync(leftOfImport)).toBe(false)
    const registry = await open(dataDir)
    expect(await readShown(registry)).toEqual(first)
    await registry.publish()
    expect(await verify(registry)).toEqual([])
  })

  test('of a demo is restored as a demo, and that of a registry as none', async () => {
    const { dataDir, backups } = await makeTwoNights()
    const marked = `${dataDir}/demo-domains.txt`
    writeFileSync(marked, '')
    const registry = await openSequencer({ dataDir, clock })
    await registry.backUp(`${backups}/demo`)
    await registry.close()
    rmSync(marked)
    await restore(dataDir, `${backups}/demo`, { force: true })
    expect(existsSync(marked)).toBe(true)
    await restore(dataDir, `${backups}/first`, { force: true })
    expect(existsSync(marked)).toBe(false)
  })

  test('is refused while a registry runs, and when a byte of it was changed', async () => {
    const { dataDir, backups } = await makeTwoNights()
    const registry = await openSequencer({ dataDir, clock })
    const force = { force: true }
    for (const how of [force, {}]) {
      await expect(restore(dataDir, `${backups}/first`, how)).rejects.toThrow('stop it first')
    }
    await registry.close()
    await expect(restore(dataDir, `${backups}/first`, {})).rejects.toThrow(
      'is not empty: restore with --force to replace it',
    )
    const file = `${backups}/first/record.sqlite`
    const bytes = readFileSync(file)
    bytes[bytes.length - 1]! ^= 1
    writeFileSync(file, bytes)
    await expect(restore(dataDir, `${backups}/first`, force)).rejects.toThrow('SHA-256 differs')
    await expect(restore(dataDir, backups, force)).rejects.toThrow('is not a backup')
    for (const manifest of ['{"format":"parquet","files":[{},{}]}', 'no JSON']) {
      writeFileSync(`${backups}/manifest.json`, manifest)
      await expect(restore(dataDir, backups, force)).rejects.toThrow(
        /^\S+ is not a backup: its manifest\.json is not one that `backup` has written$/,
      )
    }
    const again = await open(dataDir)
    expect(await verify(again)).toEqual([])
  })

  test('of a damaged record is not restored, and what is there stays', async () => {
    const { dataDir, backups } = await makeTwoNights()
    const [copy, listed] = ['record.sqlite', 'manifest.json'].map(
      name => `${backups}/first/${name}`,
    )
    const record = readFileSync(copy!)
    const half = Math.floor(record.length / 2)
    writeFileSync(copy!, record.fill(0x5a, half, half + 60_000))
    const manifest = JSON.parse(readFileSync(listed!, 'utf8'))
    manifest.files[0].sha256 = createHash('sha256').update(record).digest('hex')
    writeFileSync(listed!, JSON.stringify(manifest))
    const before = readFileSync(`${dataDir}/record/record.sqlite`)
    const restoring = restore(dataDir, `${backups}/first`, { force: true })
    await expect(restoring).rejects.toThrow(
      /^the record is damaged \(.+\): restore an earlier backup$/,
    )
    expect(readFileSync(`${dataDir}/record/record.sqlite`)).toEqual(before)
    expect(readdirSync(`${dataDir}/record`)).toEqual(['record.sqlite'])
    expect((await open(dataDir)).seq).toBe(2)
  })

  test('whose restore was interrupted lets no writer start', async () => {
    const { dataDir, backups } = await makeTwoNights()
    writeFileSync(`${dataDir}/restoring`, '{}')
    await expect(openSequencer({ dataDir, clock })).rejects.toThrow('restore was not finished')
    await restore(dataDir, `${backups}/first`, { force: true })
    expect(existsSync(`${dataDir}/restoring`)).toBe(false)
    expect(await verify(await open(dataDir))).toEqual([])
  })
})
