import { writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { REDIS_PREFIX } from '../../jobs/redis.ts'
import { MINUTE } from '../../pipeline/core/clock.ts'
import { formatCount } from '../../pipeline/core/counts.ts'
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
import { startRedis, type TestRedis } from '../support/processes/redis.ts'

const DOMAINS = 1_500
const folder = makeTemporaryFolder()
let world: ServedWorld
let redis: TestRedis
let env: Environment
let base: string
let secret: string
const roles: Command[] = []

async function run(role: string): Promise<Command> {
  const command = new Command([role], env)
  roles.push(command)
  return command
}

function ask(path: string, body?: object) {
  return fetch(`${base}${path}`, {
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
  })
}

const waiting = () => redis.redis.llen(`${REDIS_PREFIX}:observations:wait`)
const usedBytes = async () =>
  Number(/used_memory:(\d+)/.exec(await redis.redis.info('memory'))?.[1] ?? 0)

/** Waits until nothing was asked of the world for three seconds, and tells how it was before these. */
async function waitForStandstill() {
  for (;;) {
    const [requests, bytes] = [world.requests.size, await usedBytes()]
    await pause(3_000)
    if (world.requests.size === requests) return { requests, bytes }
  }
}

beforeAll(async () => {
  const made = createScaleWorld({ domains: DOMAINS, seed: 1 })
  world = await serveWorld(made)
  redis = await startRedis()
  const port = await findFreePort()
  base = `http://127.0.0.1:${port}`
  env = {
    DATA_DIR: folder.path,
    REDIS_URL: redis.url,
    PORT: String(port),
    CRAWL_CONNECT_TO: world.url,
    LOG_LEVEL: 'warn',
    LIMITS: JSON.stringify({
      observationsWaiting: 8,
      crawlBatchesInFlight: 8,
      crawlBatchSources: 100,
      redisConnectMs: 2_000,
    }),
  }
  await runForOutput(['org', 'create', '--name', 'Acme'], env)
  writeFileSync(`${folder.path}/domains.txt`, made.domains.join('\n'))
  secret = await runForOutput(['key', 'create', '--org', 'Acme'], env)
})

afterAll(async () => {
  for (const role of roles) await role.interrupt()
  await redis.close()
  await world.close()
  folder.remove()
})

describe('while the indexer is stopped', () => {
  test('crawling stalls, and Redis does not grow', async () => {
    await run('api')
    const indexer = await run('indexer')
    await run('crawler')
    await waitUntil(async () => (await ask('/readyz')).status === 200)
    const crawl = new Command(['crawl', '--domains', `${folder.path}/domains.txt`], env)
    await waitUntil(async () => world.requests.size > 300)
    indexer.child.kill('SIGSTOP')
    const { requests, bytes } = await waitForStandstill()
    expect(await usedBytes()).toBeLessThan(bytes * 1.1)
    expect(await waiting()).toBeLessThan(60)
    expect(requests).toBeLessThan(DOMAINS * 2)
    const asked = performance.now()
    const { stdout: report } = await runRegistry(['status'], env)
    expect(report).toContain('! the indexer does not answer')
    // Questions that work is done for may take ten minutes.
    expect(performance.now() - asked).toBeLessThan(5 * MINUTE)
    await waitUntil(async () =>
      /^waiting for the indexer, .+ \d+ s: .*kill -9 \d+/m.test(crawl.stderr),
    )
    const written = performance.now()
    const refused = await runRegistry(['org', 'create', '--name', 'Late'], env)
    expect(refused.stderr).toContain('It may still do this once it resumes')
    // An answer has a minute.
    expect(performance.now() - written).toBeLessThan(MINUTE / 2)
    indexer.child.kill('SIGCONT')
    const { status, stdout } = await crawl.finish()
    expect(stdout).toContain(`${formatCount(DOMAINS)} domains`)
    expect(status).toBe(0)
  })
})

describe('without Redis', () => {
  test('reads continue and writes answer 503 with Retry-After; then all work continues', async () => {
    await redis.stop()
    const read = await ask('/api/brands/resolve?domain=d000001-bench.example')
    expect(read.status).toBe(200)
    const bulk = await ask('/api/brands/resolve/bulk', { domains: ['d000001-bench.example'] })
    expect(bulk.status).toBe(200)
    const write = await ask('/api/registry/crawl-request', { domain: 'd000001-bench.example' })
    expect(write.status).toBe(503)
    expect(Number(write.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await write.json()).toMatchObject({ error: expect.any(String) })
    await redis.again()
    await waitUntil(async () => {
      const accepted = await ask('/api/registry/crawl-request', { domain: 'd000002-bench.example' })
      return accepted.status === 202
    })
  })

  test('the stores agree afterwards', async () => {
    expect((await runRegistry(['verify'], env)).stdout).toBe('All stores agree.\n')
  })

  test('commands report it, and each role stops on request', async () => {
    await redis.stop()
    const asked = await runRegistry(['verify'], env)
    expect(asked).toMatchObject({ status: 1, stdout: '' })
    expect(asked.stderr).toContain('Redis does not answer at ')
    for (const role of roles.splice(0)) {
      expect((await role.interrupt()).status).toBe(0)
    }
    await redis.again()
    expect((await runRegistry(['verify'], env)).stdout).toBe('All stores agree.\n')
  })
})
