import { describe, expect, it, test } from 'vitest'
import { isSameSite } from '../../../pipeline/core/domain.ts'
import {
  buildPointer,
  buildShop,
  buildWebsite,
  grantByIds,
  grantBySelectors,
  listEventTypes,
  type Nights,
  runNights,
} from '../../support/worlds/nights.ts'

const acme = 'acme.example'
const sales = 'https://sales.example/mcp'
const app = {
  property_type: 'mobile_app',
  name: 'App',
  property_id: 'app',
  tags: ['apps'],
  identifiers: [{ type: 'ios_bundle', value: 'example.acme' }],
}
const entry = (authorization_type: string | undefined, more: object = {}) => ({
  url: sales,
  authorized_for: 'All',
  authorization_type,
  ...more,
})
const file = (...authorized_agents: object[]) => ({
  [acme]: buildShop(acme, { properties: [buildWebsite(acme), app], authorized_agents }),
})

/** Lists `type: names of what it reaches` of every grant. */
async function listGrants({ db }: Nights): Promise<string[]> {
  const rows = await db.all<{ said: string }>(
    `select concat(authorization_type, ': ', string_agg(p.name, ', ' order by p.name)) as said
     from authorizations a left join property_sets s on s.set_id = a.property_set
     left join properties p on p.property_rid in (select value from json_each(s.property_rids))
     group by a.id, a.entry, authorization_type order by a.entry`,
  )
  return rows.map(({ said }) => said)
}

describe('an entry', () => {
  test.each<[string, object, string[]]>([
    [
      'by id reaches what it names',
      entry('property_ids', { property_ids: ['app', 'gone'] }),
      ['App'],
    ],
    [
      'by tag reaches what has any',
      entry('property_tags', { property_tags: ['apps', 'x'] }),
      ['App'],
    ],
    [
      'with properties of its own reaches these, not those the file lists',
      entry('inline_properties', { properties: [{ ...app, property_id: 'tv', name: 'TV' }] }),
      ['TV'],
    ],
    [
      'by selector reaches what it says of this publisher',
      grantBySelectors(sales, {
        publisher_domain: acme,
        selection_type: 'by_id',
        property_ids: ['app'],
      }),
      ['App'],
    ],
  ])('%s', (_, authorized, names) =>
    runNights(async nights => {
      await nights.night(file(authorized))
      expect((await listGrants(nights)).map(said => said.split(': ')[1])).toEqual(names)
    }),
  )

  test.each<[string, object]>([
    ['without a type', entry(undefined, { property_ids: ['app'] })],
    ['of a type nobody knows', entry('all_properties', { property_ids: ['app'] })],
    ['by id that names none', entry('property_ids')],
    ['by id whose ids are under another key', entry('property_ids', { properties: ['app'] })],
    ['by tag with ids', entry('property_tags', { property_ids: ['app'] })],
    ['of its own properties with none', entry('inline_properties')],
    [
      'of its own properties under the name of its type',
      entry('inline_properties', { inline_properties: [app] }),
    ],
    ['of signals that names none', entry('signal_ids')],
    [
      'whose window cannot be read',
      entry('property_ids', { property_ids: ['app'], effective_until: 'soon' }),
    ],
  ])('%s grants nothing', (_, authorized) =>
    runNights(async nights => {
      expect(listEventTypes(await nights.night(file(authorized)), 'authorization')).toEqual([])
      expect(await nights.db.all('select * from authorizations')).toEqual([])
    }),
  )

  test.each([
    ['by id', { authorization_type: 'signal_ids', signal_ids: ['readers'] }],
    ['by tag', { authorization_type: 'signal_tags', signal_tags: ['news'] }],
  ])('of signals, %s, grants signals and reaches no property', (_, signals) =>
    runNights(async nights => {
      const both = { property_ids: ['app'], property_tags: ['apps'], ...signals }
      const events = await nights.night(file({ ...entry(undefined), ...both }))
      expect(listEventTypes(events, 'authorization')).toEqual(['authorization.granted'])
      expect(
        await nights.db.one('select property_set, property_count from authorizations'),
      ).toEqual({
        property_set: null,
        property_count: 0,
      })
      expect(await nights.db.one('select property_count from agents')).toEqual({
        property_count: 0,
      })
    }),
  )

  it('of an agent with several entries counts by itself', () =>
    runNights(async nights => {
      const german = grantByIds(sales, { countries: ['DE'] })
      const app = grantByIds(sales, { property_ids: ['app'], countries: ['US'] })
      await nights.night(file(german, app))
      expect(await listGrants(nights)).toEqual([`property_ids: ${acme}`, 'property_ids: App'])
      expect(await nights.db.one('select publisher_count, markets from agents')).toEqual({
        publisher_count: 1,
        markets: ['DE', 'US'],
      })
    }))
})

