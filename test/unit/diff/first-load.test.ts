import { expect, test } from 'vitest'
import type { FeedEvent } from '../../../pipeline/model/event.ts'
import { buildShop, buildWebsite, grantByIds, runNights } from '../../support/worlds/nights.ts'

const acme = 'acme.example'
const backfilled = (events: readonly FeedEvent[]) =>
  events.filter(({ actor }) => actor === 'pipeline:backfill').map(({ event_type }) => event_type)
const crawled = (events: readonly FeedEvent[]) =>
  events.filter(({ actor }) => actor === 'pipeline:crawler').map(({ event_type }) => event_type)
const collections = [{ collection_id: 'show', name: 'Show', kind: 'series' }]
const more = {
  properties: [
    buildWebsite(acme),
    buildWebsite(acme, { property_id: 'news', identifiers: findEvents(acme) }),
  ],
  collections: [...collections, { collection_id: 'other', name: 'Other', kind: 'series' }],
  authorized_agents: [
    grantByIds('https://sales.example/mcp'),
    grantByIds('https://more.example/mcp'),
  ],
}

function findEvents(domain: string) {
  return [{ type: 'domain', value: `news.${domain}` }]
}

test('the first content of a publisher is reported as a first load', () =>
  runNights(async nights => {
    await nights.night({ [acme]: { hello: 1 } })
    const events = await nights.night({ [acme]: buildShop(acme, { collections }) })
    expect(backfilled(events)).toEqual([
      'property.created',
      'authorization.granted',
      'collection.created',
    ])
    expect(crawled(events)).toEqual(['publisher.adagents_discovered', 'agent.discovered'])
  }))

test('later content is reported as crawled, also after its file was away', () =>
  runNights(async nights => {
    await nights.night({ [acme]: buildShop(acme, { collections }) })
    await nights.night({ [acme]: 'absent' })
    await nights.night({ [acme]: 'absent' })
    const events = await nights.night({ [acme]: buildShop(acme, more) })
    expect(backfilled(events)).toEqual([])
    expect(crawled(events)).toContain('property.created')
    expect(crawled(events)).toContain('collection.created')
    expect(crawled(events)).toContain('authorization.granted')
  }))

test('a grant whose window opens later is reported as crawled', () =>
  runNights(async nights => {
    const later = grantByIds('https://sales.example/mcp', {
      effective_from: '2026-11-23T00:00:00Z',
    })
    const first = await nights.night({ [acme]: buildShop(acme, { authorized_agents: [later] }) })
    expect(backfilled(first)).toEqual(['property.created'])
    const events = await nights.night({ [acme]: 'unchanged' }, { days: 3 })
    expect(crawled(events)).toContain('authorization.granted')
  }))
