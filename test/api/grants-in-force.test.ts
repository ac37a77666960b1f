import { beforeAll, describe, expect, test } from 'vitest'
import { DAY } from '../../pipeline/core/clock.ts'
import { observeFile } from '../support/fixtures/observations.ts'
import { openRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { START } from '../support/worlds/clock.ts'
import { buildShop, grantByIds } from '../support/worlds/nights.ts'

const acme = 'acme.example'
const always = 'https://always.example/mcp'
const later = 'https://later.example/mcp'
const registry = openForAll(openRegistry)

beforeAll(async () => {
  const authorized_agents = [
    grantByIds(always),
    grantByIds(later, { effective_from: '2026-11-22T00:00:00Z' }),
  ]
  await registry.observe(
    observeFile('adagents.json', acme, buildShop(acme, { authorized_agents }), START),
  )
})

async function listAgents(url: string): Promise<string[]> {
  const body = (await registry.app.inject(url)).json()
  return body.authorized_agents.map((agent: { url: string }) => agent.url)
}

const lookups = [`/api/registry/publisher?domain=${acme}`, `/api/properties/resolve?domain=${acme}`]

describe('an agent whose grant has not begun', () => {
  test.each(lookups)('is not listed by %s', async url => {
    expect(await listAgents(url)).toEqual([always])
  })

  test('is listed once it has begun, without another crawl', async () => {
    registry.clock.tick(3 * DAY)
    expect(await registry.sequencer.tick()).toBeDefined()
    for (const url of lookups) expect(await listAgents(url)).toEqual([always, later])
    expect(await registry.verify()).toEqual([])
  })
})