describe('a restriction', () => {
  test.each<[string, object, object]>([
    ['to countries', { countries: ['GB', 'ZZ'] }, { countries: ['GB', 'ZZ'] }],
    ['to none that is a country, to nowhere', { countries: ['EMEA', 'uk'] }, { countries: [] }],
    ['that is no list, to nowhere', { countries: 'GB' }, { countries: [] }],
    ['to placements', { placement_ids: ['b', 'a'] }, { placement_ids: ['a', 'b'] }],
    [
      'to no placement',
      { placement_ids: [], placement_tags: [1] },
      { placement_ids: [], placement_tags: [] },
    ],
    ['to collections', { collections: [{ publisher_domain: 'x' }] }, { collections: [] }],
    ['of none, by its absence', {}, { countries: null, placement_ids: null, collections: null }],
  ])('%s is kept as meant, and never ignored', (_, restriction, row) =>
    runNights(async nights => {
      await nights.night(file(grantByIds(sales, restriction)))
      expect(await nights.db.one('select * from authorizations')).toMatchObject(row)
    }),
  )

  it('to collections of a revoked publisher opens none of them', () =>
    runNights(async nights => {
      const at = (publisher_domain: string) => ({ publisher_domain, collection_ids: ['show'] })
      const authorized_agents = [grantByIds(sales, { collections: [at('gone.example'), at(acme)] })]
      const revoked_publisher_domains = [{ publisher_domain: 'gone.example' }]
      await nights.night({
        [acme]: buildShop(acme, { authorized_agents, revoked_publisher_domains }),
      })
      expect(await nights.db.one('select collections from authorizations')).toEqual({
        collections: [at(acme)],
      })
    }))
})

