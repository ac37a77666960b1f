import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import {
  type Prepared,
  prepareStores,
  putPreparedInPlace,
} from '../../../pipeline/maintenance/prepared-restore.ts'
import { restore } from '../../../pipeline/maintenance/restore.ts'
import { verify } from '../../../pipeline/maintenance/verify-stores.ts'
import type { Sequencer } from '../../../pipeline/writer/sequencer.ts'
import { readFeeds } from '../../support/checks/feed.ts'
import { buildBaseBatch, buildNextBatch } from '../../support/fixtures/batches.ts'
import { cleanUp, createDataDir, openSequencer } from '../../support/registry/registry.ts'
import { createSigner } from '../../support/registry/tree-logs.ts'
import { testClock } from '../../support/worlds/clock.ts'

// Stores are opened, copied and made again several times.
vi.setConfig({ testTimeout: 60_000 })

const clock = testClock('2026-11-20T03:00Z')
const lastNumbers = { seq: 500, lastEventId: '01a9f000-0000-7000-8000-000000000000' }

/** Builds settings that name the key of the log. */
function createSettings(): Record<string, string> {
  const { key, origin } = createSigner()
  const file = join(createDataDir(), 'key.jwk')
  const jwk = { ...key.export({ format: 'jwk' }), kid: 'log', alg: 'EdDSA' }
  writeFileSync(file, JSON.stringify(jwk), { mode: 0o600 })
  return { LOG_SIGNING_KEY: file, LOG_ORIGIN: origin }
}

/** Backs up a registry of one night, which commits another one then, and prepares the backup. */
async function prepareBackup() {
  const settings = createSettings()
  const dataDir = createDataDir()
  const registry = await openSequencer({ dataDir, clock, settings })
  await registry.commit(buildBaseBatch(clock.now()))
  await registry.treeLog.update()
  const dir = createDataDir()
  const prepared: Prepared = { backup: join(dir, 'backup'), folder: join(dir, 'ready') }
  await registry.backUp(prepared.backup)
  await registry.commit(buildNextBatch(clock.tick({ days: 1 })))
  await registry.close()
  await prepareStores(prepared)
  const open = async (folder: string): Promise<Sequencer> => {
    const opened = await openSequencer({ dataDir: folder, clock, settings })
    cleanUp(() => opened.close())
    return opened
  }
  return { prepared, dataDir, open }
}

async function readShown({ index }: Sequencer) {
  const properties = await index.all('select property_rid, name from properties order by 1, 2')
  const events = await index.all('select event_id, payload from events order by event_id')
  return { properties, events }
}

describe('stores that were prepared', () => {
  test('are those of a restore of the same backup, numbered after what others have seen', async () => {
    const { prepared, open } = await prepareBackup()
    const [restored, moved] = [createDataDir(), createDataDir()]
    await restore(restored, prepared.backup, { force: true, continueAfter: lastNumbers })
    await putPreparedInPlace(moved, prepared, lastNumbers)
    const restoredRegistry = await open(restored)
    const { ino } = statSync(`${moved}/serving`)
    const movedRegistry = await open(moved)
    // Made again, it would be another folder.
    expect(statSync(`${moved}/serving`).ino).toBe(ino)
    expect(await readShown(movedRegistry)).toEqual(await readShown(restoredRegistry))
    for (const registry of [restoredRegistry, movedRegistry])
      expect({ seq: registry.seq, last: registry.lastEventId }).toEqual({
        seq: lastNumbers.seq,
        last: lastNumbers.lastEventId,
      })
    await movedRegistry.commit(buildNextBatch(clock.tick({ days: 1 })))
    await movedRegistry.publish()
    expect(await verify(movedRegistry)).toEqual([])
    const { index, files, serving } = await readFeeds(movedRegistry)
    expect(files).toEqual(index)
    expect(serving).toEqual(index)
    expect(index.at(-1)! > lastNumbers.lastEventId).toBe(true)
    const heads = [restored, moved].map(folder => readFileSync(`${folder}/accounts/log-head`))
    expect(heads[0]!.equals(heads[1]!)).toBe(true)
    expect(existsSync(prepared.folder)).toBe(false)
  })

  test('replace those of a writer that was replaced, with what was derived from them', async () => {
    const { prepared, dataDir, open } = await prepareBackup()
    await putPreparedInPlace(dataDir, prepared, lastNumbers)
    const registry = await open(dataDir)
    expect(await registry.index.all('select distinct seq from events')).toEqual([{ seq: 1 }])
    await registry.publish()
    expect(await verify(registry)).toEqual([])
  })

  test('that were moved half let no writer start, and the backup is restored instead', async () => {
    const { prepared, dataDir, open } = await prepareBackup()
    writeFileSync(`${dataDir}/restoring`, '')
    await expect(open(dataDir)).rejects.toThrow('restore was not finished')
    await restore(dataDir, prepared.backup, { force: true, continueAfter: lastNumbers })
    expect(await verify(await open(dataDir))).toEqual([])
  })

  test('are not moved while a registry runs', async () => {
    const { prepared, dataDir, open } = await prepareBackup()
    await open(dataDir)
    await expect(putPreparedInPlace(dataDir, prepared, lastNumbers)).rejects.toThrow(
      'stop it first',
    )
    expect(existsSync(prepared.folder)).toBe(true)
  })
})
