import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  copyBackup,
  findNewestBackup,
  nameBackup,
  removeOldBackups,
  storeBackup,
} from '../../../../jobs/fleet/backups.ts'
import { type BackupStore, openBackupStore } from '../../../../pipeline/replica/backup-store.ts'
import { MANIFEST } from '../../../../pipeline/writer/copy-stores.ts'
import { createDataDir, openTestSequencer } from '../../../support/registry/registry.ts'
import { startObjectStorage } from '../../../support/servers/s3-server.ts'
import { testClock } from '../../../support/worlds/clock.ts'

const places = [
  { place: 'a folder', open: async () => join(createDataDir(), 'shared') },
  {
    place: 'a bucket',
    open: async () => {
      await startObjectStorage()
      return 's3://registry/private/of-one'
    },
  },
]

const openStore = (address: string) => openBackupStore(address, new AbortController().signal)

/** Makes a backup of an empty registry in a folder. */
async function makeBackup(): Promise<string> {
  const sequencer = await openTestSequencer(testClock('2026-11-20T03:00Z'))
  const dir = join(createDataDir(), 'backup')
  await sequencer.backUp(dir)
  return dir
}

const listBackups = async (store: BackupStore) =>
  [...new Set((await store.list('backups/')).map(name => name.split('/')[1]))].sort()

describe.each(places)('backups in $place', ({ open }) => {
  test('come back as they were', async () => {
    const store = openStore(await open())
    const dir = await makeBackup()
    await storeBackup(store, dir, nameBackup(1, 5, 1_000))
    const { name, fence, seq } = (await findNewestBackup(store))!
    expect({ fence, seq }).toEqual({ fence: 1, seq: 5 })
    const copy = join(createDataDir(), 'standby', name)
    await copyBackup(store, name, copy)
    for (const file of readdirSync(dir).filter(file => file.includes('.')))
      expect(readFileSync(join(copy, file)).equals(readFileSync(join(dir, file))), file).toBe(true)
  })

  test('the one of the later writer is newer, even if it has fewer commits', async () => {
    const store = openStore(await open())
    for (const name of [nameBackup(2, 7, 3_000), nameBackup(1, 900, 9_000), nameBackup(2, 6, 1)])
      await store.write(`backups/${name}/${MANIFEST}`, Buffer.from('{}'))
    expect(await findNewestBackup(store)).toMatchObject({ fence: 2, seq: 7 })
  })

  test('one that was uploaded half is none, and the next one removes it', async () => {
    const store = openStore(await open())
    const [old, whole, half, next] = [4, 5, 6, 7].map(seq => nameBackup(1, seq, seq))
    for (const name of [old!, whole!])
      await store.write(`backups/${name}/${MANIFEST}`, Buffer.from('{}'))
    await store.write(`backups/${half}/record.sqlite`, Buffer.from('a part'))
    expect((await findNewestBackup(store))!.name).toBe(whole)
    await store.write(`backups/${next}/${MANIFEST}`, Buffer.from('{}'))
    await removeOldBackups(store, next!, 1)
    expect(await listBackups(store)).toEqual([whole, next])
  })

  test('a folder with another name beside them is none, and stays', async () => {
    const store = openStore(await open())
    const [old, next] = [4, 5].map(seq => nameBackup(2, seq, seq))
    const names = [old!, next!, '000001-mine', '2026-11-20']
    for (const name of names) await store.write(`backups/${name}/${MANIFEST}`, Buffer.from('{}'))
    expect(await findNewestBackup(store)).toMatchObject({ name: next })
    await removeOldBackups(store, next!, 0)
    expect(await listBackups(store)).toEqual(['000001-mine', next, '2026-11-20'])
  })

  test('after a take-down none but the newest stays', async () => {
    const store = openStore(await open())
    const names = [4, 5, 6].map(seq => nameBackup(1, seq, seq))
    for (const name of names) {
      await store.write(`backups/${name}/record.sqlite`, Buffer.from('private'))
      await store.write(`backups/${name}/${MANIFEST}`, Buffer.from('{}'))
    }
    await removeOldBackups(store, names[2]!, 0)
    expect(await listBackups(store)).toEqual([names[2]])
  })

  test('one that was damaged there is not put in place', async () => {
    const store = openStore(await open())
    const dir = await makeBackup()
    await storeBackup(store, dir, 'damaged')
    const bytes = readFileSync(join(dir, 'record.sqlite'))
    bytes[bytes.length >> 1]! ^= 1
    await store.write('backups/damaged/record.sqlite', bytes)
    const copy = join(createDataDir(), 'standby', 'damaged')
    await expect(copyBackup(store, 'damaged', copy)).rejects.toThrow('SHA-256')
    expect(existsSync(copy)).toBe(false)
  })
})

test('a folder is left without what interrupted copies and removed backups had there', async () => {
  const root = join(createDataDir(), 'shared')
  const store = openStore(root)
  const [half, next] = [nameBackup(1, 6, 6), nameBackup(1, 7, 7)]
  const leftover = join(root, 'backups', half, 'record.sqlite.new')
  mkdirSync(dirname(leftover), { recursive: true })
  writeFileSync(leftover, 'a part')
  await store.write(`backups/${next}/${MANIFEST}`, Buffer.from('{}'))
  await removeOldBackups(store, next, 1)
  expect(readdirSync(join(root, 'backups'))).toEqual([next])
})
