import { Queue } from 'bullmq'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type CrawlMessage, packObservations } from '../../../jobs/crawl-messages.ts'
import { Dispatcher } from '../../../jobs/indexer/dispatcher.ts'
import { queues } from '../../../jobs/queues.ts'
import { connectRedis, REDIS_PREFIX, type Redis } from '../../../jobs/redis.ts'
import { MINUTE } from '../../../pipeline/core/clock.ts'
import { readConfig } from '../../../pipeline/core/config.ts'
import type { Domain } from '../../../pipeline/core/domain.ts'
import { silentLog } from '../../../pipeline/core/log.ts'
import { type CrawlTarget, toSourceKey } from '../../../pipeline/model/observation.ts'
import { addDomains } from '../../../pipeline/writer/crawl/frontier.ts'
import type { Sequencer } from '../../../pipeline/writer/sequencer.ts'
import { observeOutcome } from '../../support/fixtures/observations.ts'
import { buildSubmission } from '../../support/fixtures/submissions.ts'
import { startRedis } from '../../support/processes/redis.ts'
import { cleanUp, openTestSequencer } from '../../support/registry/registry.ts'
import { openForAll } from '../../support/runner/open-for-all.ts'
import { type TestClock, testClock } from '../../support/worlds/clock.ts'

const config = readConfig({
  LIMITS: JSON.stringify({
    crawlBatchSources: 10,
    crawlBatchesInFlight: 3,
    crawlLostMs: 5 * MINUTE,
  }),
})

const server = openForAll(startRedis)
let connection: Redis
let queue: Queue<CrawlMessage>
let clock: TestClock
let registry: Sequencer

beforeAll(async () => {
  connection = connectRedis(server.url, 'waitForever', silentLog)
  queue = new Queue('crawl', { connection, prefix: REDIS_PREFIX })
})

afterAll(async () => {
  await queue.close()
  connection.disconnect()
})

beforeEach(async () => {
  await server.redis.flushall()
  clock = testClock('2026-11-20T03:00Z')
  registry = await openTestSequencer(clock)
})

function createDispatcher(): Dispatcher {
  const dispatcher = new Dispatcher(registry, connection, config, clock, silentLog)
  cleanUp(() => dispatcher.close())
  return dispatcher
}

const names = (count: number, letter: string) =>
  Array.from(
    { length: count },
    (_, i) => `${letter}${String(i).padStart(2, '0')}.example` as Domain,
  )

function give(domains: Domain[], id = domains[0]!) {
  const operation = { op: 'domains.add' as const, domains, again: false }
  return registry.commit({ observations: [], submissions: [buildSubmission(id, operation)] })
}

function request(domain: string) {
  const operation = {
    op: 'crawl.request' as const,
    scope: 'domain' as const,
    domain: domain as Domain,
    crawl_request_id: '00000000-0000-7000-8000-000000000000',
    requested_by: 'Acme',
  }
  return registry.commit({ observations: [], submissions: [buildSubmission(domain, operation)] })
}

/** Lists the targets of the waiting jobs, the oldest job first. */
async function listWaitingTargets(): Promise<CrawlTarget[][]> {
  const jobs = await queue.getJobs(['waiting'], 0, -1, true)
  return jobs.map(job => job.data.targets)
}

async function answer(dispatcher: Dispatcher, targets: readonly CrawlTarget[]): Promise<void> {
  const observations = targets.map(({ kind, location }) =>
    observeOutcome('absent', kind as 'brand.json', location, clock.now()),
  )
  await registry.commit({ observations, submissions: [] })
  dispatcher.confirm(targets)
}

/** Crawls every waiting job. */
async function crawlAll(dispatcher: Dispatcher): Promise<CrawlTarget[]> {
  const targets = (await listWaitingTargets()).flat()
  await queue.drain()
  await answer(dispatcher, targets)
  return targets
}

describe('a registry that slept for three days', () => {
  it('dispatches a bounded number of files, and more only as results arrive', async () => {
    const dispatcher = createDispatcher()
    await give(names(40, 'd'))
    while ((await dispatcher.dispatch()) > 0) await crawlAll(dispatcher)
    clock.tick({ days: 3 })

    const awake = createDispatcher()
    expect(await awake.dispatch()).toBe(30)
    expect((await listWaitingTargets()).map(batch => batch.length)).toEqual([10, 10, 10])
    expect(await awake.dispatch()).toBe(0)
    let rest = (await crawlAll(awake)).length
    while ((await awake.dispatch()) > 0) rest += (await crawlAll(awake)).length
    expect(rest).toBe(80)
  })

  it('dispatches by priority, then by waiting time', async () => {
    const mentioned = names(4, 'm').map(domain => ({ domain, why: 'mentioned' as const }))
    await addDomains(registry.index, mentioned, { now: clock.now(), seq: 0, max: 100 })
    clock.tick({ hours: 1 })
    await give(names(4, 'b'))
    clock.tick({ hours: 1 })
    await give(names(4, 'a'))
    clock.tick({ days: 3 })
    const dispatcher = createDispatcher()
    await dispatcher.dispatch()
    const order = (await listWaitingTargets()).flat().map(({ location }) => location[0])
    expect(order.join('')).toBe('bbbbbbbbaaaaaaaammmmmmmm')
  })

  it('lets no requested file wait behind that', async () => {
    const dispatcher = createDispatcher()
    await give(names(40, 'd'))
    await dispatcher.dispatch()
    await request('now.example')
    expect(await dispatcher.dispatch()).toBe(2)
    const [first] = await listWaitingTargets()
    expect(first!.map(({ location }) => location)).toEqual(['now.example', 'now.example'])
  })

  it('dispatches a requested file once more, at once, if it would wait behind that', async () => {
    const dispatcher = createDispatcher()
    await give(names(15, 'd'))
    await dispatcher.dispatch()
    await request('d12.example')
    expect(await dispatcher.dispatch()).toBe(2)
    expect(await dispatcher.dispatch()).toBe(0)
    const [first] = await listWaitingTargets()
    expect(first!.map(({ location }) => location)).toEqual(['d12.example', 'd12.example'])
    expect(await createDispatcher().dispatch()).toBe(0)
  })
})

