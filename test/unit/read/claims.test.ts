import { describe, expect, it, test } from 'vitest'
import { type ClaimsQuery, listResolvedClaims } from '../../../pipeline/read/queries/claims.ts'
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

const [quay, pier, mole] = ['quay.example', 'pier.example', 'mole.example']
const sales = 'https://sales.example/mcp'
const app = (publisher_domain: string, more: object = {}) => ({
  property_type: 'mobile_app',
  name: 'App',
  property_id: 'app',
  publisher_domain,
  identifiers: [{ type: 'ios_bundle', value: `app.${publisher_domain}` }],
  tags: ['apps'],
  ...more,
})
const all = (...publisher_domains: string[]) => ({ publisher_domains, selection_type: 'all' })

/** Builds a manager's file with these selectors, which lists properties of two publishers. */
const manager = (selectors: object[], more: object = {}) =>
  buildShop(quay, {
    properties: [buildWebsite(quay), buildWebsite(pier), app(pier), buildWebsite(mole)],
    authorized_agents: [grantBySelectors(sales, ...selectors)],
    ...more,
  })

function loadClaims({ db }: Nights) {
  return db.all<Record<string, unknown>>(
    'select * from claims order by manager_domain, entry, selector, publisher_domain',
  )
}

/** Resolves claims as readers see them once they are published. */
async function resolveClaims({ publish }: Nights, query: ClaimsQuery) {
  const db = await publish()
  try {
    return await listResolvedClaims({ db }, query)
  } finally {
    db.close()
  }
}

/** Lists `publisher path property_id` of everything claimed. */
async function listClaimed(nights: Nights): Promise<string[]> {
  const rows = await resolveClaims(nights, { limit: 100 })
  return rows.flatMap(({ publisher_domain, path, properties }) =>
    properties.map(({ property_id, name }) => `${publisher_domain} ${path} ${property_id ?? name}`),
  )
}

describe('an entry of a manager about other publishers', () => {
  it('is a claim on each of them, and not a grant', () =>
    runNights(async nights => {
      const events = await nights.night({ [quay]: manager([all(quay, pier, mole)]) })
      expect(await loadClaims(nights)).toMatchObject([
        {
          agent_url: sales,
          manager_domain: quay,
          publisher_domain: mole,
          entry: 0,
          selector: 0,
          selection_type: 'all',
          authorized_for: 'All',
          inline_property_ids: ['site'],
          inline_property_count: 1,
        },
        { publisher_domain: pier, inline_property_ids: ['app', 'site'], inline_property_count: 2 },
      ])
      const listEventTypes = events.filter(
        ({ event_type }) => event_type === 'authorization.granted',
      )
      expect(listEventTypes.map(({ payload }) => payload.publisher_domain)).toEqual([quay])
    }))

  it('creates no publisher and no agent', () =>
    runNights(async nights => {
      await nights.night({ [quay]: manager([all(pier)]) })
      expect(await nights.db.all('select domain from publishers')).toEqual([{ domain: quay }])
      expect(await nights.db.all('select * from authorizations')).toEqual([])
      expect(await nights.db.all('select * from agents')).toEqual([])
    }))

  it('keeps its qualifiers', () =>
    runNights(async nights => {
      const qualifiers = {
        countries: ['GB', 'DE'],
        delegation_type: 'delegated',
        exclusive: true,
        effective_until: '2030-01-01T00:00:00Z',
        placement_ids: ['top'],
        collections: [{ publisher_domain: pier, collection_ids: ['show'] }],
      }
      const entry = { ...grantBySelectors(sales, all(pier)), ...qualifiers }
      await nights.night({ [quay]: manager([], { authorized_agents: [entry] }) })
      expect(await loadClaims(nights)).toMatchObject([{ ...qualifiers, countries: ['DE', 'GB'] }])
    }))

  it('of another authorization type claims nothing', () =>
    runNights(async nights => {
      const entry = { ...grantByIds(sales), publisher_properties: [all(pier)] }
      await nights.night({ [quay]: manager([], { authorized_agents: [entry] }) })
      expect(await loadClaims(nights)).toEqual([])
    }))

  it('claims nothing in a shared file: claims need the manager’s own host', () =>
    runNights(async nights => {
      await nights.night({ [quay]: manager([all(pier, mole)]), [pier]: buildPointer(quay) })
      const managers = (await loadClaims(nights)).map(row => row.manager_domain)
      expect(managers).toEqual([quay, quay])
    }))

  it('ends with the entry, and with the file, but not while that is stale', () =>
    runNights(async nights => {
      await nights.night({ [quay]: manager([all(pier), all(mole)]) })
      await nights.night({ [quay]: manager([all(pier)]) })
      expect(await loadClaims(nights)).toMatchObject([{ publisher_domain: pier }])
      await nights.night({ [quay]: 'absent' })
      expect(await loadClaims(nights)).toHaveLength(1)
      await nights.night({ [quay]: 'absent' })
      expect(await loadClaims(nights)).toEqual([])
    }))

  it('ends while the file revokes the publisher, and for a week afterwards', () =>
    runNights(async nights => {
      const revoked_publisher_domains = [{ publisher_domain: pier }]
      await nights.night({ [quay]: manager([all(pier, mole)], { revoked_publisher_domains }) })
      expect(await listClaimed(nights)).toEqual([`${mole} inline site`])
      await nights.night({ [quay]: manager([all(pier, mole)]) }, { days: 6, hours: 23 })
      expect(await listClaimed(nights)).toEqual([`${mole} inline site`])
      expect(listEventTypes(await nights.wait({ hours: 1 }))).toEqual([])
      expect(await loadClaims(nights)).toHaveLength(2)
    }))
})

