import { mkdirSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import {
  Command,
  findFreePort,
  makeTemporaryFolder,
  waitUntil,
} from '../support/processes/command.ts'
import { startRedis } from '../support/processes/redis.ts'

const folder = makeTemporaryFolder()
afterAll(() => folder.remove())

test('a start without its Redis says so once, reads, and is ready when Redis answers', async () => {
  const redis = await startRedis()
  await redis.stop()
  const { url } = redis
  const env = { DATA_DIR: folder.path, PORT: String(await findFreePort()), REDIS_URL: url }
  const start = new Command(['start'], { ...env, CRAWL_CONNECT_TO: 'http://127.0.0.1:9' })
  const [, address] = await start.waitForOutput(/Agentic Ad Registry .*at (\S+)/)
  expect((await fetch(`${address}api/registry/stats`)).status).toBe(200)
  await start.waitForOutput(/Operator/)
  expect(start.stderr).toBe(
    `Redis does not answer at ${url}: start it, or correct REDIS_URL. Until then reads continue, ` +
      'crawls wait, and saves and sign-in are rejected.\n',
  )
  expect(start.stdout).not.toContain('Ready')
  await redis.again()
  await start.waitForOutput(/^Ready\./m)
  await waitUntil(async () => start.stderr.includes('Redis is reachable again'))
  expect(start.stderr.match(/Redis/g)).toHaveLength(2)
  await start.interrupt()
  await redis.close()
})

test.each(['indexer', 'crawler'])(
  'a role that runs alone says at once that its Redis is away, and is ready when Redis answers: %s',
  async name => {
    const redis = await startRedis()
    await redis.stop()
    const env = { DATA_DIR: `${folder.path}/${name}`, REDIS_URL: redis.url, LOG_LEVEL: 'info' }
    mkdirSync(env.DATA_DIR)
    const role = new Command([name], env)
    await waitUntil(async () => role.stderr.includes('Redis does not answer'))
    expect(role.stderr).toContain(
      `Redis does not answer at ${redis.url}: start it, or correct REDIS_URL`,
    )
    expect(role.stderr).not.toContain('ready')
    await redis.again()
    await waitUntil(async () => role.stderr.includes(`${name} ready`))
    const { stderr, status } = await role.interrupt()
    expect(status).toBe(0)
    expect(stderr.match(/"level":[4-6]0/g)).toHaveLength(2)
    expect(stderr).toContain('Redis is reachable again')
    await redis.close()
  },
)
