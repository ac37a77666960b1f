import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { LogWatch } from '../../../pipeline/replica/log-watch.ts'
import type { PublishedManifest } from '../../../pipeline/replica/manifest.ts'
import { hashManifest, signManifest } from '../../../pipeline/replica/manifest-signature.ts'
import { openFolderOrigin } from '../../../pipeline/replica/origin.ts'
import { resolvePaths } from '../../../pipeline/store/paths.ts'
import { LogFolder } from '../../../pipeline/transparency/log-folder.ts'
import {
  formatVerifierKey,
  type LogSigner,
  toVerifierKey,
} from '../../../pipeline/transparency/signed-note.ts'
import { createSigner, openLogWorld } from '../../support/registry/tree-logs.ts'

const signer = createSigner()
const key = formatVerifierKey(toVerifierKey(signer))

/** Builds the arguments of a check: a manifest that has nothing but a head, signed, and its hash. */
function buildSigned(
  log: string | undefined,
  by: LogSigner | 'nobody' = signer,
  made_at = '2026-11-20T03:00:00.000Z',
) {
  const manifest = { made_at, ...(log !== undefined && { log }) } as PublishedManifest
  const signature = by === 'nobody' ? undefined : signManifest(manifest, by)
  return [{ ...manifest, ...(signature && { signature }) }, hashManifest(manifest)] as const
}

/** Publishes the log of a registry after each commit, always under one key. */
async function publishLog(...commits: number[]) {
  const world = openLogWorld({ signer, copies: true })
  onTestFinished(world.close)
  const log = world.open()
  const read = async () => buildSigned(await new LogFolder(world.copy).readText('checkpoint'))
  const commit = async (count: number) => {
    world.commit(count)
    await log.update()
    return read()
  }
  for (const count of commits) await commit(count)
  return { folder: join(world.copy, '..'), commit, read }
}

function openWatch(
  folder: string,
  dir = mkdtempSync(join(tmpdir(), 'replica-')),
  expectedKey?: string,
) {
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return { watch: new LogWatch(openFolderOrigin(folder), resolvePaths(dir), expectedKey), dir }
}

test('a log that only grows is followed, also after a restart', async () => {
  const origin = await publishLog(3)
  const { watch, dir } = openWatch(origin.folder)
  await watch.check(...(await origin.read()))
  await watch.check(...(await origin.commit(1)))
  await openWatch(origin.folder, dir).watch.check(...(await origin.commit(700)))
})

test('a registry that signs another history under the same key is refused, also after a restart', async () => {
  const honest = await publishLog(5)
  const { watch, dir } = openWatch(honest.folder)
  await watch.check(...(await honest.read()))
  for (const [rewritten, why] of [
    [
      await publishLog(9),
      'the log does not begin with the 5 events that it was signed with before',
    ],
    [
      await publishLog(5),
      'the log does not begin with the 5 events that it was signed with before',
    ],
    [await publishLog(2), 'the log had 5 events, and now it has 2: the last ones are missing'],
  ] as const) {
    const { watch } = openWatch(rewritten.folder, dir)
    await expect(watch.check(...(await rewritten.read()))).rejects.toThrow(
      `is not followed, for its history may be rewritten: ${why}`,
    )
  }
  await openWatch(honest.folder, dir).watch.check(...(await honest.commit(1)))
})

test('a log that ends, or is signed by another key, is refused', async () => {
  const origin = await publishLog(5)
  const { watch } = openWatch(origin.folder)
  await watch.check(...buildSigned(undefined, 'nobody'))
  await watch.check(...(await origin.read()))
  await expect(watch.check(...buildSigned(undefined))).rejects.toThrow(
    'it publishes no log anymore',
  )
  const other = openLogWorld()
  onTestFinished(other.close)
  other.commit(6)
  await other.open().update()
  const log = (await new LogFolder(other.paths.log).readText('checkpoint'))!
  for (const by of [other.signer, signer])
    await expect(watch.check(...buildSigned(log, by))).rejects.toThrow('has not signed it')
})

test('a manifest that the key of the log has not signed as it is, is refused', async () => {
  const origin = await publishLog(5)
  const { watch } = openWatch(origin.folder)
  const [manifest, hash] = await origin.read()
  const [other] = buildSigned(undefined)
  for (const [signature, why] of [
    [undefined, 'of its manifest, it is not signed'],
    [manifest.log, 'of its manifest, its signature is of another manifest'],
    [other.signature, 'of its manifest, its signature is of another manifest'],
    [signManifest(manifest, createSigner()), `the key ${key} has not signed it`],
  ] as const) {
    const changed = { log: manifest.log, ...(signature && { signature }) } as PublishedManifest
    await expect(watch.check(changed, hash)).rejects.toThrow(why)
  }
  await watch.check(manifest, hash)
  const { signature } = manifest
  const rewritten = { ...manifest, position: 7, ...(signature && { signature }) }
  await expect(watch.check(rewritten, hashManifest(rewritten))).rejects.toThrow(
    'its signature is of another manifest',
  )
})

test('a manifest that is older than the one that was followed is refused, also after a restart', async () => {
  const origin = await publishLog(5)
  const { watch, dir } = openWatch(origin.folder)
  const [{ log }] = await origin.read()
  const buildAt = (time: string) => buildSigned(log, signer, `2026-11-20T${time}Z`)
  await watch.check(...buildAt('05:00:00.000'))
  for (const again of [watch, openWatch(origin.folder, dir).watch])
    await expect(again.check(...buildAt('04:59:59.999'))).rejects.toThrow(
      'it shows what it published before 2026-11-20T05:00:00.000Z',
    )
  await watch.check(...buildAt('05:00:00.001'))
})

test('where the operator knows the key, nothing else is followed, not even at first', async () => {
  const origin = await publishLog(5)
  const expected = formatVerifierKey(toVerifierKey(createSigner()))
  const stranger = openWatch(origin.folder, undefined, expected)
  await expect(stranger.watch.check(...(await origin.read()))).rejects.toThrow(
    `the key ${expected} has not signed it`,
  )
  const { watch } = openWatch(origin.folder, undefined, key)
  await expect(watch.check(...buildSigned(undefined, 'nobody'))).rejects.toThrow(
    'of its manifest, it is not signed',
  )
  await watch.check(...buildSigned(undefined))
  await watch.check(...(await origin.read()))
  expect(watch.key).toBe(key)
})
