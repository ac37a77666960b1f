import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createScaleWorld } from '../../scripts/world/scale.ts'
import { type ServedWorld, serveWorld } from '../../scripts/world/server.ts'
import {
  Command,
  findFreePort,
  makeTemporaryFolder,
  runForOutput,
  waitUntil,
} from '../support/processes/command.ts'

/** A span as a collector gets it, with the role that sent it. */
interface Span {
  role: string
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[]
}

interface Exported {
  resourceSpans: { resource: Pick<Span, 'attributes'>; scopeSpans: { spans: Span[] }[] }[]
}

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const folder = makeTemporaryFolder()
const { domains } = createScaleWorld({ domains: 12, seed: 1 })
const spans: Span[] = []
let world: ServedWorld
let collector: Server
let start: Command
let base: string
let secret: string

beforeAll(async () => {
  world = await serveWorld(createScaleWorld({ domains: 12, seed: 1 }))
  collector = createServer(async (request, response) => {
    const exported = (await json(request)) as Exported
    for (const { resource, scopeSpans } of exported.resourceSpans) {
      const role = resource.attributes.find(({ key }) => key === 'service.name')!.value.stringValue!
      spans.push(...scopeSpans.flatMap(scope => scope.spans.map(span => ({ ...span, role }))))
    }
    response.setHeader('content-type', 'application/json').end('{}')
  }).listen(0, '127.0.0.1')
  await once(collector, 'listening')
  const env = {
    DATA_DIR: folder.path,
    CRAWL_CONNECT_TO: world.url,
    PORT: String(await findFreePort()),
    LOG_LEVEL: 'warn',
    REDIS_URL: undefined,
    TRUSTED_PROXIES: '127.0.0.1',
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
  }
  await runForOutput(['org', 'create', '--name', 'Acme'], env)
  secret = await runForOutput(['key', 'create', '--org', 'Acme'], env)
  start = new Command(['start'], env)
  await start.waitForOutput(/^Ready\./m)
  base = `http://127.0.0.1:${env.PORT}`
})

afterAll(async () => {
  await start?.interrupt()
  collector?.close()
  await world?.close()
  folder.remove()
})

function requestCrawl(domain: string, headers: Record<string, string>) {
  return fetch(`${base}/api/registry/crawl-request`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ domain }),
  })
}

const readFact = (span: Span, key: string) =>
  span.attributes.find(attribute => attribute.key === key)?.value.stringValue
const find = (name: string) =>
  waitUntil(async () => spans.find(span => span.name === name && span.traceId === TRACE))

describe('the traces of a registry', () => {
  test('a request that a proxy traced is one trace through every process that it reaches', async () => {
    const traceparent = `00-${TRACE}-b7ad6b7169203331-01`
    const { status } = await requestCrawl(domains[0]!, {
      traceparent,
      'x-forwarded-for': '192.0.2.1',
    })
    expect(status).toBe(202)
    const request = await find('POST /api/registry/crawl-request')
    expect([request.role, request.parentSpanId]).toEqual(['api', 'b7ad6b7169203331'])
    const commit = await find('commit submissions')
    expect([commit.role, commit.parentSpanId]).toEqual(['indexer', request.spanId])
    const step = await find('index')
    expect([step.role, step.parentSpanId]).toEqual(['indexer', commit.spanId])
    const live = await waitUntil(async () =>
      spans.find(({ role, traceId }) => role === 'crawler' && traceId === TRACE),
    )
    expect(live.name).toMatch(/live|resolve/)
  })

  test('a batch of the crawl is one trace from the dispatch to the commit', async () => {
    const crawled = await waitUntil(async () =>
      spans.find(
        span => span.name === 'crawl adagents.json' && readFact(span, 'location') === domains[0],
      ),
    )
    expect([crawled.role, readFact(crawled, 'outcome')]).toEqual(['crawler', 'ok'])
    const fetched = await waitUntil(async () =>
      spans.find(({ parentSpanId }) => parentSpanId === crawled.spanId),
    )
    expect([fetched.name, readFact(fetched, 'host')]).toEqual(['fetch GET', domains[0]])
    const committed = await waitUntil(async () =>
      spans.find(
        ({ name, traceId }) => name === 'commit observations' && traceId === crawled.traceId,
      ),
    )
    expect(committed.role).toBe('indexer')
  })

  test('a caller that is no proxy cannot have requests join its trace', async () => {
    const theirs = 'f'.repeat(31)
    const traceparent = `00-${theirs}0-b7ad6b7169203331-01`
    expect((await requestCrawl(domains[1]!, { traceparent })).status).toBe(202)
    await waitUntil(async () => {
      const requests = spans.filter(({ name }) => name === 'POST /api/registry/crawl-request')
      return requests.length > 1
    })
    expect(spans.filter(({ traceId }) => traceId.startsWith(theirs))).toEqual([])
  })

  test('no span holds a credential', () => {
    expect(JSON.stringify(spans)).not.toContain(secret)
  })
})
