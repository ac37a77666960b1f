import type { ServerResponse } from 'node:http'
import { PassThrough } from 'node:stream'
import { beforeAll, describe, expect, test } from 'vitest'
import { FeedStreams } from '../../api/responses/feed-streams.ts'
import { DAY } from '../../pipeline/core/clock.ts'
import { silentLog } from '../../pipeline/core/log.ts'
import { NIL_UUID } from '../../pipeline/core/uuid-v7.ts'
import { eventTypeNames } from '../../pipeline/model/event.ts'
import { runWithin } from '../support/checks/measured-work.ts'
import { type Frame, type OpenStream, openStream } from '../support/clients/event-stream.ts'
import { observePublisherFile } from '../support/fixtures/documents.ts'
import { openRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const registry = openForAll(() => openRegistry({ limits: { feedStreamsPerCaller: 3 } }))
let key: string
let base: string
const streams: OpenStream[] = []

beforeAll(async () => {
  key = await registry.createKey('Readers')
  await publish('first')
  base = await registry.app.listen({ port: 0, host: '127.0.0.1' })
})

async function publish(name: string): Promise<void> {
  const domain = `${name}.example`
  await registry.observe(observePublisherFile(domain, { sites: [domain], agents: [] }))
}

async function open(query = ''): Promise<OpenStream> {
  const stream = await openStream(`${base}/api/registry/feed/stream${query}`, key)
  streams.push(stream)
  return stream
}

async function closeAll(): Promise<void> {
  for (const stream of streams.splice(0)) stream.close()
  while ((await openCount()) > 0) await new Promise(done => setTimeout(done, 10))
}

/** Reads the number of open streams from the metrics. */
async function openCount(): Promise<number> {
  const text = await registry.metrics.text()
  return Number(/^registry_feed_streams (\d+)/m.exec(text)?.[1])
}

const listTypes = ({ data }: Frame) =>
  (data.events as { event_type: string }[]).map(({ event_type }) => event_type)

describe('GET /api/registry/feed/stream', () => {
  test('200: existing events come at once, later ones within a second of their commit', async () => {
    const stream = await open(`?cursor=${NIL_UUID}`)
    expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(stream.headers.get('cache-control')).toBe('no-cache, no-transform')
    const first = await stream.next()
    expect(first.event).toBe('feed')
    expect(listTypes(first)).toContain('property.created')
    await publish('second')
    const second = await runWithin(5_000, () => stream.next())
    expect(second).toMatchObject({ event: 'feed', data: { has_more: false } })
    expect(JSON.stringify(second.data)).toContain('second.example')
    await closeAll()
  })

  test('200: continues where a browser says, or begins at a time', async () => {
    const stream = await open(`?cursor=${NIL_UUID}`)
    const { id, data } = await stream.next()
    expect(id).toBe(data.cursor)
    await publish('later')
    const token = { 'last-event-id': String(id) }
    const resumed = await openStream(
      `${base}/api/registry/feed/stream?cursor=${NIL_UUID}`,
      key,
      token,
    )
    streams.push(resumed)
    const page = await resumed.next()
    expect(JSON.stringify(page.data)).toContain('later.example')
    expect(JSON.stringify(page.data)).not.toContain('first.example')
    const since = new Date(registry.clock.now() - DAY).toISOString()
    expect(JSON.stringify((await (await open(`?since=${since}`)).next()).data)).toContain(
      'first.example',
    )
    await expect(
      openStream(`${base}/api/registry/feed/stream`, key, { 'last-event-id': '7' }),
    ).rejects.toThrow('400')
    await closeAll()
  })

  test('200: a reader at the head gets a heartbeat at once', async () => {
    const { cursor } = (await (await open()).next()).data
    const stream = await open(`?cursor=${cursor}`)
    expect(await stream.next()).toMatchObject({
      event: 'heartbeat',
      data: { cursor, generated_at: expect.any(String), freshness: { retention_days: 90 } },
    })
    await closeAll()
  })

  test('200: a filter passes only its types, and no page is empty', async () => {
    const stream = await open(`?types=collection.*`)
    expect((await stream.next()).event).toBe('heartbeat')
    await publish('third')
    const other = await open(`?types=publisher.*`)
    expect(new Set(listTypes(await other.next()))).toEqual(
      new Set(['publisher.adagents_discovered']),
    )
    expect(stream.waiting).toBe(0)
    await closeAll()
  })

  test('200: pages follow each other until everything was read, each event once', async () => {
    const sites = Array.from({ length: 250 }, (_, i) => `s${i}.large.example`)
    await registry.observe(observePublisherFile('large.example', { sites, agents: [] }))
    const stream = await open('?types=property.*')
    const ids: string[] = []
    for (let more = true; more; ) {
      const { data } = await stream.next()
      ids.push(...(data.events as { event_id: string }[]).map(({ event_id }) => event_id))
      more = data.has_more as boolean
    }
    expect(ids.length).toBeGreaterThan(250)
    expect(ids).toEqual([...new Set(ids)].sort())
    await closeAll()
  })

  test('200: a page has at most the requested number, also where other readers wait for more', async () => {
    const { cursor } = (await (await open('?limit=10000')).next()).data
    await closeAll()
    const [two, all] = [await open(`?cursor=${cursor}&limit=2`), await open(`?cursor=${cursor}`)]
    expect([(await two.next()).event, (await all.next()).event]).toEqual(['heartbeat', 'heartbeat'])
    await publish('fourth')
    const whole = listTypes(await all.next())
    const sizes: number[] = []
    const parts: string[] = []
    while (parts.length < whole.length) {
      const part = listTypes(await two.next())
      sizes.push(part.length)
      parts.push(...part)
    }
    expect(parts).toEqual(whole)
    expect(Math.max(...sizes)).toBe(2)
    await closeAll()
    for (const limit of ['0', '10001', 'many']) {
      const refused = await registry.send('GET', `/api/registry/feed/stream?limit=${limit}`, {
        key,
      })
      expect(refused.statusCode).toBe(400)
    }
  })

  test('200: a HEAD is answered at once and takes no stream', async () => {
    const answer = await fetch(`${base}/api/registry/feed/stream`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${key}` },
    })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
    ])
    expect(await openCount()).toBe(0)
  })

  test('503: a caller has a bounded number of streams, and a closed one makes room', async () => {
    await Promise.all([open(), open(), open()])
    const refused = await fetch(`${base}/api/registry/feed/stream`, {
      headers: { authorization: `Bearer ${key}` },
    })
    expect(refused.status).toBe(503)
    expect(await refused.json()).toEqual({
      error: expect.any(String),
      code: 'unavailable',
      retry_after: 30,
    })
    await closeAll()
    expect((await (await open()).next()).event).toBe('feed')
    await closeAll()
  })

  test.each([
    ['400: a rhythm that is too quick', '?poll_interval_seconds=4', 400],
    ['400: a cursor that is none', '?cursor=x', 400],
    ['410: a cursor that was never issued', '?cursor=01900000-0000-7000-8000-000000000000', 410],
  ])('%s is refused before the stream starts', async (_, query, status) => {
    const answer = await registry.send('GET', `/api/registry/feed/stream${query}`, { key })
    expect(answer.statusCode).toBe(status)
    expect(answer.headers['content-type']).toContain('application/json')
  })

  test('200 then an error: a cursor that expires meanwhile ends the stream', async () => {
    const own = await openRegistry()
    const token = await own.createKey('Readers')
    const observation = observePublisherFile('old.example', { sites: ['old.example'], agents: [] })
    await own.observe(observation)
    const url = await own.app.listen({ port: 0, host: '127.0.0.1' })
    const stream = await openStream(
      `${url}/api/registry/feed/stream?poll_interval_seconds=5`,
      token,
    )
    expect((await stream.next()).event).toBe('feed')
    own.clock.tick(91 * DAY)
    await own.observe(observePublisherFile('new.example', { sites: ['new.example'], agents: [] }))
    expect(await stream.next()).toMatchObject({
      event: 'error',
      data: { error: 'cursor_expired', message: expect.any(String) },
    })
    expect(await stream.ended).toBe(true)
    await own.close()
  })

  test('200: a stream that is ended while it catches up is not written anymore', async () => {
    const streams = new FeedStreams(registry.reader, registry.config, silentLog)
    const open = streams.admit({
      cursor: NIL_UUID,
      types: eventTypeNames,
      limit: 1,
      heartbeatMs: 60_000,
      principal: 'a',
    })
    const response = new PassThrough({ autoDestroy: false })
    const frames: Buffer[] = []
    response.on('data', frame => {
      frames.push(frame)
      streams.close()
    })
    open(response as unknown as ServerResponse)
    await new Promise(done => response.on('end', done))
    await new Promise(done => setTimeout(done, 20))
    expect(frames).toHaveLength(1)
  })

  test('200: a thousand readers without a cursor take turns, and read the same bytes', async () => {
    const own = await openRegistry({ limits: { feedStreamsPerCaller: 1_000 } })
    const sites = Array.from({ length: 100 }, (_, i) => `s${i}.large.example`)
    await own.observe(observePublisherFile('large.example', { sites, agents: [] }))
    const streams = new FeedStreams(own.reader, own.config, silentLog)
    const request = { cursor: NIL_UUID, types: eventTypeNames, limit: 10, heartbeatMs: 60_000 }
    const written: { reader: number; frame: Buffer }[] = []
    const admitted = Array.from({ length: 1_000 }, () =>
      streams.admit({ ...request, principal: 'a' }),
    )
    for (const [reader, open] of admitted.entries()) {
      const response = new PassThrough({ highWaterMark: 2 ** 30 })
      response.on('close', () => undefined)
      const write = response.write.bind(response)
      response.write = ((frame: Buffer) => {
        written.push({ reader, frame })
        return write(frame)
      }) as typeof response.write
      open(response as unknown as ServerResponse)
    }
    await expect.poll(() => written.length).toBeGreaterThan(10_000)
    const first = written.slice(0, 1_000)
    expect(new Set(first.map(({ reader }) => reader)).size).toBe(1_000)
    expect(new Set(first.map(({ frame }) => frame)).size).toBe(1)
    const all = new Set(written.map(({ frame }) => frame))
    expect(all.size).toBeLessThan(3 * (written.length / 1_000))
    streams.close()
    await own.close()
  })
})
