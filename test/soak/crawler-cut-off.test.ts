import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { createScaleWorld } from '../../scripts/world/scale.ts'
import { serveWorld } from '../../scripts/world/server.ts'
import {
  Command,
  type Environment,
  makeTemporaryFolder,
  runRegistry,
  waitUntil,
} from '../support/processes/command.ts'
import { startSharedRedis } from '../support/processes/fleet.ts'
import { findNetworkProblem, TestNetwork } from '../support/processes/network.ts'
import { startCuttableRedis, startRedis } from '../support/processes/redis.ts'
import { cleanUp } from '../support/registry/registry.ts'

const DOMAINS = 600
/** An hour is twelve times as long as a file whose crawler is silent waits for another one. */
const LOST_MS = 1_000
const CUT_MS = 12 * LOST_MS
const made = createScaleWorld({ domains: DOMAINS, seed: 1 })
const problem = findNetworkProblem()

/** Connection of a crawler that can be cut. */
interface Link {
  /** Address of Redis for all but the crawler. */
  redisUrl: string
  crawlerRedisUrl: string
  /** Address at which the web is served, for all. */
  webAddress: string
  /** Arguments that run the crawler where it can be cut off. */
  through?: string[]
  cut(): void
  heal(): void
}

/** Links a crawler to Redis alone: while it is cut off, it still reads the web. */
async function linkToRedis(): Promise<Link> {
  const redis = await startRedis()
  cleanUp(() => redis.close())
  const { url, cut, heal } = await startCuttableRedis(redis.url)
  return { redisUrl: redis.url, crawlerRedisUrl: url, webAddress: '127.0.0.1', cut, heal }
}

/** Links a crawler on a host of its own to everything: while it is cut off, all that it fetches fails. */
async function linkHost(): Promise<Link> {
  const network = new TestNetwork()
  cleanUp(() => network.close())
  const redisUrl = await startSharedRedis(network.address)
  const host = network.addHost()
  return { ...host, redisUrl, crawlerRedisUrl: redisUrl, webAddress: network.address }
}

/** Starts the web and an indexer. */
async function startRegistry({ redisUrl, webAddress }: Link) {
  const folder = makeTemporaryFolder()
  cleanUp(() => folder.remove())
  const world = await serveWorld(made, { host: webAddress })
  cleanUp(() => world.close())
  const limits = { crawlLostMs: LOST_MS, jobLockMs: LOST_MS }
  const env: Environment = {
    DATA_DIR: folder.path,
    REDIS_URL: redisUrl,
    CRAWL_CONNECT_TO: world.url,
    LOG_LEVEL: 'warn',
    LIMITS: JSON.stringify({ ...limits, crawlBatchesInFlight: 6, crawlBatchSources: 50 }),
  }
  const run = (args: string[], more: Environment = {}, through: string[] = []) => {
    const command = new Command(args, { ...env, ...more }, through)
    cleanUp(async () => void (await command.interrupt()))
    return command
  }
  run(['indexer'])
  await waitUntil(async () => existsSync(`${folder.path}/run.json`))
  writeFileSync(`${folder.path}/domains.txt`, made.domains.join('\n'))
  return { env, folder: folder.path, run, world }
}

/** Lists the events of the feed, each as `type id`. */
function listEvents(folder: string): string[] {
  return readdirSync(`${folder}/events`)
    .filter(name => name.endsWith('.ndjson'))
    .flatMap(name => readFileSync(`${folder}/events/${name}`, 'utf8').trim().split('\n'))
    .map(line => JSON.parse(line) as { event_type: string; entity_id: string })
    .map(({ event_type, entity_id }) => `${event_type} ${entity_id}`)
}

describe.each([
  { name: 'Redis alone', connect: linkToRedis, skipped: undefined },
  { name: 'everything', connect: linkHost, skipped: problem },
])('a crawler that is cut off from $name', ({ connect, skipped }) => {
  test.skipIf(skipped)(
    'for an hour is replaced, its late observations change nothing, and it crawls again',
    async () => {
      const link = await connect()
      const { env, folder, run, world } = await startRegistry(link)
      const crawler = run(['crawler'], { REDIS_URL: link.crawlerRedisUrl }, link.through)
      const crawl = run(['crawl', '--domains', `${folder}/domains.txt`])
      await waitUntil(async () => world.requests.size > 100)
      link.cut()
      const cutAt = performance.now()
      const other = run(['crawler'])
      const { status, stdout } = await crawl.finish()
      expect([status, stdout]).toEqual([0, expect.stringContaining(`${DOMAINS} domains`)])
      await pause(Math.max(0, CUT_MS - (performance.now() - cutAt)))
      const events = listEvents(folder)
      const discoveries = events.filter(event => /created|discovered/.test(event))
      expect(new Set(discoveries).size).toBe(discoveries.length)
      expect(discoveries.length).toBeGreaterThanOrEqual(DOMAINS)

      link.heal()
      expect(await other.interrupt()).toMatchObject({ status: 0 })
      const countRequests = () => [...world.requests.values()].reduce((sum, n) => sum + n, 0)
      const before = countRequests()
      const again = await run(['crawl', made.domains[0]!]).finish()
      expect(again.status, again.stderr).toBe(0)
      expect(countRequests()).toBeGreaterThan(before)
      expect((await runRegistry(['verify'], env)).stdout).toBe('All stores agree.\n')
      expect(listEvents(folder)).toEqual(events)
      expect(await crawler.interrupt()).toMatchObject({ status: 0 })
    },
  )
})
