import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { formatTime } from '../../../pipeline/core/clock.ts'
import type { Domain } from '../../../pipeline/core/domain.ts'
import { findReplicaProblems } from '../../../pipeline/read/health.ts'
import { Reader } from '../../../pipeline/read/reader.ts'
import { nameContent } from '../../../pipeline/replica/manifest.ts'
import { type Origin, openFolderOrigin } from '../../../pipeline/replica/origin.ts'
import { readSearchCheckpoint } from '../../../pipeline/search/checkpoint.ts'
import { ServingStore } from '../../../pipeline/serving/lmdb.ts'
import { readCheckpoint } from '../../../pipeline/store/checkpoint.ts'
import { resolvePaths } from '../../../pipeline/store/paths.ts'
import { readReplicaState } from '../../../pipeline/store/replica-state.ts'
import { observeFile } from '../../support/fixtures/observations.ts'
import {
  buildBrandSave,
  buildKeyWrite,
  buildOrganizationWrite,
  buildProofWrite,
  buildSubmission,
} from '../../support/fixtures/submissions.ts'
import {
  openPublishing,
  openReplica,
  type PublishingRegistry,
  privateSpaces,
  readPublicEntries,
} from '../../support/registry/publishing-registry.ts'
import { cleanUp, createDataDir } from '../../support/registry/registry.ts'
import { makeRegistryKey } from '../../support/servers/webhook-receivers.ts'
import { type TestClock, testClock } from '../../support/worlds/clock.ts'
import { buildWebsite } from '../../support/worlds/nights.ts'

const key = makeRegistryKey()
afterAll(key.remove)
const START = '2026-11-20T03:00Z'

async function commitBrand({ sequencer }: PublishingRegistry, clock: TestClock, name: string) {
  const file = { brand: { name } }
  const observation = observeFile('brand.json', `${name}.example`, file, clock.tick({ minutes: 1 }))
  await sequencer.commit({ observations: [observation], submissions: [] })
}

/** Commits a publisher that can be found, and publishes with the snapshot and the search file. */
async function publishWebsite(registry: PublishingRegistry, clock: TestClock, name: string) {
  const { sequencer, publisher } = registry
  const file = { authorized_agents: [], properties: [buildWebsite(`${name}.example`)] }
  const at = clock.tick({ minutes: 1 })
  const observation = observeFile('adagents.json', `${name}.example`, file, at)
  await sequencer.commit({ observations: [observation], submissions: [] })
  await sequencer.publish()
  await sequencer.searchable()
  await publisher.publish()
}

async function openFollowed() {
  const clock = testClock(START)
  const registry = await openPublishing(clock)
  await commitBrand(registry, clock, 'acme')
  await registry.publisher.publish()
  return { clock, registry, folder: registry.folder }
}

async function expectEqual(registry: PublishingRegistry, replicaFile: string) {
  const expected = await readPublicEntries(registry.sequencer.paths.servingFile)
  expect(expected.size).toBeGreaterThan(4)
  expect(await readPublicEntries(replicaFile)).toEqual(expected)
}

