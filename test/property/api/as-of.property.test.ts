import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DAY, toIso } from '../../../pipeline/core/clock.ts'
import type { Observation } from '../../../pipeline/model/observation.ts'
import { openRegistry, type TestRegistry } from '../../support/app.ts'
import {
  buildPointer,
  buildShop,
  buildWebsite,
  grantByIds,
  grantBySelectors,
} from '../../support/nights.ts'
import { observeFile, observeOutcome } from '../../support/observations.ts'

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

let registry: TestRegistry

beforeAll(async () => {
  registry = await openRegistry()
})
afterAll(() => registry.close())

const get = async (path: string, query: Record<string, string>) => {
  const { statusCode, body } = await registry.app.inject(`${path}?${new URLSearchParams(query)}`)
  const { freshness: _, checked_at: __, as_of: ___, request_id: ____, ...rest } = JSON.parse(body)
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
  for (const agent of agents) {
    const path = `/api/registry/lookup/agent/${encodeURIComponent(agent)}/domains`
    answers.push(await get(path, when))
  }
  return answers
}

describe('as_of', () => {
  test('answers for each night’s end what the lookups answered then', async () => {
    // The history begins with the first file that is understood.
    const path = [['plain', 'absent', 'manager'], ...fc.sample(nights, 1)[0]!]
    const seen = new Map<string, unknown[]>()
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
      seen.set(toIso(registry.clock.now()), await askEverything())
    }
    await registry.publish()
    for (const [at, answers] of seen) {
      expect(await askEverything(at), `${at} of ${JSON.stringify(path)}`).toEqual(answers)
    }
    expect(
      new Set([...seen.values()].map(answers => JSON.stringify(answers))).size,
    ).toBeGreaterThan(1)
  })
})
