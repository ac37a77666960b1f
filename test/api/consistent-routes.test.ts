import { createHash, randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Operation } from '../../api/operation/operation.ts'
import { operations } from '../../api/routes/index.ts'
import { NIL_UUID } from '../../pipeline/core/uuid-v7.ts'
import { observePublisherFile } from '../support/fixtures/documents.ts'
import { openRegistry } from '../support/registry/app.ts'
import { enrol } from '../support/registry/members.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const registry = openForAll(openRegistry)
let key: string
const domain = 'acme.example'

beforeAll(async () => {
  await registry.observe(observePublisherFile(domain, { sites: [domain], agents: [] }))
  await registry.publish()
  const agents = [{ url: needed.encodedUrl!, visibility: 'private' as const }]
  await enrol(registry, { org: 'Acme', tier: 'company_standard', domains: [domain], agents })
  key = `sk_${randomUUID()}`
  const id = randomUUID()
  await registry.submit({
    op: 'key.create',
    key_id: id,
    org: 'Acme',
    label: '',
    hash: createHash('sha256').update(key).digest('hex'),
    permissions: ['admin:read'],
  })
  await registry.submit({ op: 'role.grant', role: 'moderator', holder: 'key', id })
})

/** Query parameters that operations need beside the one under test. */
const needed: Record<string, string> = {
  agent: 'https://agent.example/mcp',
  agent_url: 'https://agent.example/mcp',
  agentUrl: 'https://agent.example/mcp',
  encodedUrl: 'https://agent.example/mcp',
  identifier_type: 'domain',
  identifier_value: domain,
  since: '2026-11-20T00:00:00Z',
  type: 'domain',
  value: domain,
  q: 'acme',
  policy_id: 'none',
  id: NIL_UUID,
  domain,
}

function listFields(schema: unknown): Record<string, z.ZodType> {
  return schema instanceof z.ZodObject ? schema.shape : {}
}

const get = async (operation: Operation, query: Record<string, string>) => {
  const required = Object.entries(listFields(operation.query)).flatMap(([name, field]) =>
    !field.safeParse(undefined).success && name in needed ? [[name, needed[name]!]] : [],
  )
  const params: Record<string, string> = { ...Object.fromEntries(required), ...query }
  const path = operation.path.replace(/:(\w+)/g, (_, name) => {
    const value = encodeURIComponent(params[name] ?? needed[name] ?? 'none')
    delete params[name]
    return value
  })
  return registry.send('GET', `${path}?${new URLSearchParams(params)}`, { key })
}

const reads = operations.filter(({ method, path }) => method === 'GET' && !/stream$/.test(path))
const taking = (name: string) =>
  reads.filter(({ query, params }) => name in listFields(query) || name in listFields(params))

describe('every route accepts the same spellings of a domain', () => {
  const spellings = [
    'https://ACME.example/',
    'acme.example.',
    ' Acme.Example',
    'http://acme.example/x?y',
  ]
  // These ask the domain itself, and nobody crawls here; the domain of a policy is a field of governance.
  const asking = taking('domain').filter(
    ({ id }) =>
      !['validateProperty', 'validatePublisher', 'enrichBrand', 'listPolicies'].includes(id),
  )

  test.each(asking.map(operation => [operation.path, operation] as const))('%s', async (_, op) => {
    const plain = await get(op, { domain })
    for (const spelling of spellings) {
      const answer = await get(op, { domain: spelling })
      expect([answer.statusCode, withoutTimes(answer.body)]).toEqual([
        plain.statusCode,
        withoutTimes(plain.body),
      ])
    }
    const port = await get(op, { domain: 'acme.example:8080' })
    expect([400, 404]).toContain(port.statusCode)
  })

  test('bulk requests too, keyed by the given name', async () => {
    const payload = { domains: ['https://ACME.example/', 'acme.example.'] }
    for (const url of ['/api/properties/resolve/bulk', '/api/brands/resolve/bulk']) {
      const answer = await registry.app.inject({ method: 'POST', url, payload })
      expect(answer.statusCode).toBe(200)
      expect(Object.keys(answer.json().results)).toEqual(['https://acme.example/', 'acme.example.'])
    }
  })

  test('products too', async () => {
    for (const spelling of spellings) {
      const answer = await registry.send('POST', '/api/registry/validate/product-authorization', {
        payload: {
          agent_url: needed.agent,
          publisher_properties: [{ publisher_domain: spelling, selection_type: 'all' }],
        },
      })
      expect(answer.json()).toMatchObject({ total_requested: 1, total_authorized: 0 })
    }
  })
})

test.each(
  operations.flatMap(({ id, query, body }) =>
    Object.entries({ ...listFields(query), ...listFields(body) })
      .filter(([name]) => /(?:^|_)cursor$/.test(name))
      .map(([name, field]) => [id, name, field] as const),
  ),
)('%s refuses as %s what no page gave', (_id, _name, field) => {
  const { error } = field.safeParse('no cursor')
  expect(error?.issues.map(({ message }) => message)).toEqual([
    expect.stringMatching(/^must be .*cursor/),
  ])
})

