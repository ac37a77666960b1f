import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { REDIS_PREFIX } from '../../jobs/redis.ts'
import { createScaleWorld } from '../../scripts/world/scale.ts'
import { type ServedWorld, serveWorld } from '../../scripts/world/server.ts'
import {
  Command,
  type Environment,
  findFreePort,
  makeTemporaryFolder,
  runRegistry,
  waitUntil,
} from '../support/processes/command.ts'
import {
  type Client,
  expectAllThere,
  makeClient,
  saveContinuously,
} from '../support/processes/fleet-client.ts'
import { type RedisGroup, startCluster, startSentinels } from '../support/processes/redis-group.ts'

const DOMAINS = 300
/** Saves that are acknowledged before the primary dies, and at least so many after it. */
const SAVES = 20

describe.each([
  { name: 'sentinels', start: startSentinels },
  { name: 'a cluster', start: () => startCluster(REDIS_PREFIX) },
])('when the primary of $name dies', ({ start }) => {
  const folder = makeTemporaryFolder()
  const roles: Command[] = []
  let world: ServedWorld
  let redis: RedisGroup
  let env: Environment
  let indexer: Command
  let base: string
  let client: Client

  beforeAll(async () => {
    const made = createScaleWorld({ domains: DOMAINS, seed: 1 })
    world = await serveWorld(made)
    redis = await start()
    const port = await findFreePort()
    base = `http://127.0.0.1:${port}`
    env = {
      DATA_DIR: folder.path,
      REDIS_URL: redis.url,
      PORT: String(port),
      CRAWL_CONNECT_TO: world.url,
      LOG_LEVEL: 'info',
      LIMITS: JSON.stringify({
        crawlBatchSources: 40,
        jobLockMs: 6_000,
        crawlLostMs: 20_000,
        savesPerHour: 100_000,
        savesPerOrganizationHour: 100_000,
        savesPerOrganizationDay: 100_000,
        answerMs: 8_000,
      }),
    }
    indexer = new Command(['indexer'], env)
    roles.push(indexer, ...['api', 'crawler'].map(role => new Command([role], env)))
    client = await makeClient({ dataDir: folder.path, indexer }, env)
    await waitUntil(async () => (await fetch(`${base}/readyz`)).status === 200)
    writeFileSync(`${folder.path}/domains.txt`, made.domains.join('\n'))
  })

  afterAll(async () => {
    for (const role of roles) await role.interrupt()
    await redis.close()
    await world.close()
    folder.remove()
  })

  test('a crawl continues, and of the saves that never pause none that was acknowledged is lost', async () => {
    const saving = new AbortController()
    const saved = saveContinuously({ base }, client, saving.signal)
    await waitUntil(async () => client.acknowledged.length > SAVES)
    const crawl = new Command(['crawl', '--domains', `${folder.path}/domains.txt`], env)
    await waitUntil(async () => world.requests.size > DOMAINS / 4)
    await redis.killPrimary()
    const before = client.acknowledged.length
    await waitUntil(async () => client.acknowledged.length > before + SAVES)
    const { status, stdout, stderr } = await crawl.finish()
    saving.abort()
    await saved
    expect(stdout, stderr).toContain(`${DOMAINS} domains`)
    expect(status).toBe(0)
    expect((await runRegistry(['verify'], env)).stdout).toBe('All stores agree.\n')
    await expectAllThere({ dataDir: folder.path, indexer }, client)
  })
})
