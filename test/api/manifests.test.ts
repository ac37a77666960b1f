import { beforeAll, describe, expect, test } from 'vitest'
import { ManifestLookup } from '../../pipeline/model/responses/manifests.ts'
import { observeBrandFile, observePublisherFile } from '../support/fixtures/documents.ts'
import { type ObservationDraft, openRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const registry = openForAll(openRegistry)

const brand = (location: string, document: object): ObservationDraft => ({
  kind: 'brand.json',
  location,
  document,
})

beforeAll(async () => {
  const elsewhere = 'https://cdn.example/brand.json'
  await registry.observe(
    observeBrandFile('acme.example', 'Acme'),
    {
      ...observeBrandFile('moved.example', 'Moved'),
      resolved_url: 'https://www.moved.example/b.json',
    },
    brand('points.example', {
      variant: 'authoritative_location',
      authoritative_location: elsewhere,
    }),
    brand('agent.example', {
      variant: 'brand_agent',
      agents: [
        {
          type: 'brand',
          url: 'https://b.example/mcp',
          agent_url: 'https://b.example/mcp',
          id: 'b',
        },
      ],
    }),
    observePublisherFile('news.example', { sites: ['news.example'], agents: [] }),
    { kind: 'brand.json', location: 'broken.example', outcome: 'unusable', status: 200 },
    { kind: 'brand.json', location: 'gone.example', outcome: 'absent', status: 404 },
    { kind: 'brand.json', location: 'silent.example', outcome: 'timeout' },
  )
  await registry.publish()
})

const get = (query: string) => registry.app.inject(`/api/manifest-refs/lookup?${query}`)

describe('GET /api/manifest-refs/lookup', () => {
  test.each([
    ['domain=ACME.example', 'https://acme.example/.well-known/brand.json', 'valid'],
    ['domain=moved.example', 'https://www.moved.example/b.json', 'valid'],
    ['domain=points.example', 'https://cdn.example/brand.json', 'pending'],
    ['domain=broken.example', 'https://broken.example/.well-known/brand.json', 'invalid'],
    [
      'domain=news.example&type=adagents.json',
      'https://news.example/.well-known/adagents.json',
      'valid',
    ],
  ])('200: %s refers to %s', async (query, manifest_url, verification_status) => {
    const answer = await get(query)
    expect(answer.statusCode).toBe(200)
    const { success, found, reference } = ManifestLookup.parse(answer.json())
    expect([success, found]).toEqual([true, true])
    expect(reference).toEqual({
      reference_type: 'url',
      manifest_url,
      agent_url: null,
      agent_id: null,
      verification_status,
    })
  })

  test('200: a brand that an agent represents', async () => {
    expect((await get('domain=agent.example')).json().reference).toEqual({
      reference_type: 'agent',
      manifest_url: null,
      verification_status: 'valid',
      agent_url: 'https://b.example/mcp',
      agent_id: 'b',
    })
  })

  test('200: a pointer’s target answers for it once it was tried, and a lost file stays', async () => {
    const own = await openRegistry()
    await own.observe(
      observeBrandFile('acme.example', 'Acme'),
      brand('points.example', {
        variant: 'authoritative_location',
        authoritative_location: 'https://cdn.example/brand.json',
      }),
    )
    own.clock.tick(1_000)
    await own.observe(
      { kind: 'brand.json', location: 'acme.example', outcome: 'server_error', status: 500 },
      { kind: 'brand.json', location: 'https://cdn.example/brand.json', outcome: 'not_json' },
    )
    await own.publish()
    const status = async (domain: string) =>
      (await own.app.inject(`/api/manifest-refs/lookup?domain=${domain}`)).json().reference
        .verification_status
    expect(await status('acme.example')).toBe('unreachable')
    expect(await status('points.example')).toBe('invalid')
    await own.close()
  })

  test.each(['gone.example', 'silent.example', 'nobody.example', 'news.example'])(
    '200: nothing is found for %s',
    async domain => {
      const answer = await get(`domain=${domain}`)
      expect(answer.statusCode).toBe(200)
      expect(answer.json()).toMatchObject({ success: false, found: false })
      expect(answer.json()).not.toHaveProperty('reference')
    },
  )

  test.each(['', 'domain=', 'domain=x', 'domain=acme.example&type=ads.txt'])(
    '400: %s',
    async query => {
      expect((await get(query)).statusCode).toBe(400)
    },
  )
})
