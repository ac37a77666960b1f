import { connect } from 'node:net'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildApp } from '../../api/app.ts'
import { findReportedProblems } from '../../api/operator/health.ts'
import { createRefusingWriter } from '../../jobs/api-client/refusing-writer.ts'
import { buildFetcherOptions } from '../../jobs/crawler/fetcher-options.ts'
import { RoleMetrics } from '../../jobs/metrics/role-metrics.ts'
import { formatTime, MINUTE, SECOND, toIso } from '../../pipeline/core/clock.ts'
import { readConfig } from '../../pipeline/core/config.ts'
import { silentLog } from '../../pipeline/core/log.ts'
import { createFetcher } from '../../pipeline/fetch/http.ts'
import { Reader } from '../../pipeline/read/reader.ts'
import { Follower } from '../../pipeline/replica/follower.ts'
import { nameContent } from '../../pipeline/replica/manifest.ts'
import { openHttpOrigin } from '../../pipeline/replica/origin.ts'
import type { StatePublisher } from '../../pipeline/replica/state-publisher.ts'
import { resolvePaths } from '../../pipeline/store/paths.ts'
import { observeFile } from '../support/fixtures/observations.ts'
import { openRegistry, type TestRegistry } from '../support/registry/app.ts'
import { buildPublisher } from '../support/registry/publishing-registry.ts'
import { makeDataDir } from '../support/registry/registry.ts'
import { buildWebsite } from '../support/worlds/nights.ts'

const folders = [makeDataDir(), makeDataDir()]
const [published, copied] = [join(folders[0]!.dir, 'published'), folders[1]!.dir]
let registry: TestRegistry
let publisher: StatePublisher
let follower: Follower
let reader: Reader
let app: FastifyInstance
let fetcher: ReturnType<typeof createFetcher>
let url: string
let origin: string
let secret: string
const metrics = new RoleMetrics('api')

beforeAll(async () => {
  registry = await openRegistry({ settings: { PUBLISH_TO: published } })
  await crawlPublisher('acme')
  await registry.publish()
  publisher = buildPublisher(registry.sequencer, registry.clock, published)
  await publisher.publish()
  secret = await registry.createKey('Acme Ads')
  origin = await registry.app.listen({ host: '127.0.0.1', port: 0 })
  const config = readConfig({
    DATA_DIR: copied,
    REPLICA_OF: origin,
    BASE_URL: 'https://registry.example',
  })
  fetcher = createFetcher(buildFetcherOptions(config, registry.clock, silentLog))
  follower = new Follower({
    origin: openHttpOrigin(fetcher, origin),
    paths: resolvePaths(copied),
    clock: registry.clock,
    log: silentLog,
  })
  await follower.follow()
  await follower.settle()
  reader = new Reader(copied, registry.clock)
  await reader.follow(10)
  const writer = createRefusingWriter()
  app = buildApp({ config, reader, clock: registry.clock, log: silentLog, writer, metrics })
  url = await app.listen({ host: '127.0.0.1', port: 0 })
})

afterAll(async () => {
  await app.close()
  await reader.close()
  await follower.close()
  await fetcher.close()
  await registry.close()
  for (const { remove } of folders) remove()
})

function crawlPublisher(name: string) {
  return registry.observe(
    observeFile(
      'adagents.json',
      `${name}.example`,
      { authorized_agents: [], properties: [buildWebsite(`${name}.example`)] },
      registry.clock.now(),
    ),
  )
}

const ask = (path: string) => fetch(`${url}${path}`)

describe('the published files', () => {
  const read = (path: string, headers: Record<string, string> = {}) =>
    registry.app.inject({ url: `/data/${path}`, headers })

  it('are served by their content, for ever and by ranges; only the manifest is asked for again', async () => {
    const manifest = await read('manifest.json')
    const etag = String(manifest.headers.etag)
    const { base } = manifest.json<{ base: { name: string; bytes: number } }>()
    expect((await read('manifest.json', { 'if-none-match': etag })).statusCode).toBe(304)
    const { rawPayload: bytes, headers } = await read(`files/${base.name}`)
    expect(nameContent(bytes, 'mdb')).toBe(base.name)
    expect(headers['cache-control']).toContain('immutable')
    const part = await read(`files/${base.name}`, { range: 'bytes=100-199' })
    expect(part.statusCode).toBe(206)
    expect(part.headers['content-range']).toBe(`bytes 100-199/${base.bytes}`)
    expect(part.rawPayload).toEqual(bytes.subarray(100, 200))
    const beyond = await read(`files/${base.name}`, { range: `bytes=${base.bytes}-` })
    expect(beyond.statusCode).toBe(416)
    const known = { 'if-none-match': String(headers.etag) }
    expect((await read(`files/${base.name}`, known)).statusCode).toBe(304)
    await crawlPublisher('later')
    await publisher.publish()
    expect((await read('manifest.json', { 'if-none-match': etag })).statusCode).toBe(200)
  })

  it.each(['files/manifest.json', 'files/..%2fmanifest.json', `files/${'0'.repeat(64)}.mdb`])(
    '404: %s',
    async path => {
      expect((await read(path)).statusCode).toBe(404)
    },
  )
})

