import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DAY } from '../../pipeline/core/clock.ts'
import { openRegistry, type TestRegistry } from '../support/app.ts'
import { brandFile } from '../support/documents.ts'

let registry: TestRegistry

beforeAll(async () => {
  registry = await openRegistry()
  await registry.observe(
    brandFile('acme.example', 'Acme', { description: 'anvils' }),
    brandFile('zeta.example', 'Zeta'),
    { kind: 'brand.json', location: 'gone.example', outcome: 'absent', status: 404 },
  )
  await registry.publish()
})

afterAll(() => registry.close())

function get(url: string, headers = {}) {
  return registry.app.inject({ url, headers })
}

function post(domains: unknown) {
  const payload = { domains } as object
  return registry.app.inject({ method: 'POST', url: '/api/brands/resolve/bulk', payload })
}

describe('GET /api/brands/resolve', () => {
  test('200: a domain that publishes a brand.json is that brand', async () => {
    const answer = await get('/api/brands/resolve?domain=acme.example')
    expect(answer.statusCode).toBe(200)
    expect(answer.json()).toMatchObject({
      canonical_id: 'acme.example',
      canonical_domain: 'acme.example',
      brand_name: 'Acme',
      source: 'brand_json',
      brand_manifest: { name: 'Acme', description: 'anvils' },
      freshness: { state: 'current', outcome: 'ok', http_status: 200 },
    })
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'public, no-cache',
      'access-control-allow-origin': '*',
      'x-content-type-options': 'nosniff',
      'content-length': String(answer.rawPayload.length),
    })
  })
})
