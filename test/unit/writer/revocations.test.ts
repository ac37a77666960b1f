import { describe, expect, it, test } from 'vitest'
import {
  buildPointer,
  buildShop,
  buildWebsite,
  listEventTypes,
  type Nights,
  runNights,
} from '../../support/worlds/nights.ts'

const [quay, pier] = ['quay.example', 'pier.example']
const revoking = (...domains: string[]) => ({
  revoked_publisher_domains: domains.map(publisher_domain => ({
    publisher_domain,
    revoked_at: '2026-11-01T00:00:00Z',
    reason: 'other',
  })),
})
const network = { properties: [buildWebsite(quay), buildWebsite(pier)] }
const files = { [quay]: buildShop(quay, network), [pier]: buildPointer(quay) }
const revokes = {
  [quay]: buildShop(quay, { ...network, ...revoking(pier) }),
  [pier]: 'unchanged',
} as const
const silent = { [quay]: buildShop(quay, network), [pier]: 'unchanged' } as const

/** Returns `property status and reason, grants` of a publisher. */
async function findValidity({ db }: Nights, domain = pier): Promise<string> {
  const property = await db.one<{ said: string }>(
    `select concat_ws(' ', status, stale_reason) as said from properties
     where publisher_domain = $domain`,
    { domain },
  )
  const grants = await db.all('select id from authorizations where publisher_domain = $domain', {
    domain,
  })
  return `${property?.said ?? 'none'}, ${grants.length === 0 ? 'no grant' : 'granted'}`
}

const over = 'stale revoked, no grant'
const fine = 'active, granted'

describe('a revoked publisher', () => {
  it('loses its grants in the same commit, whatever else the file says about it', () =>
    runNights(async nights => {
      await nights.night(files)
      expect(await findValidity(nights)).toBe(fine)
      const events = await nights.night(revokes)
      expect(listEventTypes(events, 'authorization')).toEqual(['authorization.revoked'])
      expect(
        events.find(({ event_type }) => event_type === 'property.stale')!.payload,
      ).toMatchObject({ publisher_domain: pier, reason: 'revoked' })
      expect(await findValidity(nights)).toBe(over)
      expect(await findValidity(nights, quay)).toBe(fine)
    }))

  it('stays revoked for seven days after the first sight, though the entry is gone', () =>
    runNights(async nights => {
      await nights.night(files)
      await nights.night(revokes)
      expect(listEventTypes(await nights.night(silent), 'authorization')).toEqual([])
      expect(await findValidity(nights)).toBe(over)
      await nights.night({ [quay]: 'unchanged', [pier]: 'unchanged' }, { days: 5, hours: 23 })
      expect(await findValidity(nights)).toBe(over)
      const back = await nights.wait({ hours: 1 })
      expect(listEventTypes(back)).toEqual([
        'publisher.adagents_changed',
        'property.reactivated',
        'authorization.granted',
        'agent.profile_updated',
      ])
      expect(await findValidity(nights)).toBe(fine)
    }))

  it('returns at once when the entry disappears after more than seven days', () =>
    runNights(async nights => {
      await nights.night(files)
      await nights.night(revokes)
      for (let day = 0; day < 8; day++)
        await nights.night({ [quay]: 'unchanged', [pier]: 'unchanged' })
      expect(await findValidity(nights)).toBe(over)
      await nights.night(silent)
      expect(await findValidity(nights)).toBe(fine)
    }))

  it('is identified by its domain: another time or reason starts no new seven days', () =>
    runNights(async nights => {
      await nights.night(files)
      await nights.night(revokes)
      await nights.night(silent, { days: 3 })
      const later = { publisher_domain: pier, revoked_at: '2026-11-24T00:00:00Z' }
      await nights.night({
        [quay]: buildShop(quay, { ...network, revoked_publisher_domains: [later] }),
        [pier]: 'unchanged',
      })
      await nights.night(silent, { days: 2, hours: 23 })
      expect(await findValidity(nights)).toBe(over)
      await nights.wait({ hours: 1 })
      expect(await findValidity(nights)).toBe(fine)
    }))

  it('stays revoked while the file is absent in between, and while it is a pointer', () =>
    runNights(async nights => {
      await nights.night(files)
      await nights.night(revokes)
      await nights.night({ [quay]: 'absent', [pier]: 'unchanged' }, { hours: 1 })
      await nights.night({ [quay]: 'absent', [pier]: 'unchanged' }, { hours: 2 })
      await nights.night({ [quay]: buildPointer('else.example') }, { hours: 1 })
      await nights.night(silent, { hours: 1 })
      expect(await findValidity(nights, quay)).toBe(fine)
      expect(await findValidity(nights)).toBe(over)
    }))

  it('is remembered from a file that was replaced before its batch was committed', () =>
    runNights(async nights => {
      await nights.night(files)
      const other = buildShop(quay, { ...network, catalog_etag: '2' })
      await nights.commitTogether(revokes, { [quay]: other })
      expect(await findValidity(nights)).toBe(over)
    }))

  it('may be a part of the domain: properties that name it belong to nobody', () =>
    runNights(async nights => {
      const shopAt = buildWebsite(`shop.${quay}`, { publisher_domain: quay, property_id: 'shop' })
      const both = { properties: [buildWebsite(quay), shopAt] }
      const rows = () =>
        nights.db.all<{ name: string }>(
          `select name from properties where status = 'active' order by name`,
        )
      await nights.night({ [quay]: buildShop(quay, both) })
      expect(await rows()).toEqual([{ name: quay }, { name: `shop.${quay}` }])
      await nights.night({ [quay]: buildShop(quay, { ...both, ...revoking(`shop.${quay}`) }) })
      expect(await rows()).toEqual([{ name: quay }])
      await nights.night({ [quay]: buildShop(quay, both) })
      expect(await rows()).toEqual([{ name: quay }])
      await nights.night({ [quay]: 'unchanged' }, { days: 5 })
      await nights.wait({ days: 1 })
      expect(await rows()).toEqual([{ name: quay }, { name: `shop.${quay}` }])
    }))
})