describe('a replica', () => {
  it('has the snapshot and the search file of its registry, and says how far it is', async () => {
    const { clock, registry, folder } = await openFollowed()
    await registry.sequencer.publish()
    await registry.sequencer.searchable()
    await registry.publisher.publish()
    const { follower, paths } = openReplica(folder, clock)
    await follower.follow()
    await follower.settle()
    await expectEqual(registry, paths.servingFile)
    const checkpoint = readCheckpoint(paths)
    expect(checkpoint).toEqual(readCheckpoint(registry.sequencer.paths))
    const read = (of: { snapshots: string; search: string }) => [
      readFileSync(join(of.snapshots, checkpoint!.snapshot)),
      readFileSync(join(of.search, checkpoint!.snapshot.replace('.duckdb', '.search'))),
    ]
    expect(read(paths)).toEqual(read(registry.sequencer.paths))
    expect(readReplicaState(paths)).toMatchObject({ origin: folder, seq: registry.sequencer.seq })
  })

  it('keeps the current files where its registry numbers them anew, as after a restore', async () => {
    const { clock, registry, folder } = await openFollowed()
    const { follower, paths, dataDir } = openReplica(folder, clock)
    for (const name of ['one', 'two', 'three']) {
      await publishWebsite(registry, clock, name)
      await follower.follow()
      await follower.settle()
    }
    await follower.close()
    const restored = await openPublishing(clock)
    await publishWebsite(restored, clock, 'other')
    const origin = { ...openFolderOrigin(restored.folder), name: folder }
    const again = openReplica(restored.folder, clock, { dataDir, origin })
    await again.follower.follow()
    await again.follower.settle()
    const { snapshot } = readCheckpoint(paths)!
    const { file } = readSearchCheckpoint(paths)!
    const read = (of: { snapshots: string; search: string }) => [
      readFileSync(join(of.snapshots, snapshot)),
      readFileSync(join(of.search, file)),
    ]
    expect(snapshot).toBe('000001.duckdb')
    expect(read(paths)).toEqual(read(restored.sequencer.paths))
  })

  it('shows the files of a registry that used their names again', async () => {
    const { clock, registry, folder } = await openFollowed()
    await publishWebsite(registry, clock, 'one')
    const { follower, paths, dataDir } = openReplica(folder, clock)
    await follower.follow()
    await follower.settle()
    await follower.close()
    // Of a folder of its own: one process cannot go on reading a serving store that it replaces.
    const shown = resolvePaths(createDataDir())
    const reader = new Reader(shown.dir, clock)
    cleanUp(() => reader.close())
    const findPublishers = async () => {
      for (const part of ['snapshots', 'search', 'checkpoint'] as const) {
        rmSync(shown[part], { recursive: true, force: true })
        cpSync(paths[part], shown[part], { recursive: true })
      }
      await reader.refresh()
      const { publishers } = await reader.search!.search(['publishers'], 'example', 10)
      const rows = await reader.snapshot!.db.all('select domain from publishers')
      return [publishers.map(item => JSON.parse(item).domain), rows]
    }
    expect(await findPublishers()).toEqual([['one.example'], [{ domain: 'one.example' }]])
    // As many commits and rows: only the bytes of the files differ.
    const restored = await openFollowed()
    await publishWebsite(restored.registry, restored.clock, 'other')
    const again = openReplica(restored.folder, clock, { dataDir })
    await again.follower.follow()
    await again.follower.settle()
    const { file } = readSearchCheckpoint(paths)!
    const read = (of: { search: string }) => readFileSync(join(of.search, file))
    expect(read(paths)).toEqual(read(restored.registry.sequencer.paths))
    expect(await findPublishers()).toEqual([['other.example'], [{ domain: 'other.example' }]])
  })

  it('does not copy a search file of another version', async () => {
    const { clock, registry, folder } = await openFollowed()
    await publishWebsite(registry, clock, 'one')
    const file = join(folder, 'manifest.json')
    const { search, ...rest } = JSON.parse(readFileSync(file, 'utf8'))
    const checkpoint = { ...search.checkpoint, format: search.checkpoint.format + 1 }
    writeFileSync(file, JSON.stringify({ ...rest, search: { ...search, checkpoint } }))
    const { follower, paths } = openReplica(folder, clock)
    await follower.follow()
    await follower.settle()
    expect(readCheckpoint(paths)).toBeDefined()
    expect(readSearchCheckpoint(paths)).toBeUndefined()
  })

  it('copies only the new commits when it resumes', async () => {
    const { clock, registry, folder } = await openFollowed()
    const origin = openFolderOrigin(folder)
    const asked: string[] = []
    const counting: Origin = {
      ...origin,
      readRange: (name, first, last) => {
        asked.push(name)
        return origin.readRange(name, first, last)
      },
    }
    const { follower, paths } = openReplica(folder, clock, { origin: counting })
    await follower.follow()
    asked.length = 0
    await commitBrand(registry, clock, 'other')
    const manifest = await registry.publisher.publish()
    await follower.follow()
    expect(asked).toEqual([manifest!.segments.at(-1)!.name])
    await expectEqual(registry, paths.servingFile)
  })

  it('resumes after a connection was cut in the middle of a file, without fetching what it has already', async () => {
    const { clock, registry, folder } = await openFollowed()
    const origin = openFolderOrigin(folder)
    const asked: number[] = []
    let isCut = true
    const cutting: Origin = {
      ...origin,
      async readRange(name, first, last) {
        asked.push(first)
        if (isCut && first > 0) throw new Error('the line was cut')
        const part = await origin.readRange(name, first, last)
        return isCut ? part.subarray(0, 100) : part
      },
    }
    const { follower, paths } = openReplica(folder, clock, { origin: cutting })
    await expect(follower.follow()).rejects.toThrow('the line was cut')
    expect(readReplicaState(paths)).toMatchObject({ problem: 'the line was cut' })
    isCut = false
    asked.length = 0
    await follower.follow()
    expect(asked).toEqual([100])
    await expectEqual(registry, paths.servingFile)
  })

  it('knows after a restart when it last had everything, while its registry is away', async () => {
    const { clock, folder } = await openFollowed()
    const { follower, paths, dataDir } = openReplica(folder, clock)
    await follower.follow()
    await follower.close()
    const complete = readReplicaState(paths)?.caught_up_at
    clock.tick({ minutes: 6 })
    const origin: Origin = {
      ...openFolderOrigin(folder),
      readManifest: () => Promise.reject(new Error('the origin is away')),
    }
    const again = openReplica(folder, clock, { dataDir, origin })
    await expect(again.follower.follow()).rejects.toThrow('away')
    expect(readReplicaState(paths)).toMatchObject({
      caught_up_at: complete,
      problem: 'the origin is away',
    })
    expect(findReplicaProblems(readReplicaState(paths), clock.now())).toEqual([
      `this replica lacks what ${folder} has published since ${formatTime(complete!)}: the origin is away`,
    ])
  })

  it('refuses a corrupted file, and takes the right one later', async () => {
    const { clock, registry, folder } = await openFollowed()
    const origin = openFolderOrigin(folder)
    let isCorrupted = true
    const corrupting: Origin = {
      ...origin,
      async readRange(name, first, last) {
        const part = Buffer.from(await origin.readRange(name, first, last))
        if (isCorrupted) part[part.length - 1]! ^= 1
        return part
      },
    }
    const { follower, paths } = openReplica(folder, clock, { origin: corrupting })
    await expect(follower.follow()).rejects.toThrow('is corrupted: its hash differs')
    expect(existsSync(paths.servingFile)).toBe(false)
    isCorrupted = false
    await follower.follow()
    await expectEqual(registry, paths.servingFile)
  })

  it('holds nothing private, and refuses to say that it knows of none', async () => {
    const clock = testClock(START)
    const registry = await openPublishing(clock)
    const { folder } = registry
    // Of the first a base is made, of the second a segment.
    for (const name of ['Org', 'Other']) {
      const writes = [buildOrganizationWrite(name), buildKeyWrite(name, `label of ${name}`)]
      await registry.sequencer.commit({ observations: [], submissions: writes })
      await registry.publisher.publish()
    }
    const { follower, paths } = openReplica(folder, clock)
    await follower.follow()
    await follower.close()
    const store = ServingStore.open(paths.servingFile, { readOnly: true })
    expect(privateSpaces).not.toEqual([])
    for (const space of privateSpaces) {
      expect(() => store.get(space, 'any')).toThrow('This is a replica')
    }
    await store.close()
    const keys = registry.sequencer.accounts.db.all<{ hash: string }>('select hash from api_keys')
    expect(keys).toHaveLength(2)
    const all = readdirSync(join(folder, 'files')).map(name =>
      readFileSync(join(folder, 'files', name)).toString('latin1'),
    )
    expect(
      readdirSync(join(folder, 'files'))
        .sort()
        .map(name => name.slice(65)),
    ).toEqual(expect.arrayContaining(['mdb', 'segment']))
    for (const { hash } of keys) expect(all.join('')).not.toContain(hash)
  })

  it('starts over when commits were made that nobody recorded', async () => {
    const { clock, registry, folder } = await openFollowed()
    const { follower, paths } = openReplica(folder, clock)
    await follower.follow()
    const { dir } = registry.sequencer.paths
    const { chain } = registry.sequencer.serving
    await registry.sequencer.close()
    rmSync(join(dir, 'serving', 'journal'))
    const again = await openPublishing(clock, dir, folder)
    await commitBrand(again, clock, 'later')
    await again.publisher.publish()
    expect(again.sequencer.serving.chain).not.toBe(chain)
    await follower.follow()
    await expectEqual(again, paths.servingFile)
  })

  it('continues with the same chain after its registry was closed and opened again', async () => {
    const { clock, registry, folder } = await openFollowed()
    const { follower, paths } = openReplica(folder, clock)
    await follower.follow()
    const { dir } = registry.sequencer.paths
    await commitBrand(registry, clock, 'unpublished')
    const { chain } = registry.sequencer.serving
    await registry.sequencer.close()
    const again = await openPublishing(clock, dir, folder)
    await again.publisher.publish()
    expect(again.sequencer.serving.chain).toBe(chain)
    await follower.follow()
    await expectEqual(again, paths.servingFile)
  })

  it('starts over when its registry crashed while it recorded a commit', async () => {
    const { clock, registry, folder } = await openFollowed()
    const { dir } = registry.sequencer.paths
    const { chain } = registry.sequencer.serving
    await registry.sequencer.close()
    writeFileSync(join(dir, 'serving', 'journal'), Buffer.alloc(7, 1), { flag: 'a' })
    const again = await openPublishing(clock, dir, folder)
    await again.publisher.publish()
    expect(again.sequencer.serving.chain).not.toBe(chain)
    const { follower, paths } = openReplica(folder, clock)
    await follower.follow()
    await expectEqual(again, paths.servingFile)
  })

  it('says which version is older, and keeps the data it has', async () => {
    const { clock, registry, folder } = await openFollowed()
    const { follower, paths } = openReplica(folder, clock)
    await follower.follow()
    const file = join(folder, 'manifest.json')
    const manifest = JSON.parse(readFileSync(file, 'utf8'))
    writeFileSync(file, JSON.stringify({ ...manifest, serving_format: 1 }))
    for (const _ of [1, 2])
      await expect(follower.follow()).rejects.toThrow(
        'publishes format 3.1, and this version reads',
      )
    writeFileSync(file, JSON.stringify({ ...manifest, spaces: [...manifest.spaces].reverse() }))
    await expect(follower.follow()).rejects.toThrow('publishes other key spaces')
    await expectEqual(registry, paths.servingFile)
  })

  it('does not believe itself complete where commits are missing from a manifest', async () => {
    const { clock, registry, folder } = await openFollowed()
    const { follower, paths } = openReplica(folder, clock)
    await follower.follow()
    const before = readReplicaState(paths)!.caught_up_at
    clock.tick({ minutes: 1 })
    for (const name of ['one', 'two', 'three']) {
      await commitBrand(registry, clock, name)
      await registry.publisher.publish()
    }
    const file = join(folder, 'manifest.json')
    const manifest = JSON.parse(readFileSync(file, 'utf8'))
    const { segments, position } = manifest
    const missing = segments.filter((_: unknown, index: number) => index !== 1)
    for (const [changed, why] of [
      [{ segments: missing }, `after ${missing[0].to} come the commits`],
      [{ position: position + 9 }, `the commits ${position + 1} to ${position + 9} are missing`],
      [{ segments: [] }, 'are missing'],
      [{ base: { ...manifest.base, position: -1 } }, 'are missing'],
    ] as const) {
      writeFileSync(file, JSON.stringify({ ...manifest, ...changed }))
      await expect(follower.follow()).rejects.toThrow(why)
      expect(readReplicaState(paths)).toMatchObject({ caught_up_at: before })
    }
    writeFileSync(file, JSON.stringify(manifest))
    await follower.follow()
    await expectEqual(registry, paths.servingFile)
  })

  it('does not apply a segment that lacks commits which its manifest promises', async () => {
    const { clock, registry, folder } = await openFollowed()
    const { follower, paths } = openReplica(folder, clock)
    await follower.follow()
    for (const name of ['one', 'two']) {
      await commitBrand(registry, clock, name)
      await registry.publisher.publish()
    }
    const file = join(folder, 'manifest.json')
    const manifest = JSON.parse(readFileSync(file, 'utf8'))
    const [first, last] = manifest.segments.slice(-2)
    for (const [kept, why] of [
      [last, 'lacks the commits before'],
      [first, 'lacks commits that its manifest promises'],
    ]) {
      const segment = { ...kept, from: first.from, to: last.to }
      const segments = [...manifest.segments.slice(0, -2), segment]
      writeFileSync(file, JSON.stringify({ ...manifest, segments }))
      await expect(follower.follow()).rejects.toThrow(why)
    }
    writeFileSync(file, JSON.stringify(manifest))
    await follower.follow()
    await expectEqual(registry, paths.servingFile)
  })

  it('keeps its store where the base of another chain is not what its manifest says', async () => {
    const { clock, registry, folder } = await openFollowed()
    const asked: string[] = []
    const reading = openFolderOrigin(folder)
    const origin: Origin = {
      ...reading,
      readRange: (name, first, last) => {
        asked.push(name)
        return reading.readRange(name, first, last)
      },
    }
    const { follower, paths } = openReplica(folder, clock, { origin })
    await follower.follow()
    const file = join(folder, 'manifest.json')
    const manifest = JSON.parse(readFileSync(file, 'utf8'))
    const good = readFileSync(join(folder, 'files', manifest.base.name))
    const zeroed = Buffer.concat([good.subarray(0, 8192), Buffer.alloc(good.length - 8192)])
    for (const content of [Buffer.from('no store'), zeroed, good]) {
      const name = nameContent(content, 'mdb')
      writeFileSync(join(folder, 'files', name), content)
      const base = { ...manifest.base, name, bytes: content.length }
      writeFileSync(file, JSON.stringify({ ...manifest, base, chain: 'another' }))
      asked.length = 0
      for (const _ of [1, 2])
        await expect(follower.follow()).rejects.toThrow(
          `the base of ${folder} is not used, and what was here is kept`,
        )
      expect(asked).toEqual([name])
    }
    await commitBrand(registry, clock, 'later')
    await registry.publisher.publish()
    await follower.follow()
    await expectEqual(registry, paths.servingFile)
  })

  it('keeps what it has where the data were changed beside a log that was not', async () => {
    const clock = testClock(START)
    const settings = { LOG_SIGNING_KEY: key.path }
    const registry = await openPublishing(clock, undefined, undefined, settings)
    await publishWebsite(registry, clock, 'acme')
    await registry.sequencer.treeLog.update()
    await registry.publisher.publish()
    const rewriting = await openPublishing(clock)
    await commitBrand(rewriting, clock, 'other')
    await rewriting.publisher.publish()
    const manifestFile = join(registry.folder, 'manifest.json')
    const honest = readFileSync(manifestFile, 'utf8')
    const { log, signature } = JSON.parse(honest)
    const forged = JSON.parse(readFileSync(join(rewriting.folder, 'manifest.json'), 'utf8'))
    cpSync(join(rewriting.folder, 'files'), join(registry.folder, 'files'), { recursive: true })
    const { follower, paths } = openReplica(registry.folder, clock)
    await follower.follow()
    expect(readReplicaState(paths)?.log_key).toContain('/log+')
    for (const claim of [{ log, signature }, { log }, {}]) {
      writeFileSync(manifestFile, JSON.stringify({ ...forged, ...claim }))
      await expect(follower.follow()).rejects.toThrow('is not followed, for its history may be')
      await expectEqual(registry, paths.servingFile)
      expect(readReplicaState(paths)?.problem).toContain('may be rewritten')
    }
    writeFileSync(manifestFile, honest)
    await follower.follow()
    expect(readReplicaState(paths)?.problem).toBeUndefined()
  })

  it('deletes what a cut copy has left once its file is published no longer', async () => {
    const { clock, registry, folder } = await openFollowed()
    const { follower, paths } = openReplica(folder, clock)
    await follower.follow()
    const abandoned = join(paths.copying, `${'0'.repeat(64)}.mdb.part`)
    writeFileSync(abandoned, 'the beginning of a base')
    await commitBrand(registry, clock, 'other')
    await registry.publisher.publish()
    await follower.follow()
    expect(readdirSync(paths.copying)).toEqual([])
  })

  it('copies no file for which its disk has no room', async () => {
    const { clock, folder } = await openFollowed()
    const file = join(folder, 'manifest.json')
    const manifest = JSON.parse(readFileSync(file, 'utf8'))
    const base = { ...manifest.base, bytes: 2 ** 52 }
    writeFileSync(file, JSON.stringify({ ...manifest, base }))
    const { follower, paths } = openReplica(folder, clock)
    await expect(follower.follow()).rejects.toThrow(/needs 4500 TB more, and .* has/)
    expect(existsSync(paths.servingFile)).toBe(false)
  })

  it('refuses a store whose numbers are in another byte order', async () => {
    const { clock, folder } = await openFollowed()
    const file = join(folder, 'manifest.json')
    const manifest = JSON.parse(readFileSync(file, 'utf8'))
    const base = { ...manifest.base, byte_order: 'BE' }
    writeFileSync(file, JSON.stringify({ ...manifest, base }))
    const { follower, paths } = openReplica(folder, clock)
    await expect(follower.follow()).rejects.toThrow('runs on another kind of machine')
    expect(existsSync(paths.servingFile)).toBe(false)
  })

  it('forgets what was taken down, and so do the published files', async () => {
    const { clock, registry, folder } = await openFollowed()
    const { sequencer, publisher } = registry
    const proof = [buildOrganizationWrite('Org'), buildProofWrite('Org', 'gone.example')]
    await sequencer.commit({ observations: [], submissions: proof })
    const save = buildBrandSave('Org', 'gone.example', 'Unmistakable')
    await sequencer.commit({ observations: [], submissions: [save] })
    await publisher.publish()
    const { follower, paths } = openReplica(folder, clock)
    await follower.follow()
    const takedown = buildSubmission('takedown', {
      op: 'domain.takedown',
      domain: 'gone.example' as Domain,
      reason: 'asked',
    })
    await sequencer.commit({ observations: [], submissions: [takedown] })
    await publisher.publish()
    await follower.follow()
    await expectEqual(registry, paths.servingFile)
    const files = readdirSync(join(folder, 'files'))
    expect(files.some(name => name.endsWith('.mdb'))).toBe(true)
    for (const name of files.filter(name => /\.(mdb|segment)$/.test(name))) {
      expect(readFileSync(join(folder, 'files', name)).includes('Unmistakable')).toBe(false)
    }
  })
})