describe('a selector', () => {
  const at = (more: object) => ({ publisher_domain: pier, ...more })
  test.each<[string, object, string[]]>([
    ['of all', at({ selection_type: 'all' }), ['app', 'site']],
    ['by id', at({ selection_type: 'by_id', property_ids: ['app', 'x'] }), ['app']],
    ['by tag', at({ selection_type: 'by_tag', property_tags: ['x', 'all'] }), ['site']],
  ])('%s selects alike in the manager’s file and in the publisher’s', (_, selector, ids) =>
    runNights(async nights => {
      await nights.night({ [quay]: manager([selector]) })
      expect(await listClaimed(nights)).toEqual(ids.map(id => `${pier} inline ${id}`))
      await nights.night({
        [pier]: buildShop(pier, { properties: [buildWebsite(pier), app(pier)] }),
      })
      expect(await listClaimed(nights)).toEqual(ids.map(id => `${pier} federated ${id}`))
    }),
  )

  test.each<[string, object]>([
    [
      'by id of several publishers',
      { publisher_domains: [pier, mole], selection_type: 'by_id', property_ids: ['site'] },
    ],
    ['of one and of several', { publisher_domain: pier, ...all(mole) }],
    ['of nobody', { selection_type: 'all' }],
    ['without a type', { publisher_domain: pier }],
  ])('%s is invalid: it neither claims nor grants', (_, selector) =>
    runNights(async nights => {
      await nights.night({ [quay]: manager([selector]), [pier]: buildPointer(quay) })
      expect(await loadClaims(nights)).toEqual([])
      expect(await nights.db.all('select * from authorizations')).toEqual([])
    }),
  )

  it('matches only properties of the manager’s file that name the publisher', () =>
    runNights(async nights => {
      const properties = [
        app(quay, { publisher_domain: undefined, property_id: 'unsaid' }),
        app(pier, { property_id: 'spelled' }),
        buildWebsite(mole, { publisher_domain: pier, property_id: 'foreign' }),
      ]
      await nights.night({ [quay]: manager([all(pier)], { properties }) })
      expect(await loadClaims(nights)).toMatchObject([{ inline_property_ids: ['spelled'] }])
    }))

  it('counts a repeated property once, and those of two publishers separately', () =>
    runNights(async nights => {
      const nameless = app(pier, { property_id: undefined })
      const properties = [
        buildWebsite(pier),
        buildWebsite(pier),
        nameless,
        nameless,
        buildWebsite(mole),
      ]
      await nights.night({ [quay]: manager([all(pier, mole)], { properties }) })
      expect(await loadClaims(nights)).toMatchObject([
        { publisher_domain: mole, inline_property_ids: ['site'], inline_property_count: 1 },
        { publisher_domain: pier, inline_property_ids: ['site'], inline_property_count: 2 },
      ])
    }))
})

