import { load } from 'cheerio'
import { expect, test } from 'vitest'
import { MINUTE } from '../../pipeline/core/clock.ts'
import type { Outcome } from '../../pipeline/core/outcomes.ts'
import { observeOutcome } from '../support/fixtures/observations.ts'
import { publishFiles, requestWithQuery } from '../support/fixtures/operator-files.ts'
import { openRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { buildShop, buildWebsite, grantByIds } from '../support/worlds/nights.ts'

const agent = 'https://sell.agents.example/mcp'
const registry = openForAll(openRegistry)

/** Publishes a valid file, and lets attempts to read it end so. */
async function publishAndTry(domain: string, outcomes: readonly Outcome[]): Promise<void> {
  await publishFiles(registry, {
    [domain]: buildShop(domain, {
      properties: [buildWebsite(domain)],
      authorized_agents: [grantByIds(agent)],
    }),
  })
  for (const outcome of outcomes) {
    registry.clock.tick(MINUTE)
    const now = registry.clock.now()
    await registry.observe(observeOutcome(outcome, 'adagents.json', domain, now))
  }
}

test.each<[outcomes: Outcome[], status: string, isInForce: boolean]>([
  [[], 'valid', true],
  [['timeout'], 'valid', true],
  [['not_json'], 'invalid', true],
  [['not_json', 'unchanged'], 'valid', true],
  [['absent'], 'absent', false],
  [['absent', 'not_json'], 'invalid', false],
  [['unusable'], 'invalid', false],
])(
  'after %j the status of a file is %s, as its freshness says, and whether a version is in force: %s',
  async (outcomes, status, isInForce) => {
    const domain = `${[...outcomes, 'end'].join('-').replaceAll('_', '-')}.example`
    await publishAndTry(domain, outcomes)
    for (const query of [{ domain }, { domain, limit: 1 }]) {
      const lookup = (await requestWithQuery(registry, '/api/registry/publisher', query)).json()
      expect([lookup.files.adagents_json.status, lookup.adagents_valid]).toEqual([
        status,
        isInForce,
      ])
      expect(['absent', 'invalid'].includes(lookup.freshness.state)).toBe(status !== 'valid')
    }
    const page = load((await registry.app.inject(`/publisher/${domain}`)).body)
    const shown = { valid: 'Valid', invalid: 'Invalid', absent: 'Not found' }[status]
    expect(page('.tiles').text()).toContain(shown)
  },
)

test('evidence from a file that has broken since says which version counts', async () => {
  const question = {
    agent_url: agent,
    identifier_type: 'domain',
    identifier_value: 'since.example',
    explain: 'true',
  }
  const readText = async () => {
    const path = '/api/registry/validate/property-authorization'
    const { authorized, evidence } = (await requestWithQuery(registry, path, question)).json()
    expect(authorized).toBe(true)
    return evidence[0].text
  }
  await publishAndTry('since.example', [])
  expect(await readText()).toBe('this entry authorizes the agent')
  await publishAndTry('since.example', ['not_json'])
  expect(await readText()).toMatch(
    /^this entry authorizes the agent; the file is invalid now, and its last valid version, from 2026-11-\d\d, counts$/,
  )
})