describe('no route answers for a text that can name nothing', () => {
  // The domain of a policy is a field of governance, and a search finds any text.
  const names = [
    'domain',
    'publisher_domain',
    'agent',
    'agent_url',
    'agentUrl',
    'encodedUrl',
    'url',
  ]
  const naming = [...names, 'value', 'identifier_value'].flatMap(name =>
    taking(name)
      .filter(({ id }) => id !== 'listPolicies')
      .map(operation => [operation.path, name, operation] as const),
  )

  test.each(naming)('%s: %s', async (_, name, op) => {
    for (const text of ['no domain', 'https://a b/c', ' ']) {
      const answer = await get(op, { [name]: text })
      expect([text, answer.statusCode, answer.json().code]).toEqual([text, 400, 'invalid_request'])
      expect(answer.json().error).toMatch(new RegExp(`^\`${name}\` must`))
    }
  })

  test.each(['domain', 'subdomain'])(
    'a list tells it of each %s, and answers the others',
    async type => {
      const identifiers = ['no domain', domain, '*.example'].map(value => ({ type, value }))
      const agent_url = needed.agent
      const pairs = identifiers.map(({ value }) => ({
        agent_url,
        identifier_type: type,
        identifier_value: value,
      }))
      const checked = await registry.send('POST', '/api/registry/validate/authorizations', {
        payload: { pairs },
      })
      const fault = 'must be a domain name such as acme.example'
      const lines = checked.body
        .trim()
        .split('\n')
        .map(line => JSON.parse(line))
      expect(lines.map(({ authorized, error }) => error ?? authorized)).toEqual([
        `\`identifier_value\` ${fault}.`,
        false,
        `\`identifier_value\` ${fault}.`,
      ])
      const resolved = await registry.send('POST', '/api/registry/resolve', {
        payload: { identifiers, provenance: { type: 'crawl' }, mode: 'lookup' },
      })
      const errors = resolved.json().resolved.map(({ error }: { error?: string }) => error)
      expect(errors).toEqual([`\`value\` ${fault}.`, undefined, `\`value\` ${fault}.`])
    },
  )

  test('a product', async () => {
    for (const path of ['validate/product-authorization', 'expand/product-identifiers']) {
      const answer = await registry.send('POST', `/api/registry/${path}`, {
        payload: {
          agent_url: needed.agent,
          publisher_properties: [{ publisher_domain: domain }, { publisher_domain: 'no domain' }],
        },
      })
      expect(answer.statusCode).toBe(400)
      expect(answer.json().error).toBe(
        '`publisher_properties[1].publisher_domain` must be a domain name such as acme.example.',
      )
    }
  })
})

const withoutTimes = (body: string) => body.replace(/"checked_at":"[^"]*"/g, '')

/** Lists for which the specification gives a range, or of which a replica must not skip a page. */
const strict = new Set([
  'readFeed',
  'searchAgents',
  'listCatalogCollections',
  'syncCatalogCollections',
])
/** Lists that treat an invalid limit as the usual page size, as the public reference does. */
const lenient = /\/history$|\/revisions$|\/agents\/:encodedUrl\/publishers$/

describe('every list honours the requested page size', () => {
  const lists = taking('limit')

  test.each(lists.map(operation => [operation.path, operation] as const))('%s', async (_, op) => {
    const status = async (limit: string) => (await get(op, { limit })).statusCode
    const usual = (await get(op, {})).statusCode
    expect([200, 404]).toContain(usual)
    if (strict.has(op.id)) {
      expect([await status('1000000000'), await status('0')]).toEqual([400, 400])
    } else expect([await status('1000000000'), await status('0')]).toEqual([usual, usual])
    if (lenient.test(op.path)) return
    for (const odd of ['-1', 'x', '1.5']) {
      const answer = await get(op, { limit: odd })
      expect([answer.statusCode, answer.json().code]).toEqual([400, 'invalid_request'])
      expect(answer.json().error).toMatch(/^`limit` must be a whole number/)
    }
  })

  test.each(taking('cursor').map(operation => [operation.path, operation] as const))(
    '%s says whether there is more, and its cursor',
    async (_, op) => {
      const answer = await get(op, {})
      if (answer.statusCode === 404) return
      const body = answer.json()
      if (op.id === 'readFeed') return expect(body).toMatchObject({ has_more: expect.any(Boolean) })
      // The whole of it has no pages, unless it is cut.
      if (op.id === 'lookUpPublisher') return expect(body).not.toHaveProperty('next_cursor')
      expect(body).toHaveProperty('next_cursor')
      expect(body).toHaveProperty('has_more')
    },
  )
})

test.each(['property.exploded', 'nonsense', 'nonsense.*', 'property.created,nonsense'])(
  'an unknown event type is refused with a list of the known ones: %s',
  async types => {
    const answer = await registry.send('GET', `/api/registry/feed?types=${types}`, { key })
    expect(answer.statusCode).toBe(400)
    expect(answer.json()).toMatchObject({ code: 'invalid_request' })
    expect(answer.json().error).toContain('property.created')
    expect(answer.json().valid_values).toContain('authorization.revoked')
  },
)