describe('the result of a claim', () => {
  it('is what the publisher’s own file lists, whatever the manager lists', () =>
    runNights(async nights => {
      await nights.night({ [quay]: manager([all(pier, mole)]) })
      await nights.night({
        [pier]: buildShop(pier, { properties: [app(pier, { property_id: 'own' })] }),
      })
      expect(await listClaimed(nights)).toEqual([`${mole} inline site`, `${pier} federated own`])
    }))

  it('is empty for a publisher that revoked itself, or whose file fails', () =>
    runNights(async nights => {
      const revoked_publisher_domains = [{ publisher_domain: pier }]
      await nights.night({
        [quay]: manager([all(pier, mole)]),
        [pier]: buildShop(pier, { revoked_publisher_domains }),
        [mole]: buildShop(mole),
      })
      expect(await listClaimed(nights)).toEqual([`${mole} federated site`])
      await nights.night({ [mole]: 'absent' })
      expect(await listClaimed(nights)).toEqual([])
    }))

  it('can be queried by agent, by manager and by publisher', () =>
    runNights(async nights => {
      const other = grantBySelectors('https://other.example/mcp', all(pier))
      await nights.night({
        [quay]: manager([all(pier, mole)]),
        'inn.example': buildShop('inn.example', { authorized_agents: [other] }),
        [pier]: buildShop(pier),
      })
      const ask = async (asked: object) => {
        const rows = await resolveClaims(nights, { limit: 9, ...asked })
        return rows.map(row => `${row.manager_domain} ${row.publisher_domain}`)
      }
      const [first] = await resolveClaims(nights, { publisher: pier, limit: 1 })
      expect(await ask({ agent: sales })).toEqual([`${quay} ${mole}`, `${quay} ${pier}`])
      expect(await ask({ manager: 'inn.example' })).toEqual([`inn.example ${pier}`])
      expect(await ask({ publisher: pier })).toHaveLength(2)
      expect(await ask({ publisher: pier, limit: 1 })).toHaveLength(1)
      expect(await ask({ publisher: pier, after: first })).toHaveLength(1)
    }))

  it('includes properties without an id, and counts those that are cut', () =>
    runNights(async nights => {
      const apps = Array.from({ length: 8 }, (_, i) =>
        app(mole, { property_id: undefined, name: `App ${i}` }),
      )
      const properties = [app(pier, { property_id: undefined }), ...apps]
      await nights.night({ [quay]: manager([all(pier), all(mole)], { properties }) })
      const [many, one] = await resolveClaims(nights, { limit: 9 })
      expect(many).toMatchObject({ publisher_domain: mole, path: 'inline', properties_total: 8 })
      expect(many!.properties).toHaveLength(5)
      expect(one!.properties).toEqual([
        {
          property_rid: null,
          property_id: null,
          property_type: 'mobile_app',
          name: 'App',
          identifiers: [{ type: 'ios_bundle', value: `app.${pier}` }],
          tags: ['apps'],
        },
      ])
    }))

  test.each<[string, object, boolean | null]>([
    [
      'agree',
      buildShop(pier, { properties: [app(pier, { tags: ['apps'] }), buildWebsite(pier)] }),
      false,
    ],
    [
      'name a property otherwise',
      buildShop(pier, { properties: [buildWebsite(pier), app(pier, { name: 'A' })] }),
      true,
    ],
    ['list another number', buildShop(pier), true],
    [
      'list what is revoked',
      buildShop(pier, { revoked_publisher_domains: [{ publisher_domain: pier }] }),
      true,
    ],
  ])('says whether the two files diverge: these %s', (_, own, diverges) =>
    runNights(async nights => {
      await nights.night({ [quay]: manager([all(pier)]) })
      expect(await resolveClaims(nights, { limit: 9 })).toMatchObject([{ diverges: null }])
      await nights.night({ [pier]: own })
      expect(await resolveClaims(nights, { limit: 9 })).toMatchObject([{ diverges }])
    }),
  )

  it('diverges from nothing where the manager lists nothing of the publisher', () =>
    runNights(async nights => {
      const properties = [buildWebsite(quay)]
      await nights.night({ [quay]: manager([all(pier)], { properties }), [pier]: buildShop(pier) })
      expect(await resolveClaims(nights, { limit: 9 })).toMatchObject([
        { path: 'federated', properties_total: 1, diverges: null },
      ])
    }))
})

describe('a network of thousands', () => {
  const names = Array.from({ length: 6_800 }, (_, i) => `n${i}.example`)
  const network = (domains: string[], more: object = {}) =>
    buildShop(quay, { authorized_agents: [grantBySelectors(sales, all(...domains))], ...more })

  it('has one claim per publisher, and an update writes only the changes', () =>
    runNights(async nights => {
      await nights.night({ [quay]: network(names) })
      const writtenLast = async () => {
        const row = await nights.db.one<{ n: number }>(
          'select count(*) as n from claims where seq = (select max(seq) from events)',
        )
        return row!.n
      }
      expect(await writtenLast()).toBe(6_800)
      await nights.night({ [quay]: network(['new.example', ...names.slice(1)]) })
      expect(await writtenLast()).toBe(1)
      expect(await loadClaims(nights)).toHaveLength(6_800)
    }))

  it('fetches a shared file once for all publishers that point to it', () =>
    runNights(async nights => {
      const children = names.slice(0, 300)
      const location = 'https://files.example/adagents.json'
      const pointer = { authoritative_location: location }
      await nights.night(Object.fromEntries(children.map(name => [name, pointer])))
      const due = `select location from crawl_state where kind = 'adagents.json'
        and location like '%files.example%'`
      expect(await nights.db.all(due)).toEqual([{ location }])
      const properties = children.map(name => buildWebsite(name))
      const authorized_agents = [grantBySelectors(sales, all(...children))]
      await nights.night({ [location]: { properties, authorized_agents } })
      expect(await nights.db.one('select count(*) as n from authorizations')).toEqual({ n: 300 })
      const rids = 'select count(distinct property_rid) as n from properties'
      expect(await nights.db.one(rids)).toEqual({ n: 300 })
    }))
})
