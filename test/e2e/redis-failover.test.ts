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
  runForOutput,
  runRegistry,
  waitUntil,
} from '../support/processes/command.ts'
import { type RedisGroup, startCluster, startSentinels } from '../support/processes/redis-group.ts'

const DOMAINS = 300
const SAVED = ['before.example', 'after.example']

describe.each([
  { name: 'sentinels', start: startSentinels },
  { name: 'a cluster', start: () => startCluster(REDIS_PREFIX) },
])('when the primary of $name dies', ({ start }) => {
  const folder = makeTemporaryFolder()
  const roles: Command[] = []
  let world: ServedWorld
  let redis: RedisGroup
  let env: Environment
  let base: string
  let secret: string

  async function save(domain: string): Promise<number> {
    const body = JSON.stringify({ domain, brand_name: domain, brand_manifest: { name: domain } })
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
    return (await fetch(`${base}/api/brands/save`, { method: 'POST', headers, body })).status
  }

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
      LOG_LEVEL: 'warn',
      LIMITS: JSON.stringify({ crawlBatchSources: 40, jobLockMs: 6_000, crawlLostMs: 20_000 }),
    }
    writeFileSync(`${folder.path}/domains.txt`, made.domains.join('\n'))
    await runForOutput(['org', 'create', '--name', 'Acme'], env)
    for (const domain of SAVED) {
      await runForOutput(['org', 'domain', 'add', domain, '--org', 'Acme'], env)
    }
    secret = await runForOutput(['key', 'create', '--org', 'Acme'], env)
    for (const role of ['api', 'indexer', 'crawler']) roles.push(new Command([role], env))
    await waitUntil(async () => (await fetch(`${base}/readyz`)).status === 200)
  })

  afterAll(async () => {
    for (const role of roles) await role.interrupt()
    await redis.close()
    await world.close()
    folder.remove()
  })

  test('a crawl continues, and no acknowledged save is lost', async () => {
    expect(await save('before.example')).toBe(200)
    const crawl = new Command(['crawl', '--domains', `${folder.path}/domains.txt`], env)
    await waitUntil(async () => world.requests.size > DOMAINS / 4)
    await redis.killPrimary()
    await waitUntil(async () => (await save('after.example')) === 200)
    const { status, stdout, stderr } = await crawl.finish()
    expect(stdout, stderr).toContain(`${DOMAINS} domains`)
    expect(status).toBe(0)
    for (const domain of SAVED) {
      const read = await fetch(`${base}/api/brands/resolve?domain=${domain}`)
      expect(await read.json()).toMatchObject({ brand_name: domain })
    }
    expect((await runRegistry(['verify'], env)).stdout).toBe('all stores agree\n')
  })
})