describe('the API of a replica that follows over HTTP', () => {
  it('answers as its registry does, byte for byte, and says how far it may be behind', async () => {
    for (const path of ['/api/registry/publisher?domain=acme.example', '/api/registry/stats']) {
      const [ours, theirs] = await Promise.all([ask(path), registry.app.inject(path)])
      expect([ours.status, await ours.text()]).toEqual([theirs.statusCode, theirs.body])
      expect(Number(ours.headers.get('x-replica-lag'))).toBeGreaterThanOrEqual(0)
    }
  })

  it('refuses writes and credentials that only its registry knows, and says where to send them', async () => {
    const write = {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ domain: 'acme.example' }),
    }
    const crawl = await fetch(`${url}/api/registry/crawl-request`, write)
    const refused = (await crawl.json()) as { error: string; origin_url: string }
    const address = `${origin}/api/registry/crawl-request`
    expect([crawl.status, refused]).toEqual([
      503,
      {
        error: `This is a replica: ask the registry that it follows, ${origin}.`,
        code: 'unavailable',
        origin_url: address,
      },
    ])
    expect(crawl.headers.has('retry-after')).toBe(false)
    const [there, asked] = await Promise.all([
      fetch(refused.origin_url, write),
      fetch(address, write),
    ])
    expect(there.status).not.toBe(401)
    expect(there.status).toBe(asked.status)
    const feed = await ask('/api/registry/feed?limit=1')
    const known = await fetch(((await feed.json()) as { origin_url: string }).origin_url, {
      headers: write.headers,
    })
    expect([feed.status, known.status]).toEqual([503, 200])
  })

  it('names no host but that of its registry, whatever was requested', async () => {
    for (const target of [
      'http://evil.example/api/registry/crawl-request',
      '//evil.example/api/registry/crawl-request',
      '/api/registry/crawl-request?next=http://evil.example',
    ]) {
      const socket = connect(Number(new URL(url).port), '127.0.0.1')
      socket.end(
        `POST ${target} HTTP/1.1\r\nhost: evil.example\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`,
      )
      const answer = (await socket.toArray()).join('')
      const named = /"origin_url":"([^"]*)"/.exec(answer)?.[1]
      expect([target, answer.startsWith('HTTP/1.1 2')]).toEqual([target, false])
      if (named !== undefined) expect(new URL(named).origin).toBe(origin)
    }
  })

  it('sends to the public address that its registry publishes, if it does', async () => {
    const base = 'https://public.registry.example'
    const named = buildPublisher(registry.sequencer, registry.clock, published, base)
    await named.publish()
    await follower.follow()
    await expect.poll(() => reader.replica?.base_url).toBe(base)
    const refused = await ask('/api/me/api-keys?limit=1')
    expect([refused.status, await refused.json()]).toMatchObject([
      503,
      { origin_url: `${base}/api/me/api-keys?limit=1` },
    ])
    await publisher.publish()
  })

  it('measures its lag, which its registry does not, and names it to its operator', async () => {
    const paths = resolvePaths(copied)
    const values = await metrics.read()
    const read = (name: string) => values.find(each => each.name === name)?.values[0]?.value
    const complete = Date.parse(reader.replica?.caught_up_at ?? '')
    expect(read('registry_replica_lag_seconds')).toBeCloseTo(
      (registry.clock.now() - complete) / SECOND,
      0,
    )
    const reports = [{ role: 'api', values, restarts: 0 }]
    const isOfReplica = (problem: string) => problem.startsWith('this replica lacks')
    const find = (lagMs: number) =>
      findReportedProblems(reports, paths, complete + lagMs).filter(isOfReplica)
    expect(find(MINUTE)).toEqual([])
    expect(find(MINUTE + 1)).toEqual([
      `this replica lacks what ${reader.replica?.origin} has published since ${formatTime(toIso(complete))}`,
    ])
    const own = await registry.metrics.read()
    expect(own.find(({ name }) => name === 'registry_replica_lag_seconds')?.values).toEqual([])
  })

  it('drops no request while its stores are replaced', async () => {
    const statuses = new Map<number, number>()
    let isEnding = false
    const load = Array.from({ length: 8 }, async () => {
      while (!isEnding) {
        const { status } = await ask('/api/registry/publisher?domain=acme.example')
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
    })
    const inodes = new Set<unknown>()
    for (const name of ['one', 'two', 'three']) {
      await crawlPublisher(name)
      await registry.sequencer.restartChain()
      await publisher.publish()
      await follower.follow()
      await expect.poll(() => reader.serving?.chain).toBe(registry.sequencer.serving.chain)
      inodes.add(reader.serving)
      const found = await ask(`/api/registry/publisher?domain=${name}.example`)
      expect(found.status).toBe(200)
    }
    isEnding = true
    await Promise.all(load)
    expect(inodes.size).toBe(3)
    expect([...statuses.keys()]).toEqual([200])
    expect(statuses.get(200)).toBeGreaterThan(20)
  })
})
