import { afterAll, describe, expect, it } from 'vitest'
import { buildFetcherOptions } from '../../../jobs/crawler/fetcher-options.ts'
import { readConfig } from '../../../pipeline/core/config.ts'
import { silentLog } from '../../../pipeline/core/log.ts'
import { createFetcher } from '../../../pipeline/fetch/http.ts'
import { type Bucket, openBucket } from '../../../pipeline/replica/bucket.ts'
import { MANIFEST_BYTES_MAX } from '../../../pipeline/replica/manifest.ts'
import { type Origin, openBucketOrigin, openHttpOrigin } from '../../../pipeline/replica/origin.ts'
import { PublishedFolder } from '../../../pipeline/replica/published-folder.ts'
import { Uploader } from '../../../pipeline/replica/uploader.ts'
import { readReplicaState } from '../../../pipeline/store/replica-state.ts'
import { verifyLog } from '../../../pipeline/transparency/verify-log.ts'
import { observeFile } from '../../support/fixtures/observations.ts'
import {
  openPublishing,
  openReplica,
  type PublishingRegistry,
  readPublicEntries,
} from '../../support/registry/publishing-registry.ts'
import { cleanUp, createDataDir } from '../../support/registry/registry.ts'
import { startObjectStorage } from '../../support/servers/s3-server.ts'
import { makeRegistryKey } from '../../support/servers/webhook-receivers.ts'
import { type TestClock, testClock } from '../../support/worlds/clock.ts'
import { buildWebsite } from '../../support/worlds/nights.ts'

const key = makeRegistryKey()
afterAll(key.remove)
const ADDRESS = 's3://registry/public/data'

async function commitPublisher(
  { sequencer, publisher }: PublishingRegistry,
  clock: TestClock,
  name: string,
) {
  const domain = `${name}.example`
  const file = { authorized_agents: [], properties: [buildWebsite(domain)] }
  const observation = observeFile('adagents.json', domain, file, clock.tick({ minutes: 1 }))
  await sequencer.commit({ observations: [observation], submissions: [] })
  await sequencer.treeLog.update()
  await sequencer.publish()
  await publisher.publish()
}

async function openUploading() {
  const storage = await startObjectStorage()
  const clock = testClock('2026-11-20T03:00Z')
  const registry = await openPublishing(clock, undefined, undefined, {
    LOG_SIGNING_KEY: key.path,
  })
  const bucket = openBucket(ADDRESS, new AbortController().signal)
  const openUploader = (to: Bucket = bucket) =>
    new Uploader(registry.folder, registry.sequencer.paths, to, clock)
  await commitPublisher(registry, clock, 'acme')
  return { storage, clock, registry, bucket, openUploader }
}

async function readManifest(bucket: Bucket) {
  return JSON.parse(String(await bucket.read('manifest.json'))) as { log: string }
}

function openElsewhere(): Bucket {
  return openBucket('s3://registry/elsewhere', new AbortController().signal)
}

/** Follows the bucket with a replica. */
function followBucket(url: string, clock: TestClock) {
  const dataDir = createDataDir()
  const config = readConfig({ DATA_DIR: dataDir, BASE_URL: 'https://registry.example' })
  const fetcher = createFetcher(buildFetcherOptions(config, clock, silentLog))
  cleanUp(() => fetcher.close())
  const origin = openHttpOrigin(fetcher, `${url}/public/data/manifest.json`)
  return openReplica('', clock, { origin, dataDir })
}

/** Wraps the bucket so that writes fail after so many, as when the process is killed there. */
function failAfter(bucket: Bucket, writes: number): Bucket {
  let left = writes
  const spend = () => {
    if (left-- <= 0) throw new Error('killed')
  }
  return {
    ...bucket,
    async write(...object) {
      spend()
      await bucket.write(...object)
    },
    async writeFile(...object) {
      spend()
      await bucket.writeFile(...object)
    },
  }
}

/** Wraps the bucket and records the names of the objects that are written. */
function record(bucket: Bucket) {
  const written: string[] = []
  const recording: Bucket = {
    ...bucket,
    write: (...object) => {
      written.push(object[0])
      return bucket.write(...object)
    },
    writeFile: (...object) => {
      written.push(object[0])
      return bucket.writeFile(...object)
    },
  }
  return { recording, written }
}

