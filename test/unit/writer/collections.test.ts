import { describe, expect, it } from 'vitest'
import type { Nights } from '../../support/worlds/nights.ts'
import {
  buildPointer,
  buildShop,
  grantByIds,
  listEventTypes,
  runNights,
} from '../../support/worlds/nights.ts'

const acme = 'acme.example'
const feed = { type: 'rss_url', value: 'https://acme.example/feed.xml' }
const tube = { type: 'youtube_channel_id', value: 'UC1' }
const mornings = {
  collection_id: 'mornings',
  name: 'Mornings',
  kind: 'series',
  genre: ['news'],
  distribution: [{ publisher_domain: acme, identifiers: [feed, tube] }],
}
const nights = { collection_id: 'nights', name: 'Nights' }
const files = (...collections: object[]) => ({ [acme]: buildShop(acme, { collections }) })

function loadRows({ db }: Nights) {
  return db.all<Record<string, unknown>>(
    'select * from collections order by publisher_domain, collection_id',
  )
}

async function listStored(all: Nights): Promise<string[]> {
  return (await loadRows(all)).map(
    row => `${row.publisher_domain} ${row.collection_id} ${row.status}`,
  )
}

async function findCount({ db }: Nights): Promise<number> {
  const row = await db.one<{ n: number }>(
    `select collection_count as n from publishers where domain = '${acme}'`,
  )
  return row!.n
}

describe('the collections of a publisher', () => {
  it('are reported once each, as the publisher wrote them', () =>
    runNights(async all => {
      const events = await all.night(files(mornings, nights))
      const [first, second] = events.filter(({ entity_type }) => entity_type === 'collection')
      expect(first).toMatchObject({ event_type: 'collection.created' })
      expect(first!.payload).toEqual({
        collection_rid: first!.entity_id,
        publisher_domain: acme,
        collection_id: 'mornings',
        name: 'Mornings',
        kind: 'series',
        source: 'authoritative',
        status: 'active',
        identifiers: [
          { publisher_domain: acme, ...feed },
          { publisher_domain: acme, ...tube },
        ],
        collection: mornings,
      })
      expect(second!.payload).toMatchObject({ name: 'Nights', kind: 'series', identifiers: [] })
      expect(JSON.stringify(second!.payload)).not.toContain('null')
      expect(await findCount(all)).toBe(2)
    }))

  it('cause no event when only the order of lists changes', () =>
    runNights(async all => {
      await all.night(files(mornings, nights))
      const [place] = mornings.distribution
      const turned = { ...place!, identifiers: [tube, feed] }
      const other = Object.fromEntries(Object.entries(mornings).reverse())
      const events = await all.night(files(nights, { ...other, distribution: [turned] }))
      expect(listEventTypes(events, 'collection')).toEqual([])
    }))

  it('report the changed fields', () =>
    runNights(async all => {
      await all.night(files(mornings))
      const where = [{ publisher_domain: acme, identifiers: [feed] }]
      const more = { name: 'Early', season: '2', distribution: where }
      const events = await all.night(files({ ...mornings, ...more }))
      const [event] = events.filter(({ event_type }) => event_type === 'collection.updated')
      expect(event!.payload.changed_fields).toEqual(['distribution', 'name', 'season'])
    }))

  it('are removed when a valid file no longer lists them, and return under the same rid', () =>
    runNights(async all => {
      const [created] = (await all.night(files(mornings, nights))).filter(
        ({ event_type }) => event_type === 'collection.created',
      )
      const gone = await all.night(files(nights))
      expect(listEventTypes(gone, 'collection')).toEqual(['collection.removed'])
      expect(gone.find(({ entity_id }) => entity_id === created!.entity_id)!.payload).toMatchObject(
        { collection_id: 'mornings', status: 'removed' },
      )
      expect(await findCount(all)).toBe(1)
      expect(listEventTypes(await all.night(files(nights)), 'collection')).toEqual([])
      const back = (await all.night(files(mornings, nights))).filter(
        ({ entity_type }) => entity_type === 'collection',
      )
      expect(back).toMatchObject([
        { event_type: 'collection.updated', entity_id: created!.entity_id },
      ])
      expect(back[0]!.payload).toMatchObject({ status: 'active', changed_fields: ['status'] })
    }))

  it('are indexed from a file without authorizations', () =>
    runNights(async all => {
      const catalog = { collections: [mornings], authorized_agents: [] }
      const events = await all.night({ [acme]: catalog })
      expect(listEventTypes(events)).toEqual([
        'publisher.adagents_discovered',
        'collection.created',
      ])
    }))

  it('stay while the file is stale, and are removed when its grants end', () =>
    runNights(async all => {
      await all.night(files(mornings))
      const stale = await all.night({ [acme]: 'absent' })
      expect(listEventTypes(stale, 'property')).toEqual(['property.stale'])
      expect(listEventTypes(stale, 'collection')).toEqual([])
      expect(await listStored(all)).toEqual([`${acme} mornings active`])
      const ended = await all.night({ [acme]: 'absent' })
      expect(listEventTypes(ended)).toContain('collection.removed')
      expect(await listStored(all)).toEqual([`${acme} mornings removed`])
      expect(await findCount(all)).toBe(0)
      const back = await all.night({ [acme]: 'unchanged' })
      expect(listEventTypes(back, 'collection')).toEqual(['collection.updated'])
    }))

  it('are removed when the file becomes a pointer to a missing one', () =>
    runNights(async all => {
      await all.night(files(mornings))
      const events = await all.night({ [acme]: buildPointer(acme) })
      expect(listEventTypes(events, 'collection')).toEqual(['collection.removed'])
    }))

  it('with one id are reduced to the first', () =>
    runNights(async all => {
      await all.night(files(mornings, { ...nights, collection_id: 'mornings' }))
      expect(await loadRows(all)).toMatchObject([{ name: 'Mornings' }])
    }))
})

describe('the collections of a shared file', () => {
  const quay = 'quay.example'
  const [pier, mole] = ['pier.example', 'mole.example']
  const show = (collection_id: string, more: object = {}) => ({
    collection_id,
    name: collection_id,
    ...more,
  })
  const at = (publisher_domain: string) => ({
    distribution: [{ publisher_domain, identifiers: [{ type: 'domain', value: 'a.example' }] }],
  })
  const night = {
    [quay]: buildShop(quay, {
      collections: [
        show('spelled', { publisher_domain: pier, ...at(mole) }),
        show('referred', at(mole)),
        show('distributed', at(mole)),
        show('unsaid'),
      ],
      authorized_agents: [
        grantByIds('https://sales.example/mcp', {
          collections: [{ publisher_domain: pier, collection_ids: ['referred'] }],
        }),
      ],
    }),
    [pier]: buildPointer(quay),
    [mole]: buildPointer(quay),
  }

  it('belong to the publishers that the file names; its own host owns the rest', () =>
    runNights(async all => {
      await all.night(night)
      expect(await listStored(all)).toEqual([
        `${mole} distributed active`,
        `${pier} referred active`,
        `${pier} spelled active`,
        `${quay} distributed active`,
        `${quay} referred active`,
        `${quay} unsaid active`,
      ])
    }))

  it('have a rid of their own for each publisher', () =>
    runNights(async all => {
      await all.night(night)
      const rids = (await loadRows(all)).map(row => row.collection_rid)
      expect(new Set(rids).size).toBe(rids.length)
    }))
})
