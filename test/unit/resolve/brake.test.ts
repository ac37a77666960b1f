import { describe, expect, it } from 'vitest'
import { isMassLoss } from '../../../pipeline/resolve/brake.ts'
import { observeFile } from '../../support/fixtures/observations.ts'
import { buildSubmission } from '../../support/fixtures/submissions.ts'
import {
  brakeLimits,
  listDomains,
  openPublisherWeb,
  type PublisherWeb,
  toDomains,
} from '../../support/worlds/many-publishers.ts'
import {
  buildPointer,
  buildShop,
  buildWebsite,
  grantByIds,
  grantBySelectors,
} from '../../support/worlds/nights.ts'

/** Floors that a few dozen publishers reach. */
const low = { ...brakeLimits, rows: 40, publishers: 4 }
const empty = () => ({ properties: [], authorized_agents: [] })

async function listStored({ index }: PublisherWeb) {
  return index.db.one<{ active: number; grants: number; valid: number }>(
    `select (select count(*) from properties where status = 'active') as active,
       (select count(*) from authorizations) as grants,
       (select count(*) from publishers where valid) as valid`,
  )
}

async function decide(
  { index }: PublisherWeb,
  op: 'held.release' | 'held.drop',
  domains: string[],
) {
  const operation = { op, domains: toDomains(domains) }
  return index.commit({ submissions: [buildSubmission(`${op} ${domains[0]}`, operation)] })
}

describe('losses that are too large for one night', () => {
  const night = (rows: number, publishers = 20) => ({ rows, publishers })
  const known = (rows: number, before: number[] = []) => ({ active: rows, before })

  it.each([
    ['from the floor of rows on', night(200), known(0), true],
    ['not below the floor of rows', night(199), known(0), false],
    ['not of fewer publishers than the floor', night(5_000, 19), known(0), false],
    ['not up to the share of what stands', night(200), known(10_000), false],
    ['beyond the share of what stands', night(201), known(10_000), true],
    ['not up to five times the usual', night(500), known(1e6, [100, 100, 100]), false],
    ['beyond five times the usual', night(501), known(1e6, [100, 100, 100]), true],
    ['not by the usual of two nights', night(501), known(1e6, [0, 0]), false],
    [
      'by the usual of the last seven nights',
      night(400),
      known(1e6, [9e3, ...Array(7).fill(79)]),
      true,
    ],
  ])('%s', (_, total, so, expected) => {
    expect(isMassLoss(total, so, brakeLimits)).toBe(expected)
  })
})

describe('a captive portal before 400 publishers', () => {
  it('causes no loss when all files turn into a web page, however often', async () => {
    const web = await openPublisherWeb(400)
    expect(await web.crawl(listDomains(400), 'not_json')).toEqual({})
    web.clock.tick({ days: 1 })
    expect(await web.crawl(listDomains(400), 'not_json')).toEqual({})
    expect(await listStored(web)).toEqual({ active: 400, grants: 400, valid: 400 })
    const held = await web.held()
    expect(held).toHaveLength(400)
    expect(held[0]).toMatchObject({ rule: 'publisher', reason: 'failed', grants: 0, properties: 1 })
  })

  it('causes no loss when all files are absent twice, nor after a week', async () => {
    const web = await openPublisherWeb(400)
    expect(await web.crawl(listDomains(400), 'absent')).toEqual({})
    web.clock.tick({ hours: 2 })
    expect(await web.crawl(listDomains(400), 'absent')).toEqual({})
    web.clock.tick({ days: 8 })
    expect(await web.index.commit([])).toEqual([])
    expect(await listStored(web)).toEqual({ active: 400, grants: 400, valid: 400 })
    const [one] = await web.held()
    expect(one).toMatchObject({ grants: 1, properties: 1, since: '2026-11-21T04:00:00.000Z' })
  })

  it('ends when the files are back, and each leaves the list of held publishers', async () => {
    const web = await openPublisherWeb(400)
    await web.crawl(listDomains(400), 'absent')
    web.clock.tick({ hours: 2 })
    expect(await web.crawl(listDomains(400), 'unchanged')).toEqual({})
    expect(await web.held()).toEqual([])
    expect(await listStored(web)).toEqual({ active: 400, grants: 400, valid: 400 })
  })
})

describe('many files at once', () => {
  it('are held when they drop everything, and their additions are applied', async () => {
    const web = await openPublisherWeb(60, low)
    const other = (domain: string) => ({
      properties: [buildWebsite(domain, { property_id: 'app', ...app(domain) })],
      authorized_agents: [grantByIds('https://other.example/mcp', { property_ids: ['app'] })],
    })
    expect(await web.crawl(listDomains(60), other)).toMatchObject({
      'property.created': 60,
      'authorization.granted': 60,
    })
    expect(await listStored(web)).toEqual({ active: 120, grants: 120, valid: 60 })
    expect(await web.held()).toHaveLength(60)
  })

  it('are not held when each drops a little', async () => {
    const web = await openPublisherWeb(0, low)
    const four = (domain: string) =>
      buildShop(domain, { authorized_agents: [0, 1, 2, 3].map(grant) })
    const three = (domain: string) => buildShop(domain, { authorized_agents: [0, 1, 2].map(grant) })
    await web.crawl(listDomains(60), four)
    web.clock.tick({ days: 1 })
    expect(await web.crawl(listDomains(60), three)).toMatchObject({ 'authorization.revoked': 60 })
    expect(await web.held()).toEqual([])
  })

  const grant = (n: number) => grantByIds(`https://agent${n}.example/mcp`)
  const app = (domain: string) => ({
    property_type: 'mobile_app',
    identifiers: [{ type: 'ios_bundle', value: `app.${domain}` }],
  })
})