describe('a publisher that revokes itself', () => {
  const shows = { collections: [{ collection_id: 'show', name: 'Show' }] }
  const own = { [pier]: buildShop(pier, shows) }

  it('ends its grants and its collections', () =>
    runNights(async nights => {
      await nights.night(own)
      const events = await nights.night({
        [pier]: buildShop(pier, { ...shows, ...revoking(pier) }),
      })
      expect(listEventTypes(events, 'authorization')).toEqual(['authorization.revoked'])
      expect(listEventTypes(events, 'collection')).toEqual(['collection.removed'])
      expect(await findValidity(nights)).toBe(over)
    }))

  it('stays revoked when its file becomes a pointer to one without the entry', () =>
    runNights(async nights => {
      await nights.night({
        [pier]: buildShop(pier, revoking(pier)),
        [quay]: buildShop(quay, network),
      })
      await nights.night({ [pier]: buildPointer(quay), [quay]: 'unchanged' })
      expect(await findValidity(nights)).toBe('none, no grant')
      await nights.night({ [pier]: 'unchanged', [quay]: 'unchanged' }, { days: 5 })
      await nights.wait({ days: 1 })
      expect(await findValidity(nights)).toBe(fine)
    }))

  it('is independent of managers: a manager’s revocation leaves its own file alone', () =>
    runNights(async nights => {
      await nights.night({ ...own, [quay]: buildShop(quay, revoking(pier)) })
      expect(await findValidity(nights)).toBe(fine)
    }))
})

describe('a revocation counts', () => {
  test.each<[string, unknown]>([
    ['without a time', { publisher_domain: pier }],
    ['with a time that cannot be read', { publisher_domain: pier, revoked_at: 'yesterday' }],
    ['with a time to come', { publisher_domain: pier, revoked_at: '2090-01-01T00:00:00Z' }],
    ['as a bare name', pier],
    ['in capitals', { publisher_domain: 'PIER.example', revoked_at: '2026-11-01T00:00:00Z' }],
  ])('%s', (_, entry) =>
    runNights(async nights => {
      const file = buildShop(quay, { ...network, revoked_publisher_domains: [entry] })
      await nights.night({ [quay]: file, [pier]: buildPointer(quay) })
      expect(await findValidity(nights)).toBe('none, no grant')
    }),
  )

  it('for nobody when its domain is invalid, which the faults report', () =>
    runNights(async nights => {
      const entry = { publisher_domain: 'not a domain', revoked_at: '2026-11-01T00:00:00Z' }
      const file = buildShop(quay, { ...network, revoked_publisher_domains: [entry] })
      await nights.night({ [quay]: file, [pier]: buildPointer(quay) })
      expect(await findValidity(nights)).toBe(fine)
      const row = await nights.db.one<{ faults: { field: string }[] }>(
        `select faults from documents where location = '${quay}'`,
      )
      expect(row!.faults.map(({ field }) => field)).toContain(
        'revoked_publisher_domains[0].publisher_domain',
      )
    }))
})
