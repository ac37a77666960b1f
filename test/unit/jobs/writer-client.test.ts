import { setTimeout } from 'node:timers/promises'
import { Worker } from 'bullmq'
import { expect, it } from 'vitest'
import { openWriterClient } from '../../../jobs/api-client/writer-client.ts'
import { REDIS_PREFIX } from '../../../jobs/redis.ts'
import type { Domain } from '../../../pipeline/core/domain.ts'
import { createLog, silentLog } from '../../../pipeline/core/log.ts'
import { startRedis, startSlowRedis, type TestRedis } from '../../support/processes/redis.ts'
import { cleanUp } from '../../support/registry/registry.ts'

const request = { kind: 'lookup_host', host: 'acme.example' as Domain } as const

it('a live request that ends before the client listens is answered', async () => {
  const redis = await startRedis()
  cleanUp(() => redis.close())
  const writer = openWriterClient(await startSlowRedis(redis.url, 500, 'xread'), silentLog)
  const crawler = new Worker('live', () => setTimeout(150, { host: 'reachable' }), {
    prefix: REDIS_PREFIX,
    connection: { path: redis.url.slice('unix://'.length) },
  })
  expect(await writer.requestLive(request, 20_000)).toEqual({ host: 'reachable' })
  await crawler.close()
  await writer.close()
})

it('a live request that timed out is not run by a crawler that starts later', async () => {
  const redis = await startRedis()
  cleanUp(() => redis.close())
  const writer = openWriterClient(redis.url, silentLog)
  const waiting = () => redis.redis.llen(`${REDIS_PREFIX}:live:wait`)
  const refused = (ms: number) =>
    expect(writer.requestLive(request, ms)).rejects.toMatchObject({ error: 'unavailable' })
  await Promise.all([1, 2, 3].map(() => refused(2_000)))
  await expect.poll(waiting, { timeout: 10_000 }).toBe(0)
  const events = await redis.redis.xrange(`${REDIS_PREFIX}:live:events`, '-', '+')
  expect(events.filter(([, [, event]]) => event === 'added')).toHaveLength(3)

  const closed = refused(60_000)
  await expect.poll(waiting, { timeout: 10_000 }).toBe(1)
  await writer.close()
  await closed
  expect(await waiting()).toBe(0)
  expect(await redis.redis.keys(`${REDIS_PREFIX}:live:*-*-*-*-*`)).toEqual([])
})

it('a live request whose caller gave up ends, and leaves nothing in Redis', async () => {
  const redis = await startRedis()
  cleanUp(() => redis.close())
  const writer = openWriterClient(redis.url, silentLog)
  let end = () => {}
  const held = new Promise<void>(resolve => {
    end = resolve
  })
  let isOn = false
  const crawler = new Worker(
    'live',
    () => {
      isOn = true
      return held
    },
    { prefix: REDIS_PREFIX, connection: { path: redis.url.slice('unix://'.length) } },
  )
  crawler.on('error', () => undefined)
  const ended = new Promise(resolve => crawler.on('completed', resolve))
  const closed = expect(writer.requestLive(request, 60_000)).rejects.toMatchObject({
    error: 'unavailable',
  })
  await expect.poll(() => isOn).toBe(true)
  await writer.close()
  await closed
  end()
  await ended
  expect(await redis.redis.keys(`${REDIS_PREFIX}:live:*-*-*-*-*`)).toEqual([])
  await crawler.close()
})

it('a live request is refused when Redis disconnects, and nothing else fails', async () => {
  const redis = await startRedis()
  cleanUp(() => redis.close())
  const writer = openWriterClient(await startSlowRedis(redis.url, 1_000, 'live:failed'), silentLog)
  const asked = writer.requestLive(request, 4_000)
  await expect.poll(() => redis.redis.llen(`${REDIS_PREFIX}:live:wait`)).toBe(1)
  await redis.stop()
  await expect(asked).rejects.toMatchObject({ error: 'unavailable' })
  await writer.close()
})

it('a live request that fails leaves none of its secrets in Redis', async () => {
  const redis = await startRedis()
  cleanUp(() => redis.close())
  const writer = openWriterClient(redis.url, silentLog)
  const crawler = new Worker('live', () => Promise.reject(new Error('it failed')), {
    prefix: REDIS_PREFIX,
    connection: { path: redis.url.slice('unix://'.length) },
  })
  const code = {
    kind: 'exchange_openid_code',
    code: 'secret-code',
    code_verifier: 'secret-verifier',
    nonce: 'secret-nonce',
    issuer: 'https://provider.example',
    redirect_uri: 'https://registry.example/sign-in/return',
  } as const
  await expect(writer.requestLive(code, 20_000)).rejects.toMatchObject({ error: 'unavailable' })
  expect(await findKeysContaining(redis, 'secret-')).toEqual([])
  await crawler.close()
  await writer.close()
})

/** Lists the keys of Redis whose value contains a text, whatever their type. */
async function findKeysContaining({ redis }: TestRedis, text: string): Promise<string[]> {
  const keys = await redis.keys('*')
  const dumped = await Promise.all(keys.map(key => redis.dumpBuffer(key)))
  return keys.filter((_, at) => dumped[at]?.includes(text))
}

it('who gives up a storyboard, or closes, is not warned that it is unanswered', async () => {
  const redis = await startRedis()
  cleanUp(() => redis.close())
  const lines: string[] = []
  const to = { write: (line: string) => void lines.push(line) }
  const writer = openWriterClient(redis.url, createLog('indexer', 'warn', { to }))
  const waiting = () => redis.redis.llen(`${REDIS_PREFIX}:storyboards:wait`)
  const stop = new AbortController()
  const run = (signal: AbortSignal) =>
    writer
      .runStoryboard(
        { kind: 'suite', agent_url: 'https://ads.example/mcp', caller: 'acme' },
        { ms: 60_000, signal },
      )
      .catch((error: Error) => error.message)
  const runs = [run(stop.signal), run(new AbortController().signal)]
  await expect.poll(waiting).toBe(2)
  stop.abort('the indexer stops')
  await writer.close()
  expect(await Promise.all(runs)).toEqual(Array(2).fill(expect.stringContaining('try again')))
  expect(lines).toEqual([])
})
