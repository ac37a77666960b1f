import { beforeAll, expect, test } from 'vitest'
import { observePublisherFile } from '../support/fixtures/documents.ts'
import { openRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const registry = openForAll(openRegistry)
let key: string

beforeAll(async () => {
  key = await registry.createKey('Acme')
  const agents = ['https://sales.example/mcp']
  await registry.observe(observePublisherFile('news.example', { sites: ['news.example'], agents }))
})

const ask = (url: string, payload?: object) =>
  registry.send(payload ? 'POST' : 'GET', url, { key, payload })

test.each([
  ['/api/manifest-refs/lookup?domain=news.example'],
  ['/api/brands/registry'],
  ['/api/properties/registry'],
  ['/api/registry/publishers'],
  ['/api/registry/agents'],
  ['/api/registry/stats'],
  ['/api/registry/publisher?domain=news.example&include=placements'],
  ['/api/registry/catalog'],
  ['/api/registry/catalog/sync?since=2026-01-01T00:00:00Z'],
  ['/api/registry/catalog/collections'],
  ['/api/registry/catalog/collections/sync'],
  ['/api/registry/agents/search'],
  ['/api/registry/authorizations?agent_url=https://sales.example/mcp'],
  ['/api/registry/authorizations/snapshot'],
  ['/api/registry/mirrors'],
  ['/api/policies/registry'],
  ['/api/search?q=news'],
  ['/api/brands/find?q=news'],
  ['/v1/agents/https%3A%2F%2Fsales.example%2Fmcp/publishers?status=revoked'],
  ['/api/properties/check', { domains: ['news.example'] }],
  ['/api/properties/check/bulk', { identifiers: ['news.example'] }],
])('%s: 503 with Retry-After before the first snapshot', async (url, payload?: object) => {
  const answer = await ask(url, payload)
  expect([answer.statusCode, answer.json()]).toMatchObject([503, { code: 'unavailable' }])
  expect(answer.headers['retry-after']).toBe('5')
})

test('lookups by key answer without a snapshot', async () => {
  for (const url of [
    '/api/properties/resolve?domain=news.example',
    '/api/registry/lookup/domain/news.example',
    '/v1/agents/https%3A%2F%2Fsales.example%2Fmcp/publishers',
  ]) {
    expect([url, (await ask(url)).statusCode]).toEqual([url, 200])
  }
  expect((await ask('/api/properties/hosted/news.example/revisions')).statusCode).toBe(404)
})

test('and every list answers after the first snapshot', async () => {
  await registry.publish()
  expect((await ask('/api/manifest-refs/lookup?domain=news.example')).statusCode).toBe(200)
  expect((await ask('/api/registry/catalog')).json().total).toBe(1)
})
