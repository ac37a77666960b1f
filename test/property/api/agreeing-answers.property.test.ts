import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { z } from 'zod'
import type {
  AgentPublisher,
  Evidence,
  PropertyAuthorization,
  PropertyLookup,
  PublisherAuthorization,
} from '../../../pipeline/model/responses/authority.ts'
import type { PublisherLookup } from '../../../pipeline/model/responses/index.ts'
import { publishFiles, requestWithQuery } from '../../support/fixtures/operator-files.ts'
import { openRegistry } from '../../support/registry/app.ts'
import { openForAll } from '../../support/runner/open-for-all.ts'
import {
  buildSaleFiles,
  contradictedSale,
  countries,
  nameSales,
  places,
  saleWorld,
  shows,
  some,
  sometimes,
} from '../../support/worlds/arbitrary-sales.ts'

const RUNS = 12

const registry = openForAll(openRegistry)

/** Entries that bring a property along: without an id, and maybe on a domain that the file lists too. */
const inlineEntry = fc.record({
  agent: fc.constantFrom(0, 1),
  on: fc.constantFrom(0, 1, 5),
  countries: sometimes(some(...countries)),
  placement_ids: sometimes(some(...places)),
  collections: sometimes(some(...shows)),
})
type Inline = typeof inlineEntry extends fc.Arbitrary<infer Value> ? Value : never

function toInlineEntry(
  { agent, on, collections, ...limits }: Inline,
  publisher: string,
  agents: string[],
) {
  return {
    url: agents[agent],
    authorized_for: 'Sales',
    authorization_type: 'inline_properties',
    properties: [
      {
        property_type: 'website',
        name: 'Inline',
        identifiers: [{ type: 'domain', value: `p${on}.${publisher}` }],
      },
    ],
    ...limits,
    ...(collections && {
      collections: [{ publisher_domain: publisher, collection_ids: collections }],
    }),
  }
}

async function ask<Body>(path: string, query: Record<string, unknown> = {}): Promise<Body> {
  return (await requestWithQuery(registry, path, query)).json()
}

const counts = { authorized: 0, needs: 0, contradicted: 0, no: 0, withoutId: 0 }

/** Checks one identifier; returns the properties under it that are granted, and those that may be sold. */
async function checkIdentifier(agent: string, value: string) {
  const { agents } = await ask<z.infer<typeof PropertyLookup>>('/api/registry/lookup/property', {
    type: 'domain',
    value,
  })
  const listed = agents.filter(({ agent_url }) => agent_url === agent)
  const sold = listed.filter(({ operator_side }) => operator_side !== 'contradicted')
  const verdict = await ask<PropertyAuthorization & { evidence: Evidence[] }>(
    '/api/registry/validate/property-authorization',
    { agent_url: agent, identifier_type: 'domain', identifier_value: value, explain: 'true' },
  )
  const plain = await ask<PropertyAuthorization>('/api/registry/validate/property-authorization', {
    agent_url: agent,
    identifier_type: 'domain',
    identifier_value: value,
  })
  expect([plain.authorized, plain.needs]).toEqual([verdict.authorized, verdict.needs])
  const { authorized, needs, evidence } = verdict
  expect(authorized || needs !== undefined).toBe(sold.length > 0)
  if (authorized) expect(evidence[0]!.says).toBe('match')
  if (needs) expect(evidence[0]!.rule).toMatch(/_not_asked$/)
  if (listed.length > sold.length) counts.contradicted++
  counts[authorized ? 'authorized' : needs ? 'needs' : 'no']++
  const rids = (items: typeof listed) => items.map(({ property }) => property.property_rid)
  return { listed: rids(listed), sold: rids(sold) }
}

/** Checks that every list, count and page says of an agent and a publisher what the verdicts say. */
async function checkAgent(agent: string, publisher: string): Promise<void> {
  const encoded = encodeURIComponent(agent)
  const lookup = await ask<PublisherLookup>('/api/registry/publisher', { domain: publisher })
  const identifiers = new Set(
    lookup.properties.flatMap(item => item.identifiers.map(({ value }) => value)),
  )
  const listed = new Set<string>()
  const sold = new Set<string>()
  for (const value of identifiers) {
    const found = await checkIdentifier(agent, value)
    for (const rid of found.listed) listed.add(rid)
    for (const rid of found.sold) sold.add(rid)
  }
  const shown = lookup.authorized_agents.find(({ url }) => url === agent)
  expect(shown?.properties_authorized ?? 0).toBe(listed.size)
  const whole = await ask<Partial<PublisherAuthorization> & { evidence?: Evidence[] }>(
    '/api/registry/publisher/authorization',
    { domain: publisher, agent, explain: 'true' },
  )
  expect(whole.authorized ?? 0).toBe(sold.size)
  if (listed.size > 0) expect(whole.evidence![0]!.says).toBe('match')
  const { publishers = [] } = await ask<{ publishers?: AgentPublisher[] }>(
    `/v1/agents/${encoded}/publishers`,
  )
  const of = publishers.find(({ publisher_domain }) => publisher_domain === publisher)
  const { properties_authorized = 0, properties_without_id = 0, properties_total = 0 } = of ?? {}
  expect(properties_authorized + properties_without_id).toBe(listed.size)
  if (properties_without_id > 0) counts.withoutId++
  if (of === undefined) return
  const { body } = await registry.app.inject(`/agent/${encoded}`)
  expect(body).toContain(of.signals_only ? 'Signals only' : `${listed.size} of ${properties_total}`)
}

test('no list, count or page disagrees with the verdict about a property', async () => {
  let runs = 0
  const check = async (
    arbitrary: typeof saleWorld extends fc.Arbitrary<infer W> ? W : never,
    inline: Inline[],
  ) => {
    const world = nameSales(arbitrary, runs++)
    const files = buildSaleFiles(world, registry.clock.now())
    const file = files[world.publisher] as { authorized_agents: object[] }
    file.authorized_agents.push(
      ...inline.map(entry => toInlineEntry(entry, world.publisher, world.agents)),
    )
    await publishFiles(registry, files)
    await registry.publish()
    for (const agent of world.agents) await checkAgent(agent, world.publisher)
  }
  await fc.assert(
    fc.asyncProperty(saleWorld, fc.array(inlineEntry, { minLength: 1, maxLength: 3 }), check),
    {
      numRuns: RUNS,
      examples: [
        [
          contradictedSale,
          [
            {
              agent: 1,
              on: 5,
              countries: undefined,
              placement_ids: undefined,
              collections: undefined,
            },
          ],
        ],
      ],
    },
  )
  expect(Math.min(...Object.values(counts))).toBeGreaterThan(0)
})
