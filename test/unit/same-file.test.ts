import { describe, expect, test } from 'vitest'
import { byIds, bySelectors, overNights, shop, site, told } from '../support/nights.ts'

const acme = 'acme.example'
const identifiers = [
  { type: 'domain', value: acme },
  { type: 'subdomain', value: `news.${acme}` },
]
const file = (turn: <Item>(list: Item[]) => Item[]) => ({
  $schema: 'https://schemas.example/adagents.json',
  last_updated: '2026-11-20T00:00:00Z',
  properties: [
    site(acme, {
      identifiers: turn(identifiers),
      tags: turn(['all', 'news']),
      supported_channels: turn(['display', 'olv']),
    }),
  ],
  placements: [{ placement_id: 'top', name: 'Top', property_ids: turn(['site', 'app']) }],
  authorized_agents: [
    byIds('https://sales.example/mcp', {
      property_ids: turn(['site', 'app']),
      countries: turn(['DE', 'GB']),
    }),
    bySelectors('https://more.example/mcp', {
      ...{ selection_type: 'by_tag', property_tags: turn(['all', 'news']) },
      publisher_domains: turn([acme, 'other.example']),
    }),
  ],
})

const asIs = <Item>(list: Item[]): Item[] => list
const reversed = <Item>(list: Item[]): Item[] => [...list].reverse()

/** The same members, those of objects inside too, the other way round. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, member]) => [key, turned(member)])
  return Object.fromEntries(entries.reverse())
}

describe('nothing is told of a file', () => {
  test.each<[string, object]>([
    ['whose keys stand in another order', turned(file(asIs)) as object],
    ['whose sets are written in another order', file(reversed)],
    ['that only says it was updated', { ...file(asIs), last_updated: '2026-11-21T00:00:00Z' }],
    ['that names another schema', { ...file(asIs), $schema: 'https://schemas.example/v2' }],
    ['whose catalog field is no list', { ...file(asIs), signals: 'none' }],
  ])('%s', (_, other) =>
    overNights(async nights => {
      expect(told(await nights.night({ [acme]: file(asIs) }))).toContain('authorization.granted')
      expect(told(await nights.night({ [acme]: other }))).toEqual([])
    }),
  )

  test('but of one with another list it is, by name', () =>
    overNights(async nights => {
      await nights.night({ [acme]: shop(acme) })
      const events = await nights.night({
        [acme]: shop(acme, { signals: [{ id: 'x', name: 'X' }] }),
      })
      expect(told(events)).toEqual(['publisher.adagents_changed'])
      expect(events[0]!.payload.changed_fields).toEqual(['signals'])
    }))
})