describe('an explicit revocation', () => {
  it('is never held, however many publishers it affects', async () => {
    const web = await openPublisherWeb(0, low)
    const domains = listDomains(60)
    const shared = (revoked: string[]) => () => ({
      properties: domains.map(domain => buildWebsite(domain)),
      authorized_agents: [grantByIds('https://sales.example/mcp')],
      revoked_publisher_domains: revoked.map(publisher_domain => ({
        publisher_domain,
        revoked_at: '2026-11-21T00:00:00Z',
      })),
    })
    await web.crawl(['m.example'], shared([]))
    await web.crawl(domains, () => buildPointer('m.example'))
    web.clock.tick({ days: 1 })
    const events = await web.crawl(['m.example'], shared(domains))
    expect(events).toMatchObject({ 'authorization.revoked': 60, 'property.stale': 60 })
    expect(await web.held()).toEqual([])
  })

  const revoking = (...domains: string[]) => ({
    revoked_publisher_domains: domains.map(publisher_domain => ({
      publisher_domain,
      revoked_at: '2026-11-21T00:00:00Z',
    })),
  })

  it.each([
    ['still names', (domains: string[]) => domains],
    ['names no more', () => ['m.example']],
  ])('is not held for publishers that a manager %s', async (_, named) => {
    const web = await openPublisherWeb(0, low)
    const domains = listDomains(60)
    const managing = (publisher_domains: string[]) => ({
      properties: domains.map(domain => buildWebsite(domain)),
      authorized_agents: [
        grantBySelectors('https://sales.example/mcp', { publisher_domains, selection_type: 'all' }),
      ],
    })
    await web.crawl(['m.example'], () => managing(domains))
    await web.crawl(domains, 'absent')
    const adsTxt = (domain: string) =>
      observeFile('ads.txt', domain, 'managerdomain=m.example', web.clock.now())
    await web.index.commit(domains.map(adsTxt))
    expect(await listStored(web)).toMatchObject({ active: 60, grants: 60 })
    web.clock.tick({ days: 1 })
    const file = { ...managing(named(domains)), ...revoking(...domains) }
    const events = await web.crawl(['m.example'], () => file)
    expect(events).toMatchObject({ 'authorization.revoked': 60, 'property.stale': 60 })
    expect(await web.held()).toEqual([])
  })

  const measureShare = (domain: string) =>
    buildWebsite(`news.${domain}`, { publisher_domain: domain, property_id: 'news' })
  const whole = (domain: string) => ({
    properties: [buildWebsite(domain), measureShare(domain)],
    authorized_agents: [
      grantByIds('https://sales.example/mcp'),
      grantByIds('https://news.example/mcp', { property_ids: ['news'] }),
    ],
  })

  it('is not held for a part of a domain, however large', async () => {
    const web = await openPublisherWeb(0, low)
    await web.crawl(listDomains(60), whole)
    web.clock.tick({ days: 1 })
    const revoked = (domain: string) => ({ ...whole(domain), ...revoking(`news.${domain}`) })
    const events = await web.crawl(listDomains(60), revoked)
    expect(events).toMatchObject({ 'authorization.revoked': 60, 'property.stale': 60 })
    expect(await web.held()).toEqual([])
  })

  it('applies to publishers that are held for other losses', async () => {
    const web = await openPublisherWeb(0, low)
    await web.crawl(listDomains(60), whole)
    web.clock.tick({ days: 1 })
    const rest = (domain: string) => ({ ...empty(), ...revoking(`news.${domain}`) })
    const events = await web.crawl(listDomains(60), rest)
    expect(events).toMatchObject({ 'authorization.revoked': 60, 'property.stale': 60 })
    expect(await web.held()).toHaveLength(60)
    expect((await web.held())[0]).toMatchObject({ reason: 'emptied', grants: 1, properties: 1 })
    const left = await web.index.db.all(
      `select distinct agent_url, property_id from authorizations a
       join property_sets s on s.set_id = a.property_set
       join properties p on p.property_rid in (select value from json_each(s.property_rids))`,
    )
    expect(left).toEqual([{ agent_url: 'https://sales.example/mcp', property_id: 'site' }])
  })

  it('leaves nothing of what was revoked in a held grant', async () => {
    const web = await openPublisherWeb(0, low)
    const both = (domain: string) => ({
      properties: [buildWebsite(domain), measureShare(domain)],
      authorized_agents: [
        grantByIds('https://sales.example/mcp', { property_ids: ['site', 'news'] }),
      ],
    })
    await web.crawl(listDomains(60), both)
    web.clock.tick({ days: 1 })
    await web.crawl(listDomains(60), domain => ({ ...empty(), ...revoking(`news.${domain}`) }))
    expect(await web.held()).toHaveLength(60)
    const reached = await web.index.db.all(
      `select distinct p.property_id, p.status from authorizations a
       join property_sets s on s.set_id = a.property_set
       join properties p on p.property_rid in (select value from json_each(s.property_rids))`,
    )
    expect(reached).toEqual([{ property_id: 'site', status: 'active' }])
  })
})

