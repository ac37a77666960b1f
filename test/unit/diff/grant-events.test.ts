import { describe, expect, it } from 'vitest'
import type { FeedEvent } from '../../../pipeline/model/event.ts'
import {
  buildPointer,
  buildShop,
  buildWebsite,
  grantByIds,
  grantBySelectors,
  listEventTypes,
  runNights,
} from '../../support/worlds/nights.ts'

const acme = 'acme.example'
const sales = 'https://sales.example/mcp'
const byTag = {
  url: sales,
  authorized_for: 'All',
  authorization_type: 'property_tags',
  property_tags: ['all'],
}
const granting = (entry: object, more: object = {}) => ({
  [acme]: buildShop(acme, { authorized_agents: [entry], ...more }),
})
const app = {
  property_type: 'mobile_app',
  name: 'App',
  property_id: 'app',
  tags: ['all'],
  identifiers: [{ type: 'ios_bundle', value: 'example.acme' }],
}

function listAuthorizationEvents(events: readonly FeedEvent[]): FeedEvent[] {
  return events.filter(({ entity_type }) => entity_type === 'authorization')
}

describe('a grant that ends', () => {
  it('is reported with the time of its end', () =>
    runNights(async nights => {
      await nights.night(granting(grantByIds(sales)))
      const [revoked] = listAuthorizationEvents(
        await nights.night({ [acme]: buildShop(acme, { authorized_agents: [] }) }),
      )
      expect(revoked!.payload).toMatchObject({
        agent_url: sales,
        created_at: '2026-11-21T03:00:00.000Z',
        updated_at: '2026-11-22T03:00:00.000Z',
      })
    }))

  it('also ends when its file becomes a catalog without grants', () =>
    runNights(async nights => {
      await nights.night(granting(grantByIds(sales)))
      const events = await nights.night({ [acme]: buildShop(acme, { authorized_agents: [] }) })
      expect(listEventTypes(events, 'authorization')).toEqual(['authorization.revoked'])
      expect(listEventTypes(events, 'property')).toEqual([])
    }))

  it('leaves the agent while another publisher names it, in whatever spelling', () =>
    runNights(async nights => {
      const other = 'other.example'
      await nights.night({
        ...granting(grantByIds(sales)),
        [other]: buildShop(other, {
          authorized_agents: [grantByIds('https://SALES.example:443/mcp/')],
        }),
      })
      const events = await nights.night({ [acme]: buildShop(acme, { authorized_agents: [] }) })
      expect(listEventTypes(events, 'agent')).toEqual(['agent.profile_updated'])
      const last = await nights.night({ [other]: buildShop(other, { authorized_agents: [] }) })
      expect(listEventTypes(last, 'agent')).toEqual(['agent.removed'])
    }))

  it('is not reported when only the spelling of the agent’s address changes', () =>
    runNights(async nights => {
      await nights.night(granting(grantByIds(sales)))
      const events = await nights.night(granting(grantByIds('HTTPS://sales.example/mcp/#top')))
      expect(listEventTypes(events)).toEqual(['publisher.adagents_changed'])
    }))
})

describe('a grant that reaches other properties than before', () => {
  it('is modified, though its text is the same', () =>
    runNights(async nights => {
      await nights.night(granting(byTag))
      const events = listAuthorizationEvents(
        await nights.night(granting(byTag, { properties: [buildWebsite(acme), app] })),
      )
      expect(listEventTypes(events)).toEqual(['authorization.modified'])
      expect(events[0]!.payload).toMatchObject({
        changed_fields: ['properties'],
        properties_authorized: 2,
        publisher_wide: true,
      })
    }))

  it('is not modified by a property outside of its reach', () =>
    runNights(async nights => {
      const other = {
        ...app,
        property_id: 'other',
        identifiers: [{ type: 'ios_bundle', value: 'x' }],
      }
      await nights.night(granting(grantByIds(sales), { properties: [buildWebsite(acme), app] }))
      const events = await nights.night(
        granting(grantByIds(sales), { properties: [buildWebsite(acme), app, other] }),
      )
      expect(listEventTypes(events)).toEqual(['publisher.adagents_changed', 'property.created'])
    }))
})

