import { describe, expect, it, test } from 'vitest'
import { openRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const registry = openForAll(openRegistry)

const create = (payload: object) =>
  registry.app.inject({ method: 'POST', url: '/api/adagents/create', payload })
const agent = {
  url: 'https://agent.example/mcp',
  authorized_for: 'display',
  authorization_type: 'property_ids',
  property_ids: ['site'],
}
const site = {
  property_type: 'website',
  name: 'Site',
  property_id: 'site',
  identifiers: [{ type: 'domain', value: 'acme.example' }],
}

describe('POST /api/adagents/create', () => {
  it('200: a file as text, with fixed order and all given fields', async () => {
    const answer = await create({
      properties: [site],
      authorized_agents: [{ ...agent, note: { kept: 'as it is' } }],
      formats: [],
      placement_tags: {},
      catalog_etag: 'v1',
      strange: 1,
    })
    expect(answer.statusCode).toBe(200)
    const { success, data, timestamp } = answer.json()
    expect([success, data.success, data.validation.valid]).toEqual([true, true, true])
    expect(data.validation).toMatchObject({ domain: 'proposed', url: 'proposed' })
    const file = JSON.parse(data.adagents_json)
    expect(data.adagents_json).toBe(JSON.stringify(file, null, 2))
    expect(Object.keys(file)).toEqual([
      'authorized_agents',
      'properties',
      'catalog_etag',
      '$schema',
      'last_updated',
    ])
    expect(file.authorized_agents[0].note).toEqual({ kept: 'as it is' })
    expect(file.last_updated).toBe(timestamp)
  })

  it('200: agents are optional where there is a catalog', async () => {
    const { data } = (await create({ authorized_agents: [], properties: [site] })).json()
    expect(JSON.parse(data.adagents_json).authorized_agents).toEqual([])
  })

  it('200: schema and time are left out on request', async () => {
    const made = { authorized_agents: [agent], properties: [site] }
    const { data } = (
      await create({ ...made, include_schema: false, include_timestamp: false })
    ).json()
    expect(Object.keys(JSON.parse(data.adagents_json))).toEqual(['authorized_agents', 'properties'])
  })

  test.each([
    ['no list of agents', {}, 'authorized_agents'],
    ['a list that is none', { authorized_agents: {} }, 'authorized_agents'],
    ['nothing at all', { authorized_agents: [] }, 'lists no agent'],
    ['an agent that is none', { authorized_agents: [null] }, 'authorized_agents[0]'],
    [
      'an agent without https',
      { authorized_agents: [{ ...agent, url: 'http://a.example' }] },
      'authorized_agents[0].url',
    ],
    [
      'a private key',
      { authorized_agents: [{ ...agent, signing_keys: [{ kid: 'a', kty: 'OKP', d: 'x' }] }] },
      'private key',
    ],
    [
      'a date that is half a date',
      { authorized_agents: [{ ...agent, effective_from: '2026-01-01' }] },
      'effective_from',
    ],
    [
      'a country twice',
      { authorized_agents: [{ ...agent, countries: ['GB', 'GB'] }] },
      'countries[1]',
    ],
    [
      'include_schema as a word',
      { authorized_agents: [agent], include_schema: 'true' },
      'include_schema',
    ],
  ])('400: %s', async (_what, payload, word) => {
    const answer = await create(payload)
    expect(answer.statusCode).toBe(400)
    expect(answer.json().error).toContain(word)
  })

  it('400: every fault is listed with its code', async () => {
    const { errors, success } = (await create({ authorized_agents: [{ url: 'x' }] })).json()
    expect(success).toBe(false)
    expect(errors).toMatchObject([
      { field: 'authorized_agents[0].url', code: 'bad_address', severity: 'error' },
      { field: 'authorized_agents[0].authorization_type', code: 'missing', severity: 'error' },
      { field: 'authorized_agents[0].authorized_for', code: 'missing', severity: 'error' },
    ])
  })

  it('200: a list that is left out for its name is a warning', async () => {
    const answer = await create({
      authorized_agents: [agent],
      properties: [site],
      Collections: [],
    })
    expect(answer.statusCode).toBe(200)
    expect(answer.json().data.validation.warnings).toContainEqual(
      expect.objectContaining({ field: 'Collections', code: 'misspelled' }),
    )
  })

  it('400: a deeply nested body', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    const answer = await registry.send('POST', '/api/adagents/create', {
      headers: { 'content-type': 'application/json' },
      payload: `{"authorized_agents":[{"url":${deep}}]}`,
    })
    expect([answer.statusCode, answer.json().error]).toEqual([
      400,
      'The body is nested more than 64 levels deep.',
    ])
  })

  it('413: a file longer than answers may be', async () => {
    const properties = Array.from({ length: 2_000 }, (_, i) => ({ ...site, property_id: `s${i}` }))
    expect((await create({ authorized_agents: [], properties })).statusCode).toBe(413)
  })
})
