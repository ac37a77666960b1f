import { beforeAll, expect, test } from 'vitest'
import { DAY } from '../../pipeline/core/clock.ts'
import { publishFiles, requestWithQuery } from '../support/fixtures/operator-files.ts'
import { openRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { buildShop, grantByIds } from '../support/worlds/nights.ts'

const agent = 'https://agent.example/mcp'
const lookup = '/api/registry/lookup/property'
const property = { type: 'domain', value: 'shop.example' }
const registry = openForAll(openRegistry)

beforeAll(async () => {
  await registry.publish()
})

const ask = (as_of: string) => requestWithQuery(registry, lookup, { ...property, as_of })

test('as_of is refused while there is no history', async () => {
  const answer = await ask('2026-11-20T03:00:00Z')
  expect(answer.statusCode).toBe(400)
  expect(answer.json().error).toBe('The registry keeps no history yet.')
})

test('as_of answers from what was granted then, also on the page', async () => {
  await publishFiles(registry, {
    'shop.example': buildShop('shop.example', { authorized_agents: [grantByIds(agent)] }),
  })
  registry.clock.tick(DAY)
  await publishFiles(registry, {
    'shop.example': buildShop('shop.example', { authorized_agents: [] }),
  })
  await registry.publish()
  expect((await requestWithQuery(registry, lookup, property)).json().count).toBe(0)
  const then = (await ask('2026-11-20T20:00:00+01:00')).json()
  expect(then).toMatchObject({ count: 1, as_of: '2026-11-20T19:00:00.000Z' })
  expect(then.agents[0].agent_url).toBe(agent)

  const html = { accept: 'text/html' }
  const show = (query: Record<string, string>) =>
    registry.app.inject({ url: `/authorization?${new URLSearchParams(query)}`, headers: html })
  const asked = { agent, property: 'shop.example' }
  const past = await show({ ...asked, as_of: '2026-11-20T12:00:00Z' })
  expect(past.statusCode).toBe(200)
  expect(past.body).toContain('<p>Authorized by the publisher.</p>')
  expect(past.body).toContain('what the publisher’s file said then')
  expect((await show({ agent, publisher: 'shop.example', as_of: '2026-11-21' })).body).toContain(
    '<p>Authorized by the publisher.</p>',
  )
  expect((await show(asked)).body).not.toContain('Authorized by the publisher')
  const before = await show({ ...asked, as_of: '2026-11-01' })
  expect(before.statusCode).toBe(400)
  expect(before.body).toContain('Nothing was recorded before 20 Nov 2026, 03:00 UTC, when')
})

test('as_of takes a date as its first moment in UTC', async () => {
  const granted = (await ask('2026-11-21')).json()
  expect(granted).toMatchObject({ count: 1, as_of: '2026-11-21T00:00:00.000Z' })
  expect((await ask('2026-11-20')).json().error).toMatch(/^Nothing was recorded before/)
  expect((await ask('2026-02-30')).statusCode).toBe(400)
})

test('as_of of a product reads the history of fifty publishers at most', async () => {
  const validate = (domains: string[]) =>
    registry.send('POST', '/api/registry/validate/product-authorization?as_of=2026-11-21', {
      payload: {
        agent_url: agent,
        publisher_properties: domains.map(publisher_domain => ({ publisher_domain })),
      },
    })
  const sold = await validate(['shop.example'])
  expect(sold.json()).toMatchObject({ authorized: true, as_of: '2026-11-21T00:00:00.000Z' })
  const many = await validate(Array.from({ length: 51 }, (_, n) => `d${n}.example`))
  expect(many.statusCode).toBe(400)
  expect(many.json().error).toBe('`as_of` cannot be combined with more than 50 publishers.')
})

test('as_of lists the grants of an agent, and refuses claims, of which no history is kept', async () => {
  const headers = { authorization: `Bearer ${await registry.createKey('Readers')}` }
  const list = (query: Record<string, string>) =>
    registry.send(
      'GET',
      `/api/registry/authorizations?${new URLSearchParams({ agent_url: agent, ...query })}`,
      { headers },
    )
  expect((await list({})).json().rows).toEqual([])
  const then = (await list({ as_of: '2026-11-21' })).json()
  expect(then).toMatchObject({ count: 1, rows_total: 1, as_of: '2026-11-21T00:00:00.000Z' })
  expect(then.rows[0]).toMatchObject({
    publisher_domain: 'shop.example',
    evidence: 'adagents_json',
  })
  const claims = await list({ as_of: '2026-11-21', evidence: 'adagents_authoritative' })
  expect([claims.statusCode, claims.json().error]).toEqual([
    400,
    '`as_of` cannot be combined with claims, of which no history is kept; use `adagents_json`.',
  ])
})

test.each(['2026-11-20T19:00:00', '2026-11-20T19:00', '2026-11-20 19:00'])(
  'as_of=%s, without an offset, is a time in UTC on a page that a person fills in',
  async as_of => {
    const question = { agent_url: agent, identifier_value: property.value, as_of }
    const page = await requestWithQuery(registry, '/authorization', question)
    expect(page.statusCode).toBe(200)
    expect(page.body).toContain('datetime="2026-11-20T19:00:00.000Z"')
  },
)

test.each([
  [
    '2026-11-19T00:00:00Z',
    /^Nothing was recorded before 2026-11-20T03:00:00\.000Z, when this registry began; use a later time\.$/,
  ],
  ['2030-01-01T00:00:00Z', /^The published data ends at 2026-.*; use an earlier time\.$/],
  ['yesterday', /as_of.*must be a date and time such as/],
])('as_of=%s is refused with the reason', async (as_of, error) => {
  const answer = await ask(as_of)
  expect(answer.statusCode).toBe(400)
  expect(answer.json().error).toMatch(error)
})

const publishers = (query: Record<string, string>) =>
  requestWithQuery(registry, `/v1/agents/${encodeURIComponent(agent)}/publishers`, query)

test('as_of lists the publishers of an agent as they were, with their properties', async () => {
  expect((await publishers({})).statusCode).toBe(404)
  const then = (await publishers({ as_of: '2026-11-21', include: 'properties' })).json()
  expect(then).toMatchObject({
    agent_url: agent,
    as_of: '2026-11-21T00:00:00.000Z',
    directory_indexed_at: '2026-11-20T03:00:00.000Z',
    has_more: false,
    next_cursor: null,
  })
  expect(then.publishers).toEqual([
    expect.objectContaining({
      publisher_domain: 'shop.example',
      status: 'authorized',
      properties_authorized: 1,
      properties_total: 1,
      property_ids: [expect.any(String)],
      last_verified_at: '2026-11-20T03:00:00.000Z',
    }),
  ])
})

test.each([
  ['2026-11-20T03:00:00.000Z', 200],
  ['2026-11-20T03:00:00Z', 200],
  ['2026-11-21T03:00:00.999Z', 200],
  ['2026-11-21T03:00:01.000Z', 404],
  ['2026-11-20T02:59:59.999Z', 400],
  ['2026-11-21T03:00:02.001Z', 400],
  ['2026-11-21 03:00', 400],
  ['', 400],
])('a grant of one day is found as of %j with %i', async (as_of, status) => {
  const answers = await Promise.all([
    publishers({ as_of }),
    requestWithQuery(registry, '/api/registry/publisher/authorization', {
      agent,
      domain: 'shop.example',
      as_of,
    }),
  ])
  // A publisher that grants nothing is an answer of its own: 404 with what is known of its file.
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([status, status])
  const found = (await ask(as_of)).json().count
  expect(found).toBe(status === 200 ? 1 : status === 404 ? 0 : undefined)
})

test.each([
  [{ since: '2026-11-20T00:00:00Z' }, /^`as_of` cannot be combined with `since`/],
  [{ status: 'revoked' }, /^`as_of` cannot be combined with the status `revoked`/],
])(
  'as_of of an agent’s publishers refuses %j, of which no history is kept',
  async (more, error) => {
    const answer = await publishers({ as_of: '2026-11-21', ...more } as Record<string, string>)
    expect([answer.statusCode, answer.json().error]).toEqual([400, expect.stringMatching(error)])
  },
)

test('the page of an agent shows what it could sell in the past', async () => {
  const show = (as_of: string) =>
    registry.send('GET', `/agent/${encodeURIComponent(agent)}?${new URLSearchParams({ as_of })}`, {
      headers: { accept: 'text/html' },
    })
  const page = await show('2026-11-21')
  expect(page.statusCode).toBe(200)
  expect(page.body).toContain('shop.example')
  expect(page.body).toContain('as_of=2026-11-21')
  expect(page.body).not.toContain('Test results')
  expect((await show('2026-11-21T03:00:01Z')).body).toContain(
    'No publisher authorized this agent then',
  )
  expect((await show('yesterday')).statusCode).toBe(400)
})