describe('a grant that reaches what it did before', () => {
  it('is modified when it no longer covers the whole publisher', () =>
    runNights(async nights => {
      await nights.night(granting(grantByIds(sales)))
      const events = listAuthorizationEvents(
        await nights.night(granting(grantByIds(sales), { properties: [buildWebsite(acme), app] })),
      )
      expect(listEventTypes(events)).toEqual(['authorization.modified'])
      const changed_fields = ['publisher_wide']
      expect(events[0]!.payload).toMatchObject({ changed_fields, publisher_wide: false })
    }))

  it('is modified when another file says the same', () =>
    runNights(async nights => {
      await nights.night({ ...granting(grantByIds(sales)), 'files.example': buildShop(acme) })
      const events = listAuthorizationEvents(
        await nights.night({ [acme]: buildPointer('files.example') }, { days: 1 }),
      )
      expect(listEventTypes(events)).toEqual(['authorization.modified'])
      expect(events[0]!.payload).toMatchObject({
        changed_fields: ['discovery_method', 'manager_domain'],
        discovery_method: 'authoritative_location',
        manager_domain: 'files.example',
      })
    }))
})

describe('a grant by selectors', () => {
  const selector = (more: object) => ({ selection_type: 'all', ...more })

  it('contains those that name its publisher, in row and events, and no others', () =>
    runNights(async nights => {
      const [quay, pier] = ['quay.example', 'pier.example']
      const entry = grantBySelectors(
        sales,
        selector({ publisher_domains: [pier, quay, 'mole.example'] }),
        { publisher_domain: pier, selection_type: 'by_tag', property_tags: ['b', 'a'] },
      )
      const properties = [buildWebsite(quay), buildWebsite(pier)]
      const events = await nights.night({
        [quay]: buildShop(quay, { properties, authorized_agents: [entry] }),
        [pier]: buildPointer(quay),
      })
      const named = { publisher_domain: pier, selection_type: 'all' }
      const tagged = { publisher_domain: pier, selection_type: 'by_tag', property_tags: ['a', 'b'] }
      const granted = listAuthorizationEvents(events).find(
        event => event.payload.publisher_domain === pier,
      )
      expect(granted!.payload.publisher_properties).toEqual([named, tagged])
      const row = await nights.db.one(
        `select publisher_properties from authorizations where publisher_domain = '${pier}'`,
      )
      expect(row).toEqual({ publisher_properties: [named, tagged] })
    }))

  it('is modified when they are', () =>
    runNights(async nights => {
      const selector = { publisher_domain: acme, selection_type: 'by_tag' }
      await nights.night(granting(grantBySelectors(sales, { ...selector, property_tags: ['all'] })))
      const events = await nights.night(
        granting(grantBySelectors(sales, { ...selector, property_tags: ['all', 'more'] })),
      )
      const [modified] = listAuthorizationEvents(events)
      expect(modified!.payload.changed_fields).toEqual(['publisher_properties'])
    }))
})

describe('the lists of a grant', () => {
  it('ignore their order', () =>
    runNights(async nights => {
      const keys = ['a', 'b'].map(kid => ({ kid, kty: 'OKP', crv: 'Ed25519', x: kid.repeat(43) }))
      const entry = (turn: <Item>(list: Item[]) => Item[]) =>
        granting(
          grantByIds(sales, {
            property_ids: turn(['site', 'app']),
            countries: turn(['GB', 'DE']),
            placement_tags: turn(['x', 'y']),
            signing_keys: turn(keys),
            collections: turn([
              { publisher_domain: acme, collection_ids: turn(['c', 'd']) },
              { publisher_domain: 'b.example', collection_ids: ['c'] },
            ]),
          }),
          { properties: turn([buildWebsite(acme), app]) },
        )
      await nights.night(entry(list => list))
      const events = await nights.night(entry(list => [...list].reverse()))
      expect(listEventTypes(events, 'authorization')).toEqual([])
      expect(listEventTypes(events, 'property')).toEqual([])
    }))

  it('are cut in events when they have thousands of items, marked as such, and complete in the index', () =>
    runNights(async nights => {
      const ids = Array.from({ length: 3_000 }, (_, i) => `p${String(i).padStart(4, '0')}`)
      const collections = [{ publisher_domain: acme, collection_ids: ids }]
      const entry = grantByIds(sales, { property_ids: ['site', ...ids], collections })
      const [granted] = listAuthorizationEvents(await nights.night(granting(entry)))
      expect(granted!.payload).toMatchObject({
        property_ids: ids.slice(0, 200),
        property_ids_total: 3_001,
        property_ids_truncated: true,
      })
      expect(granted!.payload.collections).toEqual([
        {
          publisher_domain: acme,
          collection_ids: ids.slice(0, 200),
          collection_ids_total: 3_000,
          collection_ids_truncated: true,
        },
      ])
      const row = await nights.db.one(
        'select json_array_length(property_ids) as n from authorizations',
      )
      expect(row).toEqual({ n: 3_001 })
    }))
})
