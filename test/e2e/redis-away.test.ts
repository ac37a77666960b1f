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
  const [, address] = await start.waitForOutput(/Agentic Ad Registry at (\S+)/)
  expect((await fetch(`${address}api/registry/stats`)).status).toBe(200)
  await start.waitForOutput(/Operator/)
  expect(start.stderr).toBe(
    `Redis does not answer at ${url}: start it, or correct REDIS_URL. Until then what is stored can be read, ` +
      'crawls wait, and saves and sign-in are refused.\n',
  )
  expect(start.stdout).not.toContain('Ready')
  await redis.again()
  await start.waitForOutput(/^Ready\./m)
  await waitUntil(async () => start.stderr.includes('Redis is reachable again'))
  expect(start.stderr.match(/Redis/g)).toHaveLength(2)
  await start.interrupt()
  await redis.close()
})