describe('a bucket', () => {
  it('has what the folder has, and a replica that follows it equals the registry', async () => {
    const { storage, clock, registry, openUploader } = await openUploading()
    const uploader = openUploader()
    await uploader.upload()
    const { follower, paths } = followBucket(storage.url, clock)
    await follower.follow()
    for (const name of ['bravo', 'citrus', 'dynamo']) await commitPublisher(registry, clock, name)
    await uploader.upload()
    await follower.follow()
    await follower.settle()
    const expected = await readPublicEntries(registry.sequencer.paths.servingFile)
    expect(await readPublicEntries(paths.servingFile)).toEqual(expected)
    expect(expected.size).toBeGreaterThan(4)
    const manifest = await fetch(`${storage.url}/public/data/manifest.json`)
    expect(manifest.headers.get('content-type')).toBe('application/json')
    expect(manifest.headers.get('cache-control')).toBe('public, no-cache')
  })

  it('is followed before the log of its registry has any event', async () => {
    const { url } = await startObjectStorage()
    const clock = testClock('2026-11-20T03:00Z')
    const settings = { LOG_SIGNING_KEY: key.path }
    const registry = await openPublishing(clock, undefined, undefined, settings)
    const brand = observeFile(
      'brand.json',
      'quiet.example',
      { brand: { name: 'Quiet' } },
      clock.now(),
    )
    await registry.sequencer.commit({ observations: [brand], submissions: [] })
    await registry.sequencer.treeLog.update()
    await registry.publisher.publish()
    const bucket = openBucket(ADDRESS, new AbortController().signal)
    await new Uploader(registry.folder, registry.sequencer.paths, bucket, clock).upload()
    expect(await readManifest(bucket)).not.toHaveProperty('log')
    const { follower, paths } = followBucket(url, clock)
    await follower.follow()
    expect(readReplicaState(paths)?.log_key).toContain('/log+')
    await commitPublisher(registry, clock, 'acme')
    await new Uploader(registry.folder, registry.sequencer.paths, bucket, clock).upload()
    await follower.follow()
    expect((await readManifest(bucket)).log).toBeDefined()
  })

  it('has the log, whole and signed, and takes no older one in its place', async () => {
    const { clock, registry, bucket, openUploader } = await openUploading()
    await openUploader().upload()
    const older = openUploader()
    const { log } = await readManifest(bucket)
    const read = (name: string) => bucket.read(`log/${name}`)
    const keyText = String(await read('key')).trim()
    const first = await verifyLog({ read, key: keyText })
    expect(first).toMatchObject({ note: log, faults: [] })
    expect(first.size).toBeGreaterThan(0)
    await commitPublisher(registry, clock, 'bravo')
    await openUploader().upload()
    const last = await verifyLog({ read, key: keyText, remembered: first.note })
    expect(last.faults).toEqual([])
    expect(last.size).toBeGreaterThan(first.size)
    const folder = new PublishedFolder(registry.folder)
    const manifest = folder.readManifest()!
    folder.writeManifest({ ...manifest, log: first.note })
    await expect(older.upload()).rejects.toThrow('its log has 4 events')
    expect(await verifyLog({ read, key: keyText })).toEqual(last)
  })

  it('is followed with credentials, and copies go on after a cut in the middle of a file', async () => {
    const { clock, registry, bucket, openUploader } = await openUploading()
    const uploader = openUploader()
    await uploader.upload()
    const ranges: string[] = []
    let cuts = 1
    const whole = openBucketOrigin(bucket)
    const origin: Origin = {
      ...whole,
      async readRange(name, first, last) {
        const part = await whole.readRange(name, first, last)
        ranges.push(`${name} ${first}`)
        if (first > 0 || cuts-- <= 0) return part
        const half = Math.floor(part.length / 2)
        return part.subarray(0, half)
      },
    }
    const { follower, paths } = openReplica('', clock, { origin })
    await follower.follow()
    expect(ranges.some(range => !range.endsWith(' 0'))).toBe(true)
    await commitPublisher(registry, clock, 'bravo')
    await uploader.upload()
    await follower.follow()
    await follower.settle()
    const expected = await readPublicEntries(registry.sequencer.paths.servingFile)
    expect(await readPublicEntries(paths.servingFile)).toEqual(expected)
    expect(await origin.readManifest()).toBeUndefined()
    await expect(openBucketOrigin(openElsewhere()).readManifest()).rejects.toThrow(
      's3://registry/elsewhere/manifest.json',
    )
  })

  it('of somebody else is read no further than a manifest, a file of a log or a range can be long', async () => {
    await startObjectStorage()
    const bucket = openBucket(ADDRESS, new AbortController().signal)
    const origin = openBucketOrigin(bucket)
    const large = Buffer.alloc(MANIFEST_BYTES_MAX + 1, ' ')
    for (const name of ['manifest.json', 'log/key'])
      await bucket.write(name, large, { type: 'application/json', caching: 'no-cache' })
    await expect(origin.readManifest()).rejects.toThrow('manifest.json is larger than the 4194304')
    await expect(origin.readLogFile('key')).rejects.toThrow('log/key is larger than the 65536')
    expect((await bucket.read('log/key'))?.length, 'its own is read whole').toBe(large.length)
  })

  it('is never half written: after a kill at any write, replicas find a whole state', async () => {
    const { storage, clock, registry, bucket, openUploader } = await openUploading()
    await openUploader().upload()
    const before = await readPublicEntries(registry.sequencer.paths.servingFile)
    await commitPublisher(registry, clock, 'bravo')
    const after = await readPublicEntries(registry.sequencer.paths.servingFile)
    for (let writes = 0; writes < 20; writes++) {
      // A new uploader, as after a start: it goes on with what is there already.
      const isWhole = await openUploader(failAfter(bucket, writes))
        .upload()
        .then(
          () => true,
          () => false,
        )
      const { follower, paths } = followBucket(storage.url, clock)
      await follower.follow()
      await follower.settle()
      expect(await readPublicEntries(paths.servingFile)).toEqual(isWhole ? after : before)
      if (isWhole) return expect(writes).toBeGreaterThan(0)
    }
    expect.unreachable('the upload never ended')
  })

  it('gets each object once, the manifest last, and nothing while nothing changed', async () => {
    const { clock, registry, bucket, openUploader } = await openUploading()
    const { recording, written } = record(bucket)
    const uploader = openUploader(recording)
    await uploader.upload()
    expect(written.at(-1)).toBe('manifest.json')
    const begun = written.length
    await uploader.upload()
    expect(written.length).toBe(begun)
    await commitPublisher(registry, clock, 'bravo')
    await uploader.upload()
    const files = written.filter(name => name.startsWith('files/'))
    expect(new Set(files).size).toBe(files.length)
    expect(written.at(-1)).toBe('manifest.json')
  })

  it('that was emptied gets everything again, and one that is gone is noticed, while nothing changes', async () => {
    const { storage, clock, registry, bucket, openUploader } = await openUploading()
    const uploader = openUploader()
    await uploader.upload()
    const all = await bucket.list('')
    for (const name of all.keys()) await bucket.remove(name)
    clock.tick({ minutes: 1 })
    await uploader.upload()
    expect(await bucket.list('')).toEqual(all)
    expect(all.size).toBeGreaterThan(6)
    await storage.stop()
    await uploader.upload()
    clock.tick({ minutes: 1 })
    await expect(uploader.upload()).rejects.toThrow()
    expect(registry.sequencer.seq).toBe(1)
  })

  it('loses the files that the folder has no more', async () => {
    const { clock, registry, bucket, openUploader } = await openUploading()
    const uploader = openUploader()
    await uploader.upload()
    const first = await bucket.list('files/')
    await commitPublisher(registry, clock, 'bravo')
    clock.tick({ minutes: 11 })
    await commitPublisher(registry, clock, 'citrus')
    await uploader.upload()
    const last = await bucket.list('files/')
    expect([...first.keys()].filter(name => !last.has(name))).not.toEqual([])
  })

  it('that cannot be reached delays no commit, and is complete once it can', async () => {
    const { storage, clock, registry, openUploader } = await openUploading()
    const uploader = openUploader()
    await storage.stop()
    await expect(uploader.upload()).rejects.toThrow()
    await commitPublisher(registry, clock, 'bravo')
    expect(registry.sequencer.seq).toBe(2)
    const { url } = await startObjectStorage()
    await openUploader(openBucket(ADDRESS, new AbortController().signal)).upload()
    const { follower, paths } = followBucket(url, clock)
    await follower.follow()
    const expected = await readPublicEntries(registry.sequencer.paths.servingFile)
    expect(await readPublicEntries(paths.servingFile)).toEqual(expected)
  })
})
