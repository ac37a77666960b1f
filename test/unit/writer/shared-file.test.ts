import { describe, expect, test } from 'vitest'
import {
  buildWebsite,
  grantByIds,
  grantBySelectors,
  listEventTypes,
  runNights,
} from '../../support/worlds/nights.ts'

const shared = 'https://files.example/adagents.json'
const children = ['a.example', 'b.example']
const sales = 'https://sales.example/mcp'
const app = (owner: string) => ({
  property_type: 'mobile_app',
  name: 'App',
  property_id: 'app',
  publisher_domain: owner,
  identifiers: [{ type: 'ios_bundle', value: `app.${owner}` }],
})
const inline = (...owners: string[]) => ({
  url: 'https://inline.example/mcp',
  authorized_for: 'Apps',
  authorization_type: 'inline_properties',
  properties: owners.map(app),
})
const show = (...places: string[]) => ({
  collection_id: 'show',
  name: 'Show',
  kind: 'series',
  publisher_domain: 'a.example',
  distribution: places.map(publisher_domain => ({
    publisher_domain,
    identifiers: [{ type: 'apple_podcast_id', value: '1' }],
  })),
})

type Turn = <Item>(list: Item[]) => Item[]
const asIs: Turn = list => list
const reversed: Turn = list => [...list].reverse()

/** Builds the file that both publishers point to, with its lists turned. */
function file(turn: Turn = asIs, agents: object[] = [], properties: object[] = []) {
  const keys = ['k1', 'k2'].map(kid => ({ kid, kty: 'OKP', crv: 'Ed25519', x: kid.repeat(21) }))
  return {
    properties: turn([
      ...properties,
      ...children.map(domain => buildWebsite(domain, { tags: turn(['all', 'news']) })),
      app('a.example'),
    ]),
    collections: [show(...turn(children))],
    authorized_agents: turn([
      ...agents,
      grantBySelectors(sales, { publisher_domains: turn(children), selection_type: 'all' }),
      grantByIds('https://more.example/mcp', {
        property_ids: turn(['site', 'app']),
        countries: turn(['GB', 'US']),
        signing_keys: turn(keys),
      }),
      inline('a.example'),
    ]),
  }
}

/** Lists the events of the publishers of a shared file when it changes. */
function listEvents(before: object, after: object): Promise<string[]> {
  return runNights(async nights => {
    const pointers = children.map(domain => [domain, { authoritative_location: shared }])
    await nights.night(Object.fromEntries(pointers))
    expect(listEventTypes(await nights.night({ [shared]: before }))).toContain(
      'authorization.granted',
    )
    const events = await nights.night({ [shared]: after })
    return events.flatMap(({ event_type, entity_id, payload }) => {
      if (!event_type.startsWith('publisher.')) return []
      return `${entity_id}: ${(payload.changed_fields as string[]).join()}`
    })
  })
}

describe('no publisher of a shared file gets an event', () => {
  const stranger = grantBySelectors('https://other.example/mcp', {
    publisher_domain: 'other.example',
    selection_type: 'all',
  })
  test.each<[string, object, object]>([
    ['that an entry about others stands before its own', file(), file(asIs, [stranger])],
    ['that a property of others stands before its own', file(), file(asIs, [], [app('z.example')])],
    ['in which order its lists are written', file(), file(reversed)],
    [
      'what an entry brings along for others',
      file(asIs, [inline('a.example', 'y.example')]),
      file(asIs, [inline('a.example', 'z.example')]),
    ],
  ])('%s', async (_, before, after) => {
    expect(await listEvents(before, after)).toEqual([])
  })
})

describe('only the affected publishers of a shared file get an event', () => {
  const all = { authorized_agents: [grantBySelectors(sales, selector('all'))] }
  const tagged = (...tags: string[]) => grantBySelectors(sales, selector('by_tag', tags))
  function selector(selection_type: string, property_tags?: string[]) {
    return { publisher_domains: children, selection_type, ...(property_tags && { property_tags }) }
  }
  const listing = (...properties: object[]) => ({ ...all, properties })
  const both = children.map(domain => buildWebsite(domain))

  test.each<[string, object, object, string[]]>([
    [
      'that its property has another name',
      listing(...both),
      listing(buildWebsite('a.example', { name: 'A' }), both[1]!),
      ['a.example: properties'],
    ],
    [
      'that another agent can sell for it',
      listing(...both),
      {
        properties: both,
        authorized_agents: [
          ...all.authorized_agents,
          grantBySelectors('https://more.example/mcp', {
            publisher_domain: 'b.example',
            selection_type: 'all',
          }),
        ],
      },
      ['b.example: authorized_agents'],
    ],
    [
      'that it is selected in other words',
      { properties: both, authorized_agents: [tagged('all')] },
      { properties: both, authorized_agents: [tagged('all', 'more')] },
      ['a.example: authorized_agents', 'b.example: authorized_agents'],
    ],
    [
      'that an entry names more properties',
      { properties: [...both, app('a.example')], authorized_agents: [grantByIds(sales)] },
      {
        properties: [...both, app('a.example')],
        authorized_agents: [grantByIds(sales, { property_ids: ['site', 'app'] })],
      },
      ['a.example: authorized_agents', 'b.example: authorized_agents'],
    ],
  ])('%s', async (_, before, after, expected) => {
    expect(await listEvents(before, after)).toEqual(expected)
  })
})
