import { afterAll, beforeAll, expect, test } from 'vitest'
import { DAY } from '../../pipeline/core/clock.ts'
import { openRegistry, type TestRegistry } from '../support/app.ts'
import { buildShop, grantByIds } from '../support/nights.ts'
import { publishFiles, requestWithQuery } from '../support/selling.ts'

const agent = 'https://agent.example/mcp'
const lookup = '/api/registry/lookup/property'
const property = { type: 'domain', value: 'shop.example' }
let registry: TestRegistry

beforeAll(async () => {
  registry = await openRegistry()
  await registry.publish()
})
afterAll(() => registry.close())

const ask = (as_of: string) => requestWithQuery(registry, lookup, { ...property, as_of })

test('as_of is refused while there is no history', async () => {
  const answer = await ask('2026-11-20T03:00:00Z')
  expect(answer.statusCode).toBe(400)
  expect(answer.json().error).toBe('as_of: the registry keeps no history yet')
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
  expect(past.body).toContain('Yes, the publisher says so')
  expect(past.body).toContain('what publishers’ files granted then')
  expect((await show({ agent, publisher: 'shop.example', as_of: '2026-11-21' })).body).toContain(
    'Yes, the publisher says so',
  )
  expect((await show(asked)).body).not.toContain('Yes, the publisher says so')
})

test.each([
  [
    '2026-11-19T00:00:00Z',
    /^as_of: the history begins at 2026-11-20T03:00:00\.000Z; ask for a later time$/,
  ],
  ['2030-01-01T00:00:00Z', /^as_of: what is known ends at 2026-.*; ask for an earlier time$/],
  ['yesterday', /as_of.*must be a date and time such as/],
])('as_of=%s is refused with the reason', async (as_of, error) => {
  const answer = await ask(as_of)
  expect(answer.statusCode).toBe(400)
  expect(answer.json().error).toMatch(error)
})
