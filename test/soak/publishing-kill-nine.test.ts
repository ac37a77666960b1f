import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { systemClock } from '../../pipeline/core/clock.ts'
import { resolvePublishFolder } from '../../pipeline/core/publish-target.ts'
import { openBucket } from '../../pipeline/replica/bucket.ts'
import { openBucketOrigin, openFolderOrigin } from '../../pipeline/replica/origin.ts'
import { Uploader } from '../../pipeline/replica/uploader.ts'
import { WriterProcess } from '../support/processes/script-process.ts'
import {
  listDifferences,
  openPublishing,
  openReplica,
  readPublicEntries,
} from '../support/registry/publishing-registry.ts'
import { createDataDir } from '../support/registry/registry.ts'
import { startObjectStorage } from '../support/servers/s3-server.ts'

const ROUNDS = 6
const size = 60
const seed = Number(process.env.KILL_SEED ?? Date.now() % 1_000_000)
const delays = fc.sample(fc.integer({ min: 100, max: 2_500 }), { seed, numRuns: ROUNDS })

/** Publishes to a folder or a bucket, and says how a replica reads it. */
const places = {
  async folder() {
    const target = join(createDataDir(), 'published')
    return { target, origin: openFolderOrigin(target), bucket: undefined }
  },
  async bucket() {
    await startObjectStorage()
    const target = 's3://registry/data'
    const bucket = openBucket(target, new AbortController().signal)
    return { target, origin: openBucketOrigin(bucket), bucket }
  },
}

async function writeUntilKilled(dataDir: string, options: object, delayMs: number): Promise<void> {
  const writer = new WriterProcess('loop', dataDir, options)
  await writer.waitForLine('loaded')
  writer.send('[]')
  await writer.waitForLine('ready')
  await setTimeout(delayMs)
  await writer.kill()
}

test.each(['folder', 'bucket'] as const)(
  `a replica continues after its registry was killed while it published to a %s (KILL_SEED=${seed})`,
  async kind => {
    const dataDir = createDataDir()
    const { target, origin, bucket } = await places[kind]()
    const { follower, paths } = openReplica('', systemClock, { origin })
    for (const [round, delayMs] of delays.entries()) {
      await writeUntilKilled(dataDir, { round, size, publishTo: target }, delayMs)
      // What was published until then can be followed, if anything was.
      await follower.follow().catch(error => {
        if (existsSync(paths.servingFile)) throw error
      })
      await follower.settle()
    }
    const folder = resolvePublishFolder(target, dataDir)!
    const { sequencer, publisher } = await openPublishing(systemClock, dataDir, folder)
    await publisher.publish()
    if (bucket !== undefined)
      await new Uploader(folder, sequencer.paths, bucket, systemClock).upload()
    await follower.follow()
    const { servingFile } = sequencer.paths
    expect((await readPublicEntries(servingFile)).size).toBeGreaterThan(size)
    expect(await listDifferences(servingFile, paths.servingFile)).toEqual([])
  },
)
