import { tmpdir } from 'node:os'
import { beforeEach, describe, expect, it, test } from 'vitest'
import { createSharedBuckets } from '../../../jobs/crawler/shared-buckets.ts'
import { connectRedis } from '../../../jobs/redis.ts'
import { silentLog } from '../../../pipeline/core/log.ts'
import { type Cause, RequestBudget } from '../../../pipeline/fetch/request-budget.ts'
import { createLocalBuckets, type TokenBuckets } from '../../../pipeline/fetch/token-buckets.ts'
import { runWithin } from '../../support/checks/measured-work.ts'
import { startRedis } from '../../support/processes/redis.ts'
import { openForAll } from '../../support/runner/open-for-all.ts'

const rates = {
  siteRequestsPerMinute: 120,
  addressRequestsPerMinute: 3_000,
  callerRequestsPerMinute: 1_200,
  callersRequestsPerMinute: 6_000,
}
const crawl: Cause = { kind: 'crawl' }
const caller = (name: string): Cause => ({ kind: 'caller', caller: name })

const redis = openForAll(startRedis)

beforeEach(() => redis.redis.flushall())

const kinds: Record<string, () => TokenBuckets> = {
  'of one process': () => createLocalBuckets(),
  'in Redis': () => createSharedBuckets(redis.redis, silentLog),
}

/**
 * Tries to enter all hosts, and returns how many requests pass at once and the seconds that the others
 * must wait.
 */
async function enterSites(
  budget: RequestBudget,
  hosts: readonly string[],
  cause: Cause,
  patienceMs = 0,
) {
  const answers = await Promise.all(hosts.map(host => budget.enterSite(host, cause, patienceMs)))
  const later = answers.flatMap(answer => answer?.retryAfterSeconds ?? [])
  return { through: answers.filter(answer => answer === undefined).length, later }
}

const listHosts = (site: string, count: number) =>
  Array.from({ length: count }, (_, i) => `n${i}.${site}`)

describe.each(Object.entries(kinds))('buckets %s', (_, open) => {
  it('let the crawl use half a minute’s worth per site, minus the share of callers', async () => {
    const { through } = await enterSites(
      new RequestBudget(open(), rates),
      listHosts('victim.example', 500),
      crawl,
    )
    expect(through).toBeGreaterThanOrEqual(45)
    expect(through).toBeLessThanOrEqual(55)
  })

  it('spread requests beyond the rate over time', async () => {
    const hosts = listHosts('victim.example', 500)
    const { later } = await enterSites(new RequestBudget(open(), rates), hosts, crawl)
    const sorted = later.sort((a, b) => a - b)
    // Two a second: nothing is dropped, and nothing comes back all at once.
    expect(sorted.at(-1)).toBeGreaterThan((sorted.length / 2) * 0.9)
    expect(sorted.at(-1)).toBeLessThan((sorted.length / 2) * 1.3)
    const mostPerSecond = Math.max(
      ...[...new Set(sorted)].map(second => sorted.filter(other => other === second).length),
    )
    expect(mostPerSecond).toBeLessThanOrEqual(4)
  })

  it('reserve a part for callers while the crawl has used all of its own', async () => {
    const budget = new RequestBudget(open(), rates)
    await enterSites(budget, listHosts('busy.example', 500), crawl)
    const { through } = await enterSites(budget, listHosts('busy.example', 100), caller('a'))
    expect(through).toBeGreaterThanOrEqual(10)
    expect(through).toBeLessThanOrEqual(30)
  })

  it('count sites separately, and user sites below a public suffix are sites', async () => {
    const budget = new RequestBudget(open(), rates)
    await enterSites(budget, listHosts('victim.example', 500), crawl)
    const others = Array.from({ length: 300 }, (_, i) => `user${i}.github.io`)
    expect((await enterSites(budget, others, crawl)).through).toBe(300)
  })

  it('limit one caller over any number of sites', async () => {
    const budget = new RequestBudget(open(), { ...rates, callerRequestsPerMinute: 60 })
    const hosts = Array.from({ length: 200 }, (_, i) => `site${i}.example`)
    expect((await enterSites(budget, hosts, caller('one'))).through).toBeLessThanOrEqual(40)
    expect((await enterSites(budget, hosts, caller('other'))).through).toBeGreaterThanOrEqual(30)
  })

  it('delay a caller whose turn comes in time, and refuse at once one whose turn does not', async () => {
    const fast = { ...rates, siteRequestsPerMinute: 600 }
    const budget = new RequestBudget(open(), fast)
    const enter = (sites: number, ms: number) =>
      enterSites(budget, listHosts('slow.example', sites), caller('a'), ms)
    const { through } = await runWithin(4_500, () => enter(360, 3_000))
    expect(through).toBeGreaterThanOrEqual(320)
    expect(through).toBeLessThanOrEqual(345)
    expect((await runWithin(1_500, () => enter(200, 500))).through).toBeLessThan(60)
  })

  it('limit an address shared by many sites', async () => {
    const budget = new RequestBudget(open(), { ...rates, addressRequestsPerMinute: 120 })
    const asked = Array.from({ length: 300 }, () => budget.enterAddress('93.184.216.34', crawl, 0))
    const answers = await Promise.all(asked)
    expect(answers.filter(answer => answer === undefined).length).toBeLessThanOrEqual(60)
    expect(await budget.enterAddress('93.184.216.35', crawl, 0)).toBeUndefined()
  })

  it('charge a series in advance, and return the unused part', async () => {
    const budget = new RequestBudget(open(), rates)
    const paid = await Promise.all(
      listHosts('agents.example', 100).map(host => budget.reserve(host, 8)),
    )
    const rows = paid.flatMap(failure => ('site' in failure ? [failure] : []))
    expect(rows.length).toBeGreaterThanOrEqual(5)
    expect(rows.length).toBeLessThanOrEqual(7)
    const [row] = rows
    for (let i = 0; i < 8; i++) {
      const cause = { kind: 'crawl', ticket: row! } as const
      expect(await budget.enterSite('n0.agents.example', cause, 0)).toBeUndefined()
    }
    expect(row!.remaining).toBe(0)
    budget.refund(rows[1]!)
    expect(await budget.reserve('n9.agents.example', 8)).toMatchObject({ remaining: 8 })
  })

  it('never refuse hosts that the settings name', async () => {
    const budget = new RequestBudget(open(), { ...rates, siteRequestsPerMinute: 1 })
    const hosts = listHosts('idp.example', 50)
    expect((await enterSites(budget, hosts, { kind: 'operator' })).through).toBe(50)
  })
})

test('several processes share one limit', async () => {
  const budgets = Array.from(
    { length: 4 },
    () => new RequestBudget(createSharedBuckets(redis.redis, silentLog), rates),
  )
  const all = await Promise.all(
    budgets.map(budget => enterSites(budget, listHosts('victim.example', 200), crawl)),
  )
  const through = all.reduce((sum, part) => sum + part.through, 0)
  // Each of them spends a few before it asks the others.
  expect(through).toBeLessThanOrEqual(45 + 4 * 8)
})

test('without Redis each process limits itself', async () => {
  const away = connectRedis(`unix://${tmpdir()}/no-redis.sock`, 'failFast', silentLog)
  const budget = new RequestBudget(createSharedBuckets(away, silentLog), rates)
  const { through } = await enterSites(budget, listHosts('victim.example', 200), crawl)
  away.disconnect()
  expect(through).toBeLessThanOrEqual(55)
})
