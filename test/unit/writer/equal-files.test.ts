import { describe, expect, test } from 'vitest'
import {
  buildShop,
  buildWebsite,
  grantByIds,
  grantBySelectors,
  listEventTypes,
  runNights,
} from '../../support/worlds/nights.ts'

const acme = 'acme.example'
const identifiers = [
  { type: 'domain', value: acme },
  { type: 'subdomain', value: `news.${acme}` },
]
type Turn = <Item>(list: Item[]) => Item[]
const keys = ['k1', 'k2'].map(kid => ({ kid, kty: 'OKP', crv: 'Ed25519', x: kid.repeat(21) }))
const file = (turn: Turn) => ({
  $schema: 'https://schemas.example/adagents.json',
  last_updated: '2026-11-20T00:00:00Z',
  properties: turn([
    buildWebsite(acme, {
      identifiers: turn(identifiers),
      tags: turn(['all', 'news']),
      supported_channels: turn(['display', 'olv']),
    }),
    buildWebsite(acme, { property_id: 'app', identifiers: [{ type: 'ios_bundle', value: 'a.b' }] }),
  ]),
  placements: turn([
    { placement_id: 'top', name: 'Top', property_ids: turn(['site', 'app']) },
    { placement_id: 'foot', name: 'Foot', property_ids: ['site'] },
  ]),
  formats: turn(['a', 'b'].map(format_option_id => ({ format_option_id, format_kind: 'image' }))),
  collections: turn(['c', 'd'].map(id => ({ collection_id: id, name: id, distribution: [] }))),
  property_features: turn([{ url: 'https://a.example' }, { url: 'https://b.example' }]),
  revoked_publisher_domains: turn(
    ['x.example', 'y.example'].map(publisher_domain => ({
      publisher_domain,
      revoked_at: '2026-11-19T00:00:00Z',
    })),
  ),
  authorized_agents: turn([
    grantByIds('https://sales.example/mcp', {
      property_ids: turn(['site', 'app']),
      countries: turn(['DE', 'GB']),
      signing_keys: turn(keys),
      collections: turn(
        [acme, 'other.example'].map(publisher_domain => ({
          publisher_domain,
          collection_ids: turn(['c', 'd']),
        })),
      ),
    }),
    grantBySelectors(
      'https://more.example/mcp',
      ...turn([
        {
          selection_type: 'by_tag',
          property_tags: turn(['all', 'news']),
          publisher_domains: turn([acme, 'other.example']),
        },
        { selection_type: 'all', publisher_domain: 'third.example' },
      ]),
    ),
  ]),
})

const asIs: Turn = list => list
const reversed: Turn = list => [...list].reverse()

/** Turns the order of members around, also in nested objects. */
function invertMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(invertMembers)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, member]) => [key, invertMembers(member)])
  return Object.fromEntries(entries.reverse())
}

describe('a file causes no event', () => {
  test.each<[string, object]>([
    ['whose keys stand in another order', invertMembers(file(asIs)) as object],
    ['whose lists are written in another order', file(reversed)],
    ['that only says it was updated', { ...file(asIs), last_updated: '2026-11-21T00:00:00Z' }],
    ['that names another schema', { ...file(asIs), $schema: 'https://schemas.example/v2' }],
    ['whose catalog field is no list', { ...file(asIs), signals: 'none' }],
  ])('%s', (_, other) =>
    runNights(async nights => {
      expect(listEventTypes(await nights.night({ [acme]: file(asIs) }))).toContain(
        'authorization.granted',
      )
      expect(listEventTypes(await nights.night({ [acme]: other }))).toEqual([])
    }),
  )

  test('but one with another list does, with its name', () =>
    runNights(async nights => {
      await nights.night({ [acme]: buildShop(acme) })
      const events = await nights.night({
        [acme]: buildShop(acme, { signals: [{ id: 'x', name: 'X' }] }),
      })
      expect(listEventTypes(events)).toEqual(['publisher.adagents_changed'])
      expect(events[0]!.payload.changed_fields).toEqual(['signals'])
    }))

  test('but one whose agent has another label does, in any order', () =>
    runNights(async nights => {
      await nights.night({ [acme]: file(asIs) })
      const other = file(reversed)
      other.authorized_agents[1] = { ...other.authorized_agents[1], authorized_for: 'News' }
      const events = await nights.night({ [acme]: other })
      expect(listEventTypes(events)).toEqual([
        'publisher.adagents_changed',
        'authorization.modified',
      ])
      expect(events[0]!.payload.changed_fields).toEqual(['authorized_agents'])
    }))

  test('nor does one whose hashes come from another version of the registry', () =>
    runNights(async nights => {
      await nights.night({ [acme]: file(asIs) })
      await nights.db.run(
        `update publishers set fields = json_object('properties', '0123456789abcdef',
           'authorized_agents', '0123456789abcdef', 'contact', '0123456789abcdef')`,
      )
      const events = await nights.night({ [acme]: { ...file(asIs), tags: {} } })
      expect(listEventTypes(events)).toEqual(['publisher.adagents_changed'])
      expect(events[0]!.payload.changed_fields).not.toContain('properties')
      expect(events[0]!.payload.changed_fields).toEqual(expect.arrayContaining(['contact', 'tags']))
    }))
})