describe('a dispatched file', () => {
  it('is not dispatched again by the next indexer while a crawler may still have it', async () => {
    await give(names(15, 'd'))
    expect(await createDispatcher().dispatch()).toBe(30)
    expect(await createDispatcher().dispatch()).toBe(0)
    const [lost] = await queue.getJobs(['waiting'])
    await lost!.remove()
    expect(await createDispatcher().dispatch()).toBe(10)
    expect(new Set((await listWaitingTargets()).flat().map(toSourceKey)).size).toBe(30)
    await queue.drain()
    expect(await createDispatcher().dispatch()).toBe(30)
  })

  it('is not dispatched again while its result is on the way', async () => {
    await give(names(5, 'd'))
    await createDispatcher().dispatch()
    const targets = (await listWaitingTargets()).flat()
    await queue.drain()
    const observations = targets.map(({ kind, location }) =>
      observeOutcome('absent', kind as 'brand.json', location, clock.now()),
    )
    const results = new Queue('observations', { connection, prefix: REDIS_PREFIX })
    for (const message of await packObservations(observations, 1e6, connection)) {
      await results.add('seen', message, queues.observations.options)
    }
    await results.close()
    expect(await createDispatcher().dispatch()).toBe(0)
  })

  it('is dispatched again at once when Redis lost its data', async () => {
    const dispatcher = createDispatcher()
    await give(names(5, 'd'))
    await dispatcher.dispatch()
    await server.redis.flushall()
    await give(names(5, 'e'))
    expect(await dispatcher.dispatch()).toBe(10)
    expect(await dispatcher.dispatch()).toBe(10)
    expect(new Set((await listWaitingTargets()).flat().map(toSourceKey)).size).toBe(20)
  })

  it('is dispatched again when its job ended and no result came for a while', async () => {
    const dispatcher = createDispatcher()
    await give(names(5, 'd'))
    await dispatcher.dispatch()
    clock.tick({ minutes: 60 })
    expect(await dispatcher.dispatch()).toBe(0)
    const [batch] = await listWaitingTargets()
    await queue.drain()
    await answer(dispatcher, batch!.slice(0, 4))
    expect(await dispatcher.dispatch()).toBe(0)
    clock.tick({ minutes: 4 })
    expect(await dispatcher.dispatch()).toBe(0)
    clock.tick({ minutes: 2 })
    expect(await dispatcher.dispatch()).toBe(6)
  })
})

describe('a registry with nothing due', () => {
  /** Counts the commands that Redis has executed for the dispatcher. */
  async function commands(): Promise<number> {
    const info = await server.redis.info('stats')
    return Number(/total_commands_processed:(\d+)/.exec(info)![1])
  }

  async function idlePump(): Promise<Dispatcher> {
    const dispatcher = createDispatcher()
    await give(names(3, 'a'))
    await dispatcher.dispatch()
    await crawlAll(dispatcher)
    expect(await dispatcher.dispatch()).toBe(0)
    return dispatcher
  }

  it('polls neither Redis nor the index repeatedly', async () => {
    const dispatcher = await idlePump()
    const asked = vi.spyOn(registry, 'quietly')
    const before = await commands()
    for (let turn = 0; turn < 20; turn++) expect(await dispatcher.dispatch()).toBe(0)
    // The question itself is one.
    expect((await commands()) - before).toBe(1)
    expect(asked).not.toHaveBeenCalled()
  })

  it('dispatches domains that are submitted then', async () => {
    const dispatcher = await idlePump()
    await give(names(2, 'b'))
    expect(await dispatcher.dispatch()).toBe(4)
  })

  it('dispatches files that somebody requests then', async () => {
    const dispatcher = await idlePump()
    await request('a00.example')
    expect(await dispatcher.dispatch()).toBe(3)
  })

  it('dispatches files that become due', async () => {
    const dispatcher = await idlePump()
    expect(await dispatcher.dispatch()).toBe(0)
    clock.tick({ days: 3 })
    expect(await dispatcher.dispatch()).toBe(6)
  })
})
