import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { operations } from '../../api/routes/index.ts'
import { HOUR, MINUTE } from '../../pipeline/core/clock.ts'
import type { Outcome } from '../../pipeline/core/outcomes.ts'
import { observeOutcome } from '../support/fixtures/observations.ts'
import { buildOperatorFile, publishFiles } from '../support/fixtures/operator-files.ts'
import { openRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { buildShop, buildWebsite, grantByIds } from '../support/worlds/nights.ts'

const agent = 'https://sell.agents.example/mcp'
const domain = 'shop.example'

/** Requests of every operation whose answer has an ETag of its own and the freshness of files. */
const requests: Record<string, string> = {
  resolveBrand: `/api/brands/resolve?domain=${domain}`,
  resolveProperty: `/api/properties/resolve?domain=${domain}`,
  lookUpPublisher: `/api/registry/publisher?domain=${domain}`,
  lookUpDomain: `/api/registry/lookup/domain/${domain}`,
  listAgentPublishers: `/v1/agents/${encodeURIComponent(agent)}/publishers`,
  listAgentPublishersAlias: `/api/v1/agents/${encodeURIComponent(agent)}/publishers`,
}

const registry = openForAll(openRegistry)

const get = async (url: string, headers: Record<string, string> = {}) =>
  registry.app.inject({ url, headers })

const publish = () =>
  publishFiles(registry, {
    [`brand ${domain}`]: buildOperatorFile([], []),
    [domain]: buildShop(domain, {
      properties: [buildWebsite(domain)],
      authorized_agents: [grantByIds(agent)],
    }),
  })

const happens = (outcome: Outcome) => {
  registry.clock.tick(MINUTE)
  const now = registry.clock.now()
  return registry.observe(
    observeOutcome(outcome, 'adagents.json', domain, now),
    observeOutcome(outcome, 'brand.json', domain, now),
  )
}

test('each answer with an ETag of its own and the freshness of files is tried here', () => {
  const tagged = operations.filter(({ reply, responseHeaders }) => {
    const schema = reply[200]
    const hasFreshness = schema instanceof z.ZodObject && 'freshness' in schema.shape
    return hasFreshness && responseHeaders?.includes('ETag')
  })
  expect(tagged.map(({ id }) => id).sort()).toEqual(Object.keys(requests).sort())
})

describe.each(Object.entries(requests))('%s', (_, url) => {
  test.each<[Outcome, string]>([
    ['absent', 'absent'],
    ['unusable', 'invalid'],
    ['not_json', 'invalid'],
    ['timeout', 'failing'],
  ])(
    'after %s a copy from before is not current, and one of the state %s is',
    async (outcome, state) => {
      registry.clock.tick(HOUR)
      await publish()
      const before = await get(url)
      expect(before.json().freshness.state).toBe('current')
      await happens('unchanged')
      const read = await get(url)
      await happens(outcome)
      const held = {
        'if-none-match': String(read.headers.etag),
        'if-modified-since': new Date(registry.clock.now()).toUTCString(),
      }
      const after = await get(url, held)
      expect([after.statusCode, after.json().freshness.state]).toEqual([200, state])
      const { 'if-modified-since': since } = held
      expect((await get(url, { 'if-modified-since': since })).statusCode).toBe(200)
      await happens(outcome)
      const again = await get(url, { 'if-none-match': String(after.headers.etag) })
      expect(again.statusCode).toBe(304)
    },
  )
})
