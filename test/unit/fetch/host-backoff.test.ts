import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { limits } from '../../../pipeline/core/limits.ts'
import { crawlBatch, createHostLimiter } from '../../../pipeline/crawl/crawl-batch.ts'
import { testClock } from '../../support/worlds/clock.ts'
import {
  createFetcherTo,
  FILE_URL,
  fetchOptions,
  now,
  startOrigin,
  toOutcome,
} from '../../support/worlds/fetching.ts'

const other = 'https://acme.example/.well-known/adagents.json'
const elsewhere = 'https://nova.example/.well-known/adagents.json'

/** Opens a host that answers its first request with this, and all others with a file. */
async function openImpatientHost(status: number, headers: Record<string, string>) {
  const clock = testClock(now)
  let isFirst = true
  const served = await startOrigin(async (_, response) => {
    await pause(20)
    if (isFirst) response.writeHead(status, headers)
    isFirst = false
    response.end('{}')
  })
  return { clock, served, fetcher: createFetcherTo(served.url, { clock }) }
}

describe('a host in backoff', () => {
  it.each([
    [429, '120'],
    [503, 'Fri, 20 Nov 2026 03:02:00 GMT'],
  ])('by %i and Retry-After: %s gets no request until then', async (status, value) => {
    const { clock, served, fetcher } = await openImpatientHost(status, { 'retry-after': value })
    // All but the first already wait for their turn.
    const first = [FILE_URL, other, `${other}?2`].map(url =>
      fetcher.fetchDocument(url, fetchOptions),
    )
    expect((await Promise.all(first)).map(toOutcome).slice(1)).toEqual(['throttled', 'throttled'])
    clock.tick({ ms: 50_000 })
    const held = await fetcher.fetchDocument(other, fetchOptions)
    expect(held).toMatchObject({ outcome: 'throttled', retryAfterSeconds: 70 })
    expect(held).not.toHaveProperty('status')
    expect(toOutcome(await fetcher.fetchDocument(elsewhere, fetchOptions))).toBe('ok')
    expect(served.asked).toHaveLength(2)
    clock.tick({ ms: 70_000 })
    expect(toOutcome(await fetcher.fetchDocument(other, fetchOptions))).toBe('ok')
  })

  it('that asks for a year gets a day', async () => {
    const { clock, fetcher } = await openImpatientHost(429, { 'retry-after': '31536000' })
    await fetcher.fetchDocument(FILE_URL, fetchOptions)
    clock.tick({ hours: 23 })
    expect(toOutcome(await fetcher.fetchDocument(other, fetchOptions))).toBe('throttled')
    clock.tick({ hours: 1 })
    expect(toOutcome(await fetcher.fetchDocument(other, fetchOptions))).toBe('ok')
  })

  it.each([
    [429, undefined],
    [429, '0'],
    [503, 'soon'],
    [500, '120'],
    [404, '120'],
  ])('needs a clear signal: %i with Retry-After %s is none', async (status, value) => {
    const headers: Record<string, string> = value === undefined ? {} : { 'retry-after': value }
    const { fetcher } = await openImpatientHost(status, headers)
    await fetcher.fetchDocument(FILE_URL, fetchOptions)
    expect(toOutcome(await fetcher.fetchDocument(other, fetchOptions))).toBe('ok')
  })
})

describe('files by address', () => {
  it('on one host are fetched one at a time, whoever points there', async () => {
    let [inside, most] = [0, 0]
    const served = await startOrigin(async (_, response) => {
      most = Math.max(most, ++inside)
      await pause(5)
      inside--
      response.end('{}')
    })
    const deps = {
      fetcher: createFetcherTo(served.url),
      clock: testClock(now),
      limits,
      protocolName: 'proto',
    }
    const limitHost = createHostLimiter(64)
    const batches = [0, 1, 2].map(batch =>
      crawlBatch(
        Array.from({ length: 6 }, (_, i) => ({
          kind: 'adagents.json' as const,
          location: `https://manager.example/${batch}/${i}.json`,
        })),
        { ...deps, limitHost },
      ),
    )
    const observations = (await Promise.all(batches)).flat()
    expect(observations.map(({ outcome }) => outcome)).toEqual(Array(18).fill('ok'))
    expect(most).toBe(1)
  })
})
