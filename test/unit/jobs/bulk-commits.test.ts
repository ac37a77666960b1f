import { expect, test } from 'vitest'
import { createBulkCommits } from '../../../jobs/indexer/bulk-commits.ts'
import { ByteSemaphore } from '../../../jobs/indexer/byte-semaphore.ts'
import { Dispatcher } from '../../../jobs/indexer/dispatcher.ts'
import { connectRedis } from '../../../jobs/redis.ts'
import { readConfig } from '../../../pipeline/core/config.ts'
import { silentLog } from '../../../pipeline/core/log.ts'
import { buildBaseBatch, buildNextBatch } from '../../support/fixtures/batches.ts'
import { startRedis } from '../../support/processes/redis.ts'
import { cleanUp, openSequencer } from '../../support/registry/registry.ts'
import { testClock } from '../../support/worlds/clock.ts'

function fail(error: unknown): never {
  throw error
}

test('a bulk commit waits for a snapshot that is being made once the log of the record is long', async () => {
  const clock = testClock('2026-11-20T03:00Z')
  const settings = { LIMITS: JSON.stringify({ snapshotLogBytes: 1, bulkCommitWaitMs: 0 }) }
  const config = readConfig(settings)
  const redis = await startRedis()
  cleanUp(() => redis.close())
  const connection = connectRedis(redis.url, 'waitForever', silentLog)
  cleanUp(() => connection.disconnect())
  const registry = await openSequencer({ clock, settings })
  cleanUp(() => registry.close())
  const dispatcher = new Dispatcher(registry, connection, config, clock, silentLog)
  cleanUp(() => dispatcher.close())
  const unpacked = new ByteSemaphore(1)
  const commits = createBulkCommits(registry, dispatcher, unpacked, config, fail)
  await registry.commit(buildBaseBatch(clock.now()))
  const done: string[] = []
  const published = registry.publish().then(() => done.push('published'))
  const { observations } = buildNextBatch(clock.tick({ days: 1 }))
  const committed = commits.add([...observations]).then(() => done.push('committed'))
  await Promise.all([published, committed])
  expect(done).toEqual(['published', 'committed'])
})
