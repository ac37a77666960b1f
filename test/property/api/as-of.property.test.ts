import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DAY, toIso } from '../../../pipeline/core/clock.ts'
import type { Observation } from '../../../pipeline/model/observation.ts'
import { observeFile, observeOutcome } from '../../support/fixtures/observations.ts'
import { openRegistry } from '../../support/registry/app.ts'
import { openForAll } from '../../support/runner/open-for-all.ts'
import {
  buildPointer,
  buildShop,
  buildWebsite,
  grantByIds,
  grantBySelectors,
} from '../../support/worlds/nights.ts'

const agents = ['https://one.example/mcp', 'https://two.example/mcp']
const [one, two] = agents as [string, string]
const domains = ['a.example', 'b.example', 'c.example']

/** Files that a publisher may have in a night; a text is the outcome of an attempt without one. */
const files: Record<string, (domain: string) => object | 'absent' | 'timeout' | 'unchanged'> = {
  plain: domain => buildShop(domain, { authorized_agents: [grantByIds(one)] }),
  both: domain => buildShop(domain, { authorized_agents: [grantByIds(one), grantByIds(two)] }),
  other: domain =>
    buildShop(domain, {
      properties: [buildWebsite(domain), buildWebsite(domain, { property_id: 'app', name: 'App' })],
      authorized_agents: [grantByIds(two, { countries: ['DE'], property_ids: ['app'] })],
    }),
  timed: domain =>
    buildShop(domain, {
      authorized_agents: [grantByIds(one, { effective_from: '2026-11-22T00:00:00Z' })],
    }),
  manager: domain => ({
    properties: domains.map(name => buildWebsite(name)),
    authorized_agents: [
      grantBySelectors(two, { publisher_domains: [domain, 'b.example'], selection_type: 'all' }),
    ],
  }),
  pointer: () => buildPointer('a.example'),
  nothing: domain => buildShop(domain, { authorized_agents: [] }),
  absent: () => 'absent',
  timeout: () => 'timeout',
}

const nights = fc.array(fc.tuple(...domains.map(() => fc.constantFrom(...Object.keys(files)))), {
  minLength: 6,
  maxLength: 6,
})

const registry = openForAll(openRegistry)

/** Reads an answer without what operators declared: the history does not record that. */
const parseAnswer = (body: string) =>
  JSON.parse(body, (name, value) => (name === 'operator_reason' ? undefined : value))

const get = async (path: string, query: Record<string, string>) => {
  const { statusCode, body } = await registry.app.inject(`${path}?${new URLSearchParams(query)}`)
  const { freshness: _, checked_at: __, as_of: ___, request_id: ____, ...rest } = parseAnswer(body)
  return { status: statusCode, ...rest }
}

/** Asks all lookups of authorization, now or as of a moment. */
async function askEverything(at?: string): Promise<unknown[]> {
  const when = at === undefined ? {} : { as_of: at }
  const answers: unknown[] = []
  for (const value of domains) {
    answers.push(await get('/api/registry/lookup/property', { type: 'domain', value, ...when }))
    for (const agent of agents) {
      const property = { agent_url: agent, identifier_type: 'domain', identifier_value: value }
      answers.push(
        await get('/api/registry/validate/property-authorization', { ...property, ...when }),
        await get('/api/registry/publisher/authorization', { agent, domain: value, ...when }),
      )
    }
  }
  for (const agent_url of agents) {
    const publisher_properties = domains.map(publisher_domain => ({ publisher_domain }))
    const query = new URLSearchParams(when)
    for (const name of ['validate/product-authorization', 'expand/product-identifiers']) {
      const url = `/api/registry/${name}?${query}`
      const payload = { agent_url, publisher_properties }
      const { body } = await registry.app.inject({ method: 'POST', url, payload })
      const {
        freshness: _,
        checked_at: __,
        generated_at: ___,
        as_of: ____,
        ...rest
      } = parseAnswer(body)
      answers.push(rest)
    }
  }
  for (const agent of agents) {
    const path = `/api/registry/lookup/agent/${encodeURIComponent(agent)}/domains`
    answers.push(await get(path, when))
    const publishers = `/v1/agents/${encodeURIComponent(agent)}/publishers`
    const all = await get(publishers, { include: 'properties', ...when })
    answers.push(stripReadings(all))
    const page = await get(publishers, { status: 'authorized', limit: '1', ...when })
    answers.push(stripReadings(page))
  }
  return answers
}

/** Leaves out when files were read, of which no history is kept. */
function stripReadings({ directory_indexed_at: _, ...answer }: Record<string, unknown>) {
  const publishers = (answer.publishers ?? []) as Record<string, unknown>[]
  return { ...answer, publishers: publishers.map(({ last_verified_at: __, ...rest }) => rest) }
}

/** Asks for the lists of authorizations, which show the last snapshot. */
async function listGrants(headers: object, at?: string): Promise<unknown[]> {
  const answers: unknown[] = []
  for (const agent_url of agents) {
    const query = new URLSearchParams({ agent_url, ...(at !== undefined && { as_of: at }) })
    const url = `/api/registry/authorizations?${query}`
    const { statusCode, body } = await registry.app.inject({ url, headers: { ...headers } })
    expect(statusCode, body).toBe(200)
    const { as_of: _, ...rest } = parseAnswer(body)
    answers.push(rest)
  }
  return answers
}

describe('as_of', () => {
  test('answers for each night’s end what the lookups answered then', async () => {
    // The history begins with the first file that is understood.
    const path = [['plain', 'absent', 'manager'], ...fc.sample(nights, 1)[0]!]
    const answersByTime = new Map<string, unknown[]>()
    const listed = new Map<string, unknown[]>()
    const headers = { authorization: `Bearer ${await registry.createKey('Readers')}` }
    for (const night of path) {
      registry.clock.tick(DAY)
      const at = registry.clock.now()
      const observations = night.map((name, place): Observation => {
        const domain = domains[place]!
        const found = files[name]!(domain)
        return typeof found === 'string'
          ? observeOutcome(found, 'adagents.json', domain, at)
          : observeFile('adagents.json', domain, found, at)
      })
      await registry.observe(...observations)
      answersByTime.set(toIso(registry.clock.now()), await askEverything())
      await registry.publish()
      listed.set(toIso(registry.clock.now()), await listGrants(headers))
    }
    for (const [at, answers] of answersByTime) {
      expect(await askEverything(at), `${at} of ${JSON.stringify(path)}`).toEqual(answers)
    }
    for (const [at, lists] of listed) {
      expect(await listGrants(headers, at), `${at} of ${JSON.stringify(path)}`).toEqual(lists)
    }
    const past = [...answersByTime.keys()][0]!
    const query = { agent_url: one, identifier_type: 'domain', identifier_value: 'a.example' }
    const url = '/api/registry/validate/property-authorization'
    const { body } = await registry.app.inject(
      `${url}?${new URLSearchParams({ ...query, as_of: past })}`,
    )
    expect(JSON.parse(body)).toMatchObject({
      authorized: true,
      operator_side: 'unknown',
      operator_reason: 'not_recorded',
    })
    expect(
      new Set([...answersByTime.values()].map(answers => JSON.stringify(answers))).size,
    ).toBeGreaterThan(1)
  })
})
