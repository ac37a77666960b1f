import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { FleetLease } from '../../../../jobs/fleet/lease.ts'
import { createTenure, type Tenure } from '../../../../jobs/fleet/tenure.ts'
import { ANSWERED_KEY, loadWriterState, STATE_KEY } from '../../../../jobs/fleet/writer-state.ts'
import { openFleetRedis } from '../../../support/processes/fleet-redis.ts'
import { startCuttableRedis } from '../../../support/processes/redis.ts'
import { cleanUp } from '../../../support/registry/registry.ts'

const LONG_MS = 60_000
/** Long enough that a renewal in between succeeds on a busy machine. */
const SHORT_MS = 1_000

type Redis = Awaited<ReturnType<typeof openFleetRedis>>

/** Opens the lease of a process that may write. */
async function openLease(
  { connect }: Redis,
  { ms = LONG_MS, tenure = createTenure(0) as Tenure, url = undefined as string | undefined } = {},
) {
  const connection = await connect(url)
  const lease = new FleetLease(connection, tenure, ms)
  cleanUp(() => lease.stop())
  return lease
}

/** Keeps a lease; the result counts what it lost, and says why it failed. */
function keep(lease: FleetLease) {
  const outcome = { lost: 0, failure: undefined as unknown }
  lease.keep(() => ({ seq: 7, lastEventId: undefined, at: 1_000, mark: 0 }), {
    onLost: () => outcome.lost++,
    fail: error => {
      outcome.failure ??= error
    },
  })
  return outcome
}

/** Holds up this whole process, as a machine without memory does. */
function holdUp(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

describe('the lease among hosts', () => {
  test('the first host begins, and another one finds it held', async () => {
    const redis = await openFleetRedis()
    const [first, second] = [await openLease(redis), await openLease(redis)]
    expect(await first.take(false)).toBe('unknown')
    expect(await first.begin(1)).toBe(true)
    expect(await second.begin(1)).toBe(false)
    expect(await second.take(true)).toBe('held')
  })

  test('of standbys that take over in the same moment one succeeds, and raises the number', async () => {
    const redis = await openFleetRedis()
    await (await openLease(redis, { ms: 50 })).begin(4)
    const standbys = await Promise.all([1, 2, 3, 4, 5].map(() => openLease(redis)))
    await expect.poll(() => standbys[0]!.take(false)).toBe('free')
    const taken = await Promise.all(standbys.map(standby => standby.take(true)))
    expect(taken.toSorted()).toEqual(['held', 'held', 'held', 'held', 'taken'])
    const winner = standbys[taken.indexOf('taken')]!
    expect(winner.fence).toBe(5)
    expect((await loadWriterState(await redis.connect())).fence).toBe(5)
  })

  test('the next process on the same files goes on at once, under the same number', async () => {
    const redis = await openFleetRedis()
    const { id } = createTenure(0)
    await (await openLease(redis, { tenure: { id, fence: 0 } })).begin(3)
    const next = await openLease(redis, { tenure: { id, fence: 3 } })
    expect(await next.take(false)).toBe('own')
    expect(next.fence).toBe(3)
  })

  test('a process that an old number names is not the one that wrote last', async () => {
    const redis = await openFleetRedis()
    const { id } = createTenure(0)
    await (await openLease(redis, { ms: 50, tenure: { id, fence: 0 } })).begin(3)
    const old = await openLease(redis, { tenure: { id, fence: 2 } })
    await expect.poll(() => old.take(false)).toBe('free')
  })

  test('renewals keep the position of the writer, and others away', async () => {
    const redis = await openFleetRedis()
    const [writer, standby] = [await openLease(redis, { ms: SHORT_MS }), await openLease(redis)]
    await writer.begin(1)
    const outcome = keep(writer)
    for (let n = 0; n < 15; n++) {
      expect(await standby.take(false)).toBe('held')
      await pause(100)
    }
    expect(await loadWriterState(await redis.connect())).toMatchObject({ seq: 7, at: 1_000 })
    expect(outcome.failure).toBeUndefined()
    await writer.ensureHeld()
  })

  test('a writer that Redis cannot be reached from stops by its own clock', async () => {
    const redis = await openFleetRedis()
    const way = await startCuttableRedis(redis.server.url)
    const writer = await openLease(redis, { ms: SHORT_MS, url: way.url })
    await writer.begin(1)
    const outcome = keep(writer)
    way.cut()
    await expect.poll(() => outcome.failure).toMatchObject({ message: /not renewed in time/ })
    await expect(writer.ensureHeld()).rejects.toThrow('another host may have taken over')
  })

  test('a writer that stood still goes on where nobody has taken over meanwhile', async () => {
    const redis = await openFleetRedis()
    const writer = await openLease(redis, { ms: SHORT_MS })
    await writer.begin(1)
    const outcome = keep(writer)
    holdUp(2 * SHORT_MS)
    await writer.ensureHeld()
    await pause(SHORT_MS)
    expect(outcome.failure).toBeUndefined()
  })

  test('a writer that stood still for so long that another host took over stops', async () => {
    const redis = await openFleetRedis()
    const [writer, standby] = [await openLease(redis, { ms: SHORT_MS }), await openLease(redis)]
    await writer.begin(1)
    await pause(SHORT_MS + 100)
    expect(await standby.take(true)).toBe('taken')
    const outcome = keep(writer)
    await expect.poll(() => outcome.failure).toMatchObject({ message: /another host/ })
  })

  test('after a Redis that lost everything the writer begins again, and says so', async () => {
    const redis = await openFleetRedis()
    const writer = await openLease(redis, { ms: SHORT_MS })
    const connection = await redis.connect()
    await writer.begin(6)
    const outcome = keep(writer)
    await connection.flushall()
    await expect.poll(() => outcome.lost).toBe(1)
    expect((await loadWriterState(connection)).fence).toBe(6)
    expect(outcome.failure).toBeUndefined()
  })

  test('whoever begins forgets the answers that an earlier writer has left', async () => {
    const redis = await openFleetRedis()
    const connection = await redis.connect()
    await connection.xadd(ANSWERED_KEY, '900-0', 'answered', '{}')
    await connection.hset(STATE_KEY, 'backup', 'old')
    await (await openLease(redis)).begin(1)
    expect(await connection.exists(ANSWERED_KEY)).toBe(0)
    expect((await loadWriterState(connection)).backup).toBeUndefined()
  })
})
