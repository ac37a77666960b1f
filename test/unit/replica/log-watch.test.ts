import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { LogWatch } from '../../../pipeline/replica/log-watch.ts'
import { openFolderOrigin } from '../../../pipeline/replica/origin.ts'
import { resolvePaths } from '../../../pipeline/store/paths.ts'
import { LogFolder } from '../../../pipeline/transparency/log-folder.ts'
import { createSigner, openLogWorld } from '../../support/registry/tree-logs.ts'

const signer = createSigner()

/** Publishes the log of a registry after each commit, always under one key. */
async function publishLog(...commits: number[]) {
  const world = openLogWorld({ signer, copies: true })
  onTestFinished(world.close)
  const log = world.open()
  const read = async () => ({ log: (await new LogFolder(world.copy).readText('checkpoint'))! })
  const commit = async (count: number) => {
    world.commit(count)
    await log.update()
    return read()
  }
  for (const count of commits) await commit(count)
  return { folder: join(world.copy, '..'), commit, read }
}

function openWatch(folder: string, dir = mkdtempSync(join(tmpdir(), 'replica-'))) {
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return { watch: new LogWatch(openFolderOrigin(folder), resolvePaths(dir)), dir }
}

test('a log that only grows is followed, also after a restart', async () => {
  const origin = await publishLog(3)
  const { watch, dir } = openWatch(origin.folder)
  await watch.check(await origin.read())
  await watch.check(await origin.commit(1))
  await openWatch(origin.folder, dir).watch.check(await origin.commit(700))
})

test('a registry that signs another history under the same key is refused, also after a restart', async () => {
  const honest = await publishLog(5)
  const { watch, dir } = openWatch(honest.folder)
  await watch.check(await honest.read())
  for (const [rewritten, why] of [
    [await publishLog(9), 'the first 5 events of the log are not those that were signed before'],
    [await publishLog(5), 'the first 5 events of the log are not those that were signed before'],
    [await publishLog(2), 'the log had 5 events, and now it has 2: some were taken out of it'],
  ] as const) {
    const { watch } = openWatch(rewritten.folder, dir)
    await expect(watch.check(await rewritten.read())).rejects.toThrow(
      `is not followed, for its history may be rewritten: ${why}`,
    )
  }
  await openWatch(honest.folder, dir).watch.check(await honest.commit(1))
})

test('a log that ends, or is signed by another key, is refused', async () => {
  const origin = await publishLog(5)
  const { watch } = openWatch(origin.folder)
  await watch.check({})
  await watch.check(await origin.read())
  await expect(watch.check({})).rejects.toThrow('it publishes no log any more')
  const other = openLogWorld()
  onTestFinished(other.close)
  other.commit(6)
  await other.open().update()
  const log = (await new LogFolder(other.paths.log).readText('checkpoint'))!
  await expect(watch.check({ log })).rejects.toThrow('has not signed it')
})