describe('a publisher’s file', () => {
  it('cannot take properties with another owner, or with another’s names', () =>
    runNights(async nights => {
      const taken = [
        buildWebsite('other.example'),
        buildWebsite('other.example', { publisher_domain: acme, property_id: 'named' }),
        { ...app, publisher_domain: 'other.example', property_id: 'theirs' },
      ]
      const ids = { property_ids: ['site', 'named', 'theirs'] }
      const authorized_agents = [
        grantByIds(sales, ids),
        entry('inline_properties', { properties: taken }),
      ]
      const properties = [buildWebsite(acme), ...taken]
      await nights.night({ [acme]: buildShop(acme, { properties, authorized_agents }) })
      expect(await nights.db.all('select name from properties')).toEqual([{ name: acme }])
      expect(await listGrants(nights)).toEqual([`property_ids: ${acme}`])
    }))

  it('that several share holds as many properties as owners, though their slugs are the same', () =>
    runNights(async nights => {
      const [quay, pier] = ['quay.example', 'pier.example']
      const network = { properties: [buildWebsite(quay), buildWebsite(pier)] }
      await nights.night({ [quay]: buildShop(quay, network), [pier]: buildPointer(quay) })
      const rows = await nights.db.all<{ property_rid: string }>(
        'select property_rid, publisher_domain from properties order by publisher_domain',
      )
      expect(rows).toMatchObject([{ publisher_domain: pier }, { publisher_domain: quay }])
      expect(new Set(rows.map(row => row.property_rid)).size).toBe(2)
      const all = await nights.db.all('select property_count from authorizations')
      expect(all).toHaveLength(2)
      for (const row of all) expect(row).toEqual({ property_count: 1 })
    }))

  const network = {
    properties: [
      buildWebsite('quay.example'),
      buildWebsite('pier.example', { publisher_domain: undefined }),
      app,
    ],
    signals: [{ id: 'readers', name: 'Readers', value_type: 'binary' }],
    authorized_agents: [
      grantByIds(sales, { property_ids: ['site', 'app'] }),
      entry('signal_ids', { signal_ids: ['readers'] }),
      entry('inline_properties', { properties: [{ ...app, property_id: 'tv', name: 'TV' }] }),
    ],
  }
  const ofPier = ({ db }: Nights) =>
    db.all<{ said: string }>(
      `select concat(authorization_type, ' ', property_count) as said from authorizations
       where publisher_domain = 'pier.example' order by entry`,
    )

  it('owns what it lists without an owner, its signals too, whoever else points there', () =>
    runNights(async nights => {
      await nights.night({ 'quay.example': network, 'pier.example': buildPointer('quay.example') })
      expect(
        await nights.db.all('select publisher_domain as of, name from properties order by 1, 2'),
      ).toEqual([
        { of: 'pier.example', name: 'pier.example' },
        ...['App', 'TV', 'quay.example'].map(name => ({ of: 'quay.example', name })),
      ])
      expect((await ofPier(nights)).map(({ said }) => said)).toEqual(['property_ids 1'])
    }))

  it('at any other address gives unowned properties to the publishers that point there', () =>
    runNights(async nights => {
      const location = 'https://files.example/adagents.json'
      await nights.night({ 'pier.example': { authoritative_location: location } })
      await nights.night({ [location]: network })
      expect((await ofPier(nights)).map(({ said }) => said)).toEqual([
        'property_ids 2',
        'signal_ids 0',
        'inline_properties 1',
      ])
    }))

  test.each<[string, object]>([
    ['a property', { properties: [null, buildWebsite(acme), { property_type: 'website' }, 'x'] }],
    ['an entry', { authorized_agents: [null, { url: 'no address' }, grantByIds(sales), 7] }],
    ['a collection', { collections: [{ name: 'No id' }, 'x', { collection_id: 'c', name: 'C' }] }],
    [
      'a placement',
      { placements: [{}, null, { placement_id: 'p', name: 'P', property_ids: ['site'] }] },
    ],
    ['a whole list', { collections: 'x', placements: 7, signals: { a: 1 }, formats: null }],
    ['a revocation', { revoked_publisher_domains: [null, 7, { publisher_domain: '' }] }],
  ])('loses a malformed part (%s), and nothing else', (_, more) =>
    runNights(async nights => {
      const events = await nights.night({ [acme]: buildShop(acme, more) })
      expect(listEventTypes(events)).toContain('property.created')
      expect(await listGrants(nights)).toEqual([`property_ids: ${acme}`])
    }),
  )

  it('gives a property one permanent rid: over a stale night, a new slug and another app id', () =>
    runNights(async nights => {
      const rid = async () => (await nights.db.one(`select property_rid from properties`))!
      const of = (property: object) => ({
        [acme]: { properties: [property], authorized_agents: [] },
      })
      await nights.night(of(app))
      const first = await rid()
      await nights.night({ [acme]: 'absent' })
      expect(await rid()).toEqual(first)
      const more = { type: 'android_package', value: 'acme.app' }
      const other = { ...app, identifiers: [...app.identifiers, more], property_id: 'other' }
      expect(listEventTypes(await nights.night(of(other)), 'property')).toEqual([
        'property.updated',
        'property.reactivated',
      ])
      expect(await rid()).toEqual(first)
      await nights.night(of({ ...other, identifiers: [more] }))
      expect(await rid()).toEqual(first)
    }))
})

describe('two entries of one property', () => {
  it('have the same effect in any order', () =>
    runNights(async nights => {
      const website = buildWebsite(acme, { name: 'One', tags: ['all', 'news'] })
      const two = buildWebsite(acme, { name: 'Two', tags: ['all'] })
      await nights.night({ [acme]: buildShop(acme, { properties: [two, website] }) })
      const row = await nights.db.one('select name, tags from properties')
      expect(row).toEqual({ name: 'One', tags: ['all', 'news'] })
      const events = await nights.night({ [acme]: buildShop(acme, { properties: [website, two] }) })
      expect(listEventTypes(events, 'property')).toEqual([])
    }))
})

describe('two sites', () => {
  test.each<[string, string, boolean]>([
    ['a.example.co.uk', 'example.co.uk', true],
    ['one.co.uk', 'two.co.uk', false],
    ['one.github.io', 'two.github.io', false],
    ['www.acme.example', 'acme.example', true],
  ])('%s and %s are the same: %s', (a, b, expected) => {
    expect(isSameSite(a, b)).toBe(expected)
  })
})
