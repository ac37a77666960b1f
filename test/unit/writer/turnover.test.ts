import { describe, expect, it } from 'vitest'
import { toIso } from '../../../pipeline/core/clock.ts'
import { TypedFeedEvent } from '../../../pipeline/model/event.ts'
import { buildShop, runNights } from '../../support/worlds/nights.ts'

const first = 'https://first.example/mcp'
const second = 'https://second.example/mcp'

function buildFile(domain: string, agents: readonly string[], sites: readonly string[]) {
  const shop = buildShop(domain)
  return {
    ...shop,
    properties: sites.map(site => ({
      property_id: site.replaceAll('.', '-'),
      property_type: 'website',
      name: site,
      identifiers: [{ type: 'domain', value: site }],
    })),
    authorized_agents: agents.map(url => ({
      url,
      authorized_for: 'All',
      authorization_type: 'property_ids',
      property_ids: sites.map(site => site.replaceAll('.', '-')),
    })),
  }
}

describe('the event of a changed file', () => {
  it('names the agents and properties that came and went', async () => {
    await runNights(async ({ night, db }) => {
      const rid = async (name: string) =>
        (
          await db.all<{ rid: string }>(
            `select property_rid as rid from properties where name = '${name}'`,
          )
        )[0]?.rid
      await night({ 'a.example': buildFile('a.example', [first], ['a.example', 'old.a.example']) })
      const events = await night({
        'a.example': buildFile('a.example', [second], ['a.example', 'new.a.example']),
      })
      const changed = events.find(event => event.event_type === 'publisher.adagents_changed')
      expect(changed?.payload).toMatchObject({
        agents_added: [second],
        agents_removed: [first],
        properties_added: [await rid('new.a.example')],
        properties_removed: [await rid('old.a.example')],
      })
      expect(TypedFeedEvent.safeParse(changed).error).toBeUndefined()
    })
  })

  it('cuts long lists, and says how many there are', async () => {
    await runNights(async ({ night }) => {
      const sites = Array.from({ length: 201 }, (_, i) => `s${i}.a.example`)
      const events = await night({ 'a.example': buildFile('a.example', [first], sites) })
      const { payload } = events.find(({ event_type }) => event_type.startsWith('publisher.'))!
      expect(payload.properties_added).toHaveLength(200)
      expect(payload).toMatchObject({
        properties_added_total: 201,
        properties_added_truncated: true,
      })
    })
  })
})

describe('the event of an agent that nobody names anymore', () => {
  it('names the publishers that have left it', async () => {
    await runNights(async ({ night }) => {
      const name = (agents: string[]) =>
        Object.fromEntries(
          ['a.example', 'b.example'].map(domain => [domain, buildFile(domain, agents, [domain])]),
        )
      await night(name([first, second]))
      const events = await night(name([second]))
      const removed = events.filter(({ event_type }) => event_type === 'agent.removed')
      expect(removed.map(({ payload }) => payload)).toEqual([
        { agent_url: first, removed_from_publishers: ['a.example', 'b.example'] },
      ])
    })
  })
})

describe('the event of a property whose file fails', () => {
  it('says when the file was last read, unless the file itself leaves the property out', async () => {
    await runNights(async ({ night, wait, clock }) => {
      await night({ 'a.example': buildFile('a.example', [first], ['a.example']) })
      const read = toIso(clock.now())
      await night({ 'a.example': 'timeout' })
      const stale = (await wait({ days: 8 })).find(event => event.event_type === 'property.stale')
      expect(stale?.payload).toMatchObject({ reason: 'validation_failed', last_resolved_at: read })
      await night({ 'a.example': buildFile('a.example', [first], ['a.example', 'b.a.example']) })
      const events = await night({ 'a.example': buildFile('a.example', [first], ['a.example']) })
      const left = events.find(({ event_type }) => event_type === 'property.stale')
      expect(left?.payload).toMatchObject({ reason: 'not_listed' })
      expect(left?.payload).not.toHaveProperty('last_resolved_at')
    })
  })
})
