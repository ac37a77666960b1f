import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createScaleWorld } from '../../scripts/world/scale.ts'
import { type ServedWorld, serveWorld } from '../../scripts/world/server.ts'
import {
  Command,
  type Environment,
  makeTemporaryFolder,
  runRegistry,
  waitUntil,
} from '../support/processes/command.ts'
import { startCuttableRedis, startRedis, type TestRedis } from '../support/processes/redis.ts'

const DOMAINS = 600
/** An hour is twelve times as long as a file whose crawler is silent waits for another one. */
const LOST_MS = 1_000
const CUT_MS = 12 * LOST_MS
const made = createScaleWorld({ domains: DOMAINS, seed: 1 })
const folder = makeTemporaryFolder()
const roles: Command[] = []
let world: ServedWorld
let redis: TestRedis
let env: Environment

function run(args: string[], more: Environment = {}): Command {
  const command = new Command(args, { ...env, ...more })
  roles.push(command)
  return command
}

beforeAll(async () => {
  world = await serveWorld(made)
  redis = await startRedis()
  env = {
    DATA_DIR: folder.path,
    REDIS_URL: redis.url,
    CRAWL_CONNECT_TO: world.url,
    LOG_LEVEL: 'warn',
    LIMITS: JSON.stringify({
      crawlLostMs: LOST_MS,
      jobLockMs: LOST_MS,
      crawlBatchesInFlight: 6,
      crawlBatchSources: 50,
    }),
  }
  writeFileSync(`${folder.path}/domains.txt`, made.domains.join('\n'))
})

afterAll(async () => {
  for (const role of roles) await role.interrupt()
  await redis?.close()
  await world?.close()
  folder.remove()
})

/** Lists what was found for the first time, as `type id`, in the files of the feed. */
function listDiscoveries(): string[] {
  const lines = readdirSync(`${folder.path}/events`)
    .filter(name => name.endsWith('.ndjson'))
    .flatMap(name => readFileSync(`${folder.path}/events/${name}`, 'utf8').trim().split('\n'))
  return lines
    .map(line => JSON.parse(line) as { event_type: string; entity_id: string })
    .filter(({ event_type }) => /created|discovered/.test(event_type))
    .map(({ event_type, entity_id }) => `${event_type} ${entity_id}`)
}

test('a crawler that is cut off for an hour is replaced, and its late observations change nothing', async () => {
  const way = await startCuttableRedis(redis.url)
  run(['indexer'])
  await waitUntil(async () => existsSync(`${folder.path}/run.json`))
  run(['crawler'], { REDIS_URL: way.url })
  const crawl = run(['crawl', '--domains', `${folder.path}/domains.txt`])
  await waitUntil(async () => world.requests.size > 100)
  way.cut()
  const cutAt = performance.now()
  const other = run(['crawler'])
  const { status, stdout } = await crawl.finish()
  expect([status, stdout]).toEqual([0, expect.stringContaining(`${DOMAINS} domains`)])
  await pause(Math.max(0, CUT_MS - (performance.now() - cutAt)))
  const events = listDiscoveries()
  expect(new Set(events).size).toBe(events.length)
  expect(events.length).toBeGreaterThanOrEqual(DOMAINS)

  way.heal()
  await other.interrupt()
  const again = await run(['crawl', made.domains[0]!]).finish()
  expect([again.status, again.stderr]).toEqual([0, ''])
  expect((await runRegistry(['verify'], env)).stdout).toBe('all stores agree\n')
  expect(listDiscoveries()).toEqual(events)
})
