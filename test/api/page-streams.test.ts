import { beforeAll, describe, expect, test } from 'vitest'
import { runWithin } from '../support/checks/measured-work.ts'
import { type OpenStream, openStream } from '../support/clients/event-stream.ts'
import { observePublisherFile } from '../support/fixtures/documents.ts'
import { openRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const registry = openForAll(() =>
  openRegistry({
    limits: { pageStreams: 4, pageStreamsPerCaller: 3 },
    settings: { TRUSTED_PROXIES: '127.0.0.1' },
  }),
)
let base: string
const streams: OpenStream[] = []

beforeAll(async () => {
  await commit('first')
  base = await registry.app.listen({ port: 0, host: '127.0.0.1' })
})

const commit = (name: string) =>
  registry.observe(observePublisherFile(`${name}.example`, { sites: [], agents: [] }))

async function open(address = '192.0.2.1'): Promise<OpenStream> {
  const headers = { 'x-forwarded-for': address }
  const stream = await openStream(`${base}/changes/stream`, undefined, headers)
  streams.push(stream)
  return stream
}

async function closeAll(): Promise<void> {
  for (const stream of streams.splice(0)) stream.close()
  await expect.poll(countOpen).toBe(0)
}

/** Counts the open streams by the metrics. */
async function countOpen(): Promise<number> {
  const text = await registry.metrics.text()
  return Number(/^registry_page_streams (\d+)/m.exec(text)?.[1])
}

describe('GET /changes/stream', () => {
  test('200: reports the last commit at once, and then each later one and each snapshot', async () => {
    const viewers = [await open(), await open()]
    const [first] = await Promise.all(viewers.map(viewer => viewer.next()))
    expect(viewers[0]!.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(first).toMatchObject({ event: 'state', data: { seq: registry.reader.serving!.seq } })
    await commit('second')
    for (const viewer of viewers) {
      const frame = await runWithin(5_000, () => viewer.next())
      expect(frame.data.seq).toBe(registry.reader.serving!.seq)
      expect(frame.data.seq).toBeGreaterThan(Number(first!.data.seq))
    }
    await registry.publish()
    const published = await runWithin(5_000, () => viewers[0]!.next())
    expect(published.data.snapshot_seq).toBe(registry.reader.snapshot!.seq)
    await closeAll()
  })

  test('503: a caller may have a limited number of streams, and another one once one is closed', async () => {
    for (let count = 0; count < 3; count++) await open()
    const headers = { 'x-forwarded-for': '192.0.2.1' }
    const refused = await fetch(`${base}/changes/stream`, { headers })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '30'])
    await closeAll()
    await (await open()).next()
    await closeAll()
  })

  test('200: where all are taken, the oldest of the caller with most gives way', async () => {
    const [oldest] = [await open(), await open(), await open()]
    await open('192.0.2.2')
    const latest = await open('192.0.2.3')
    expect((await latest.next()).event).toBe('state')
    await oldest!.next()
    await expect(runWithin(5_000, () => oldest!.next())).rejects.toThrow()
    expect(await countOpen()).toBe(4)
    await closeAll()
  })

  test('200: a HEAD takes none of them', async () => {
    const answer = await fetch(`${base}/changes/stream`, { method: 'HEAD' })
    expect(answer.status).toBe(200)
    expect(await countOpen()).toBe(0)
  })
})