describe('the losses of a night', () => {
  it('add up over many small commits until the limit is reached', async () => {
    const web = await openPublisherWeb(60, low)
    const taken: unknown[] = []
    for (let n = 0; n < 9; n++) {
      const events = await web.crawl(listDomains(5, n * 5), 'absent')
      taken.push(events['property.stale'] ?? 0)
    }
    expect(taken).toEqual([5, 5, 5, 5, 5, 5, 5, 0, 0])
    expect(await web.held()).toHaveLength(10)
  })

  it('pass where they are a small share, or concern few publishers', async () => {
    const web = await openPublisherWeb(60, { ...low, share: 0.5 })
    expect(await web.crawl(listDomains(59), 'absent')).toMatchObject({ 'property.stale': 59 })
    expect(await web.held()).toEqual([])
  })

  it('are counted from zero in the next night', async () => {
    const web = await openPublisherWeb(90, low)
    for (const from of [0, 30, 60]) {
      const events = await web.crawl(listDomains(30, from), 'absent')
      expect(events['property.stale']).toBe(30)
      web.clock.tick({ days: 1 })
    }
    expect(await web.index.db.all('select publishers, losses, taken from nights')).toHaveLength(4)
  })

  it('are held beyond five times the usual number, although a small share', async () => {
    const web = await openPublisherWeb(60, { ...low, share: 0.9 })
    for (let night = 0; night < 3; night++) {
      await web.crawl(listDomains(4, night * 4), 'absent')
      web.clock.tick({ days: 1 })
    }
    expect(await web.crawl(listDomains(40, 20), 'absent')).toEqual({})
    expect(await web.held()).toHaveLength(40)
  })
})

describe('a held publisher', () => {
  it('loses what is due when it is released', async () => {
    const web = await openPublisherWeb(60, low)
    await web.crawl(listDomains(60), 'absent')
    web.clock.tick({ hours: 2 })
    await web.crawl(listDomains(60), 'absent')
    const events = await decide(web, 'held.release', listDomains(10))
    const types = events.map(({ event_type }) => event_type)
    expect(types.filter(type => type === 'authorization.revoked')).toHaveLength(10)
    expect(types.filter(type => type === 'property.stale')).toHaveLength(10)
    expect(await web.held()).toHaveLength(50)
    expect(await listStored(web)).toEqual({ active: 50, grants: 50, valid: 50 })
    await decide(web, 'held.release', listDomains(60).slice(10))
    expect(await listStored(web)).toEqual({ active: 0, grants: 0, valid: 0 })
  })

  it('keeps its rows when it is dropped, and its file is due', async () => {
    const web = await openPublisherWeb(60, low)
    await web.crawl(listDomains(60), 'absent')
    web.clock.tick({ hours: 2 })
    await web.crawl(listDomains(60), 'absent')
    expect(await decide(web, 'held.drop', listDomains(60))).toEqual([])
    expect(await web.held()).toEqual([])
    const files = await web.index.db.one(
      `select count(*) filter (where due_at = ms('2026-11-21T06:00:00Z')) as due,
         count(*) filter (where ended_at = ms('2026-11-28T06:00:00Z') and stale_at = ended_at) as active
       from crawl_state where kind = 'adagents.json'`,
    )
    expect(files).toEqual({ due: 60, active: 60 })
    web.clock.tick({ minutes: 5 })
    await web.crawl(listDomains(60), 'unchanged')
    web.clock.tick({ days: 1 })
    expect(await web.index.commit([])).toEqual([])
    expect(await listStored(web)).toEqual({ active: 60, grants: 60, valid: 60 })
  })

  it('is judged again later when it was dropped because of its content', async () => {
    const web = await openPublisherWeb(60, low)
    await web.crawl(listDomains(60), empty)
    await decide(web, 'held.drop', listDomains(6))
    expect(await web.held()).toHaveLength(54)
    expect(await web.index.commit([])).toEqual([])
    web.clock.tick({ days: 1 })
    const events = await web.index.commit([])
    expect(events.filter(({ event_type }) => event_type === 'property.stale')).toHaveLength(6)
    expect(await web.held()).toHaveLength(54)
  })

  it('stays held on later nights, however small their losses', async () => {
    const web = await openPublisherWeb(60, low)
    await web.crawl(listDomains(60), 'absent')
    web.clock.tick({ days: 1 })
    expect(await web.crawl(listDomains(5), 'absent')).toEqual({})
    expect(await web.held()).toHaveLength(60)
  })
})
