import { describe, expect, it, test } from 'vitest'
import type { EventType, FeedEvent } from '../../../pipeline/model/event.ts'
import {
  buildPointer,
  buildShop,
  buildWebsite,
  grantByIds,
  grantBySelectors,
  type Nights,
  runNights,
} from '../../support/worlds/nights.ts'

const [acme, other] = ['acme.example', 'other.example']
const sales = 'https://sales.example/mcp'
const nowhere = { property_ids: ['gone'] }
const later = { effective_from: '2027-06-01T00:00:00Z' }
const before = { effective_until: '2026-01-01T00:00:00Z' }
const listing = (domain: string, ...authorized_agents: object[]) => ({
  [domain]: buildShop(domain, { authorized_agents }),
})

/** Lists the types of events about agents. */
function listAgentEvents(events: readonly FeedEvent[]): EventType[] {
  return events.flatMap(({ entity_type, event_type }) =>
    entity_type === 'agent' ? [event_type] : [],
  )
}

function loadAgents({ db }: Nights) {
  return db.all('select agent_url, publisher_count, property_count from agents order by 1, 2, 3')
}

const unreached = [{ agent_url: sales, publisher_count: 0, property_count: 0 }]
const entries: [string, object][] = [
  ['reaches nothing', grantByIds(sales, nowhere)],
  ['holds from later on', grantByIds(sales, later)],
  ['is over', grantByIds(sales, before)],
  [
    'selects nothing of the publisher’s',
    grantBySelectors(sales, { publisher_domain: acme, selection_type: 'by_id', ...nowhere }),
  ],
]

describe('an agent in a publisher’s file', () => {
  test.each(entries)('is discovered through an entry that %s', (_, entry) =>
    runNights(async nights => {
      expect(listAgentEvents(await nights.night(listing(acme, entry)))).toEqual([
        'agent.discovered',
      ])
      expect(await loadAgents(nights)).toEqual(unreached)
      expect(await nights.db.all('select * from authorizations where in_force')).toEqual([])
      expect(listAgentEvents(await nights.night(listing(acme)))).toEqual(['agent.removed'])
      expect(await loadAgents(nights)).toEqual([])
    }),
  )

  test.each(entries)(
    'stays when another publisher drops it, through an entry that %s',
    (_, entry) =>
      runNights(async nights => {
        await nights.night({ ...listing(other, grantByIds(sales)), ...listing(acme, entry) })
        expect(listAgentEvents(await nights.night(listing(other)))).toEqual([
          'agent.profile_updated',
        ])
        expect(await loadAgents(nights)).toEqual(unreached)
      }),
  )

  it('is the same one when the entry gains a reach, and when it loses it', () =>
    runNights(async nights => {
      await nights.night(listing(acme, grantByIds(sales, nowhere)))
      const granted = await nights.night(listing(acme, grantByIds(sales)))
      expect(listAgentEvents(granted)).toEqual(['agent.profile_updated'])
      const lost = await nights.night(listing(acme, grantByIds(sales, nowhere)))
      expect(listAgentEvents(lost)).toEqual(['agent.profile_updated'])
      expect(await loadAgents(nights)).toEqual(unreached)
    }))

  it('is listed while a window opens and closes', () =>
    runNights(async nights => {
      const window = {
        effective_from: '2026-11-22T03:00:00Z',
        effective_until: '2026-11-23T03:00:00Z',
      }
      await nights.night(listing(acme, grantByIds(sales, window)))
      expect(listAgentEvents(await nights.wait({ days: 1 }))).toEqual(['agent.profile_updated'])
      expect(listAgentEvents(await nights.wait({ days: 1, hours: 1 }))).toEqual([
        'agent.profile_updated',
      ])
      expect(await loadAgents(nights)).toEqual(unreached)
    }))

  it('is listed for as long as its grants would last: until the file has ended', () =>
    runNights(async nights => {
      await nights.night(listing(acme, grantByIds(sales, nowhere)))
      expect(listAgentEvents(await nights.night({ [acme]: 'absent' }))).toEqual([])
      expect(listAgentEvents(await nights.night({ [acme]: 'absent' }))).toEqual(['agent.removed'])
      expect(
        listAgentEvents(await nights.night(listing(acme, grantByIds(sales, nowhere)))),
      ).toEqual(['agent.discovered'])
    }))

  it('is not listed when the file revokes its publisher', () =>
    runNights(async nights => {
      await nights.night(listing(acme, grantByIds(sales, nowhere)))
      const revoked_publisher_domains = [{ publisher_domain: acme }]
      const authorized_agents = [grantByIds(sales, nowhere)]
      const revoked = buildShop(acme, { authorized_agents, revoked_publisher_domains })
      expect(listAgentEvents(await nights.night({ [acme]: revoked }))).toEqual(['agent.removed'])
    }))

  it('is listed only for publishers that the entry reaches in a shared file', () =>
    runNights(async nights => {
      const theirs = { publisher_domain: other, selection_type: 'all' }
      const authorized_agents = [
        grantByIds('https://nobody.example/mcp', nowhere),
        grantBySelectors(sales, { ...theirs, publisher_domain: acme }),
        grantBySelectors('https://later.example/mcp', theirs),
      ].map((entry, index) => (index === 2 ? { ...entry, ...later } : entry))
      const place = 'https://files.example/adagents.json'
      await nights.night({ [other]: { authoritative_location: place } })
      await nights.night({ [place]: { properties: [buildWebsite(other)], authorized_agents } })
      expect(await loadAgents(nights)).toMatchObject([{ agent_url: 'https://later.example/mcp' }])
    }))

  it('is not listed by a selector of other publishers alone: that is a claim', () =>
    runNights(async nights => {
      const entry = grantBySelectors(sales, { publisher_domain: other, selection_type: 'all' })
      expect(listAgentEvents(await nights.night(listing(acme, entry)))).toEqual([])
      expect(listAgentEvents(await nights.night({ [other]: buildPointer(acme) }))).toEqual([])
    }))
})
