import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import type { InjectOptions } from 'fastify'
import { beforeAll, expect, test } from 'vitest'
import { operations } from '../../api/routes/index.ts'
import { eventTypeNames } from '../../pipeline/model/event.ts'
import { runWithin } from '../support/checks/measured-work.ts'
import { observeBrandFile, observePublisherFile } from '../support/fixtures/documents.ts'
import { openRegistry } from '../support/registry/app.ts'
import { enrol } from '../support/registry/members.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const REQUESTS = 10_000
const SEED = 20_261_120
const ANSWER_MS = 2_000

const registry = openForAll(() =>
  openRegistry({
    limits: { bulkResolvePerMinute: 1e9 },
    settings: { BILLING_WEBHOOK_SECRET: 'that nobody here signs with' },
  }),
)
let key: string

beforeAll(async () => {
  key = await registry.createKey('Readers')
  await enrol(registry, {
    org: 'Acme',
    tier: 'company_leader',
    domains: ['a.example'],
    agents: [
      { url: 'https://agent.example/mcp' },
      { url: 'https://b.example', type: 'measurement' },
    ],
  })
  for (const name of ['a', 'b', 'c']) {
    const domain = `${name}.example`
    const sites = [domain, `www.${domain}`]
    await registry.observe(
      observeBrandFile(domain, `Brand ${name}`),
      observePublisherFile(domain, {
        sites,
        agents: ['https://agent.example/mcp'],
        placements: ['top'],
      }),
    )
  }
  await registry.publish()
})

const odd = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom('', ' ', '%', '%zz', '..', '__proto__', '\0', "' or 1=1 --", '{}', '-1', '1e9'),
  fc.integer().map(String),
)
const domain = fc.oneof(
  fc.constantFrom('a.example', 'B.example', 'nobody.example', ' c.example', 'bücher.example'),
  fc.domain(),
  odd,
)
const cursor = fc.oneof(fc.constantFrom('', '00000000-0000-0000-0000-000000000000'), fc.uuid(), odd)
const types = fc.oneof(
  fc
    .array(fc.oneof(fc.constantFrom(...eventTypeNames, 'agent.*', '*', '*.c*d'), odd), {
      maxLength: 4,
    })
    .map(list => list.join()),
  odd,
)
const value: Record<string, fc.Arbitrary<string>> = {
  domain,
  cursor,
  types,
  limit: fc.oneof(fc.integer({ min: -5, max: 20_000 }).map(String), odd),
  offset: fc.oneof(fc.integer({ min: -5, max: 20_000 }).map(String), odd),
  search: odd,
  q: fc.oneof(fc.constantFrom('brand', 'brnad', 'a.example', 'www', 'ab'), odd),
  source: fc.oneof(fc.constantFrom('brand_json', 'community', 'adagents_json'), odd),
  include: fc.oneof(fc.constantFrom('placements', 'agents', 'effective', 'raw'), odd),
  agent_url: fc.oneof(
    fc.constantFrom('https://agent.example/mcp', 'HTTPS://AGENT.example/mcp/'),
    odd,
  ),
  channels: fc.oneof(fc.constantFrom('display', 'display,ctv', Array(101).fill('x').join()), odd),
  since: fc.oneof(
    fc.date().map(String),
    fc.constantFrom('2026-01-01', '2026-13-01T00:00:00Z'),
    odd,
  ),
  type: fc.oneof(fc.constantFrom('sales', 'measurement', 'si'), odd),
  scope: fc.oneof(fc.constantFrom('all', 'PRIVATE', 'none'), odd),
  health: fc.oneof(fc.constantFrom('true', '1'), odd),
  properties: fc.oneof(fc.constantFrom('true', '1'), odd),
  metric_id: odd,
  format_kind: odd,
  verified: fc.oneof(fc.constantFrom('true', 'false'), odd),
  fresh: fc.oneof(fc.constantFrom('true', 'false'), odd),
}

