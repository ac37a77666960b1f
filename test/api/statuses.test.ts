import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { Operation } from '../../api/operation.ts'
import { operations } from '../../api/routes/index.ts'
import type { Desk } from '../../jobs/enqueue.ts'
import { publicErrors } from '../../pipeline/core/errors.ts'
import { openRegistry, type TestRegistry } from '../support/app.ts'
import { type Ask, always, asks, type Known, url, type Whom } from '../support/asks.ts'
import { brandFile, publisherFile } from '../support/documents.ts'
import { startRedis, type TestRedis } from '../support/redis.ts'

let redis: TestRedis
let registries: Record<Whom, TestRegistry>
let keys: Record<Whom, string>
let isAsDescribed: Ajv2020
const known = {} as Known

/** A web on which every name is public, and which has nothing more to say. */
const quietWeb = (async ({ errand }) =>
  errand === 'lookup_host' ? { host: 'public' } : { enrichment: null }) as Desk['send']

/** No limit is in the way of the usual one; each of the strict one's is 1. */
const generous = { bulkResolvePerMinute: 1_000, crawlRequestsPerHour: 1_000 }
const strict = { bulkResolvePerMinute: 1, outwardPerMinute: 1, outwardPerCallerMinute: 1 }

beforeAll(async () => {
  redis = await startRedis()
  const desk = { send: quietWeb }
  registries = {
    usual: await openRegistry({ redis: redis.redis, desk, limits: generous }),
    strict: await openRegistry({ redis: redis.redis, desk, limits: strict }),
    lonely: await openRegistry({ desk }),
    empty: await openRegistry(),
  }
  const { usual, empty: _, ...others } = registries
  keys = { usual: await usual.createKey('Readers'), empty: 'sk_nobody' } as typeof keys
  for (const [whom, one] of Object.entries(others))
    keys[whom as Whom] = await one.createKey('Readers')
  const sites = ['acme.example', 'www.acme.example']
  await usual.observe(
    brandFile('acme.example', 'Acme'),
    publisherFile('acme.example', { sites, agents: [url], placements: ['top'] }),
  )
  await usual.publish()
  const payload = { domain: 'crawled.example' }
  known.crawlRequest = (
    await ask(operationOf('requestCrawl'), 202, { payload })
  ).json().crawl_request_id
  isAsDescribed = new Ajv2020({ strict: false })
  addFormats.default(isAsDescribed)
  isAsDescribed.addSchema(parse((await usual.app.inject('/openapi/registry.yaml')).body), 'api')
}, 60_000)

afterAll(async () => {
  for (const registry of Object.values(registries)) await registry.close()
  await redis.close()
})

function operationOf(id: string): Operation {
  return operations.find(one => one.id === id)!
}

const usually: Readonly<Record<number, Whom>> = { 429: 'strict', 503: 'lonely' }

function ask({ method, path }: Operation, status: number, asked: Ask) {
  const { place, query, payload, whom = usually[status] ?? 'usual' } = asked
  const at = place === undefined ? path : path.replace(/:\w+/, place)
  return registries[whom].app.inject({
    method,
    url: query === undefined ? at : `${at}?${query}`,
    headers: {
      ...(status !== 401 && { authorization: `Bearer ${keys[whom]}` }),
      ...(typeof payload === 'string' && { 'content-type': 'application/json' }),
      ...asked.headers,
    },
    ...(payload !== undefined && { payload }),
  })
}

/** Statuses of the description, without those that are ours alone and those that another test reads. */
function statusesOf({ id, reply, errors, access, limit }: Operation): number[] {
  const refusals = [
    ...errors.map(name => publicErrors[name].status),
    ...(access === 'bearer' ? [401] : []),
    ...(limit ? [429] : []),
  ]
  const all = [...new Set([...Object.keys(reply).map(Number), ...refusals])]
  // A stream has no end that could be waited for; feed-stream.test.ts reads it.
  return id === 'streamFeed' ? all.filter(status => status !== 200 && status !== 429) : all
}

const cases = operations.flatMap(operation =>
  statusesOf(operation).map(status => [operation.id, status, operation] as const),
)

describe('every operation answers each status that it is described with, as described', () => {
  test.each(cases)('%s: %i', async (id, status, operation) => {
    const asking = asks[id]?.[status] ?? always[status]
    if (asking === undefined)
      throw new Error(`test/support/asks.ts has no request for ${id}: ${status}`)
    const asked = typeof asking === 'function' ? asking(known) : asking
    let answer = await ask(operation, status, asked)
    // The first request of a limit's time may still pass.
    if (status === 429 && answer.statusCode !== 429) answer = await ask(operation, status, asked)
    expect(answer.statusCode, answer.body.slice(0, 500)).toBe(status)
    const type = String(answer.headers['content-type']).split(';')[0]!
    const place = `${operation.path
      .replace(/:(\w+)/g, '{$1}')
      .replaceAll('~', '~0')
      .replaceAll('/', '~1')}/${operation.method.toLowerCase()}`
    const content = `api#/paths/${encodeURI(place)}/responses/${status}/content/${type.replaceAll('/', '~1')}`
    const described = isAsDescribed.getSchema(`${content}/schema`)
    expect(described, `${status} ${type} is not described`).toBeDefined()
    if (type !== 'application/json') return
    described!(answer.json())
    expect(described!.errors ?? []).toEqual([])
  })
})

test('there is no request for an operation that is gone', () => {
  const ids = new Set(operations.map(({ id }) => id))
  expect(Object.keys(asks).filter(id => !ids.has(id))).toEqual([])
})