const query = fc
  .array(
    fc
      .constantFrom(...Object.keys(value), 'other')
      .chain(name => fc.tuple(fc.constant(name), value[name] ?? odd)),
    { maxLength: 4 },
  )
  .chain(pairs => fc.tuple(fc.constant(pairs), fc.boolean()))
  .map(([pairs, isEscaped]) =>
    pairs.map(
      ([name, text]) => `${name}=${isEscaped ? encodeURIComponent(text) : encodeURI(text)}`,
    ),
  )
  .map(pairs => pairs.join('&'))

const body = fc.oneof(
  fc.array(domain, { maxLength: 110 }).map(domains => JSON.stringify({ domains })),
  domain.map(value => JSON.stringify({ domain: value })),
  fc.json({ maxDepth: 3 }),
  odd,
)

/** Everything but what asks other processes, and what never ends. */
const elsewhere =
  /^request|^save|^compareStoryboard$|^runAgent|^listApplicable|^claim|^verifyHosted|^setUpBrand$|^submitBrand$|^putMirror$|^rollBack|^enrichBrand$|^streamFeed$|^validate|^discoverAgent$|^getAgent(?:Formats|Products|Publishers)$|^verifyOwn(?:ership|Domain)$/
const away = new Set(operations.flatMap(({ id, path }) => (elsewhere.test(id) ? [path] : [])))
const paths = operations.map(({ path }) => path).filter(path => !away.has(path))
const path = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...paths) },
  { weight: 1, arbitrary: fc.constant('/api/registry/feed') },
  { weight: 1, arbitrary: odd.map(text => `/${encodeURI(text)}`) },
)

const request = fc
  .record({
    method: fc.constantFrom('GET', 'GET', 'GET', 'POST', 'HEAD', 'PUT', 'OPTIONS'),
    path,
    domain,
    query,
    body,
    type: fc.constantFrom('application/json', 'application/json', 'text/plain', 'a/b;c'),
    credential: fc.constantFrom('known', 'known', 'unknown', undefined),
  })
  .map(({ credential, domain: named, ...made }) => ({
    ...made,
    // An empty one would be the path of another operation.
    path: made.path.replace(/:\w+/, encodeURIComponent(named) || '-'),
    authorization: credential && `Bearer ${credential === 'known' ? 'KEY' : `sk_${randomUUID()}`}`,
  }))
type Made = typeof request extends fc.Arbitrary<infer Value> ? Value : never

function buildInjection({ method, path, query, body, type, authorization }: Made): InjectOptions {
  const hasBody = method === 'POST' || method === 'PUT'
  return {
    method: method as 'GET',
    url: query === '' ? path : `${path}?${query}`,
    headers: {
      ...(authorization && { authorization: authorization.replace('KEY', key) }),
      ...(hasBody && { 'content-type': type }),
    },
    ...(hasBody && { payload: body }),
  }
}

const refused = [400, 401, 403, 404, 405, 409, 410, 413, 415]

test(`${REQUESTS} requests, sensible and not, are answered or refused in words`, async () => {
  const counts = new Map<number, number>()
  const check = async (made: Made) => {
    const { app } = registry
    const answer = await runWithin(ANSWER_MS, async () => app.inject(buildInjection(made)))
    const { statusCode } = answer
    counts.set(statusCode, (counts.get(statusCode) ?? 0) + 1)
    if (statusCode < 400) return
    // Nobody is there to look at the web.
    const mayBeAway = statusCode === 503 && /fresh=true/.test(decodeURI(made.query))
    if (!mayBeAway) expect(refused).toContain(statusCode)
    if (made.method === 'HEAD') return
    const { error } = answer.json()
    expect(typeof error).toBe('string')
    if (statusCode === 400)
      expect(error).toMatch(/`|^The body |malformed|too long|^Unknown (?:parameter|field)/)
  }
  await fc.assert(fc.asyncProperty(request, check), { numRuns: REQUESTS, seed: SEED })
  for (const status of [200, 204, 400, 401, 404, 405, 410, 415]) {
    expect(counts.get(status) ?? 0, `answers of ${status}`).toBeGreaterThan(0)
  }
})
