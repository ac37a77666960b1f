import { beforeAll, describe, expect, test } from 'vitest'
import { DAY } from '../../pipeline/core/clock.ts'
import { Operation } from '../../pipeline/model/submission.ts'
import { observePublisherFile } from '../support/fixtures/documents.ts'
import { createModerator } from '../support/fixtures/mirrors.ts'
import { openRegistry } from '../support/registry/app.ts'
import { enrol, proveOwnership } from '../support/registry/members.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const limits = { savesPerHour: 10_000, savesPerOrganizationHour: 10_000 }
const registry = openForAll(() => openRegistry({ ownRedis: true, limits }))
let acme: string

beforeAll(async () => {
  acme = await enrol(registry, { org: 'Acme', domains: ['acme.example'] })
})

const authorized = () => ({ authorization: `Bearer ${acme}` })
async function get(path: string) {
  return (await registry.app.inject({ url: `/api/${path}`, headers: authorized() })).json()
}
const site = (value: string, name = value) => ({
  type: 'website',
  name,
  identifiers: [{ type: 'domain', value }],
})

async function save(publisher_domain: string, properties: object[]): Promise<void> {
  const answer = await registry.send('POST', '/api/properties/save', {
    headers: authorized(),
    payload: { publisher_domain, properties },
  })
  expect(answer.statusCode, answer.body).toBe(200)
}

const resolveRids = async (domain: string): Promise<string[]> =>
  (await get(`properties/resolve?domain=${domain}`)).properties.map(
    ({ property_rid }: { property_rid: string }) => property_rid,
  )

interface Listed {
  status: string
  publisher_domain: string
  property_type: string
}

interface FeedItem {
  event_type: string
  entity_id: string
  actor: string
  payload: Record<string, unknown>
}

/** Lists all events, oldest first. */
async function listAllEvents(): Promise<FeedItem[]> {
  return (await get('registry/feed?limit=10000')).events
}

/** Lists the events of a publisher, oldest first: type, rid and actor. */
async function listPublisherEvents(domain: string) {
  const events = await listAllEvents()
  return events
    .filter(({ payload }) => payload.publisher_domain === domain)
    .map(({ event_type, entity_id, actor }) => [event_type, entity_id, actor])
}

async function listRecords(domain: string) {
  await registry.publish()
  const { entries } = await get('registry/catalog?status=all&limit=1000')
  const websitesFirst = (a: Listed, b: Listed) => (a.property_type < b.property_type ? 1 : -1)
  return entries.filter((item: Listed) => item.publisher_domain === domain).sort(websitesFirst)
}

test('a saved property of another domain is in no lookup, list or search', async () => {
  const host = 'mixed.acme.example'
  await save(host, [site(host), site('victim.example', 'Stolen')])
  const [entry] = (await listRecords(host)).filter(({ status }: Listed) => status === 'active')
  expect(entry.identifiers).toEqual([{ type: 'domain', value: host }])
  const answers = await Promise.all(
    [
      `registry/publisher?domain=${host}`,
      `registry/lookup/property?type=domain&value=victim.example`,
      `properties/resolve?domain=${host}`,
      'properties/registry?search=victim',
      'search?q=victim',
    ].map(async path => [path, JSON.stringify((await get(path)) ?? {}).includes('Stolen')]),
  )
  expect(answers.filter(([, isShown]) => isShown)).toEqual([])
  expect(await registry.verify()).toEqual([])
})

describe('a community property without identifiers', () => {
  // The request of the specification has only a type and a name: answers said `identifiers: []`.
  const host = 'bare.acme.example'
  const own = [{ type: 'domain', value: host }]

  async function readFile(): Promise<{ property_type: string; identifiers: object[] }[]> {
    const answer = await registry.send('GET', `/publisher/${host}/.well-known/adagents.json`)
    return answer.json().properties
  }

  test('is at the domain of its publisher, in every answer, list, event and file', async () => {
    await save(host, [
      { type: 'website', name: 'Bare' },
      { type: 'podcast', name: 'Morning' },
    ])
    const [rid, podcast] = (await resolveRids(host)) as [string, string]
    await registry.publish()
    const events = (await listAllEvents()).filter(({ entity_id }) =>
      [rid, podcast].includes(entity_id),
    )
    const { properties } = await get(`properties/registry?source=community&search=${host}`)
    const bulk = await registry.send('POST', '/api/properties/resolve/bulk', {
      payload: { domains: [host] },
    })
    const sync = await get('registry/catalog/sync?since=2026-01-01T00:00:00Z')
    const shown: Record<string, { identifiers: object[] }[]> = {
      resolve: (await get(`properties/resolve?domain=${host}`)).properties,
      bulk: bulk.json().results[host].properties,
      list: properties.filter((event: { domain: string }) => event.domain === host),
      catalog: await listRecords(host),
      sync: sync.entries.filter((entry: { property_rid: string }) =>
        [rid, podcast].includes(entry.property_rid),
      ),
      file: await readFile(),
      events: events.map(({ payload }) => payload as never),
    }
    for (const [name, items] of Object.entries(shown)) {
      expect([name, items.map(({ identifiers }) => identifiers)]).toEqual([name, [own, own]])
    }
    expect(await registry.verify()).toEqual([])
  })

  test('keeps its rid when it is renamed, alone or beside others, and is updated', async () => {
    const [rid, podcast] = (await resolveRids(host)) as [string, string]
    const before = (await listPublisherEvents(host)).length
    await save(host, [
      { type: 'podcast', name: 'Evening' },
      { type: 'website', name: 'Renamed' },
    ])
    expect(new Set(await resolveRids(host))).toEqual(new Set([rid, podcast]))
    expect((await listPublisherEvents(host)).slice(before).sort()).toEqual(
      [
        ['property.updated', rid, 'registry:save'],
        ['property.updated', podcast, 'registry:save'],
      ].sort(),
    )
    const later = (await listPublisherEvents(host)).length
    await save(host, [{ type: 'website', name: 'Only' }])
    expect(await resolveRids(host)).toEqual([rid])
    expect((await listPublisherEvents(host)).slice(later)).toEqual([
      ['property.updated', rid, 'registry:save'],
      ['property.stale', podcast, 'registry:save'],
    ])
    expect(await registry.verify()).toEqual([])
  })

  test('is not taken for one of another type', async () => {
    const other = 'types.acme.example'
    await save(other, [{ type: 'podcast', name: 'Morning' }])
    const [podcast] = await resolveRids(other)
    await save(other, [{ type: 'website', name: 'Morning' }])
    expect(await resolveRids(other)).not.toContain(podcast)
  })

  test('keeps its rid when the publisher’s own file lists the domain', async () => {
    const other = 'filed.acme.example'
    await save(other, [{ type: 'website', name: 'A name that no file has' }])
    const [rid] = await resolveRids(other)
    await registry.observe(
      observePublisherFile(other, { sites: [other], agents: ['https://agent.example/mcp'] }),
    )
    expect(await resolveRids(other)).toEqual([rid])
    expect(await registry.verify()).toEqual([])
  })
})

describe('a community property', () => {
  const domain = 'told.acme.example'

  test('is in the feed with its source, and in catalog, sync and resolve', async () => {
    await save(domain, [site(domain), { type: 'podcast', name: 'Morning' }])
    const [rid, podcast] = (await resolveRids(domain)) as [string, string]
    expect(await listPublisherEvents(domain)).toEqual([
      ['property.created', rid, 'registry:save'],
      ['property.created', podcast, 'registry:save'],
    ])
    const [event] = (await listAllEvents()).filter(event => event.entity_id === rid)
    expect(event!.payload).toMatchObject({
      source: 'contributed',
      classification: 'property',
      publisher_domain: domain,
      identifiers: [{ type: 'domain', value: domain }],
      property: { property_type: 'website', name: domain },
    })
    expect(await listRecords(domain)).toMatchObject([
      { property_rid: rid, source: 'contributed', status: 'active', publisher_domain: domain },
      { property_rid: podcast, source: 'contributed', status: 'active' },
    ])
    const { entries } = await get('registry/catalog/sync?since=2026-01-01T00:00:00Z')
    expect(entries.map((event: { property_rid: string }) => event.property_rid)).toContain(rid)
    const answer = await registry.send('POST', '/api/registry/resolve', {
      payload: {
        mode: 'lookup',
        provenance: { type: 'impression_log' },
        identifiers: [{ type: 'domain', value: domain }],
      },
    })
    expect(answer.json().resolved, answer.body).toMatchObject([
      { property_rid: rid, source: 'contributed' },
    ])
    expect(await registry.verify()).toEqual([])
  })

  test('is updated, ends with its entry’s removal, and returns with its rid', async () => {
    const [rid, podcast] = (await resolveRids(domain)) as [string, string]
    const before = (await listPublisherEvents(domain)).length
    await save(domain, [site(domain, 'Renamed')])
    await save(domain, [site(domain, 'Renamed')])
    const secret = await createModerator(registry)
    const back = await registry.send('POST', `/api/properties/hosted/${domain}/rollback`, {
      key: secret,
      payload: { to_revision: 1 },
    })
    expect(back.statusCode, back.body).toBe(200)
    expect((await listPublisherEvents(domain)).slice(before)).toEqual([
      ['property.updated', rid, 'registry:save'],
      ['property.stale', podcast, 'registry:save'],
      ['property.updated', rid, 'registry:save'],
      ['property.reactivated', podcast, 'registry:save'],
    ])
    expect(await resolveRids(domain)).toEqual([rid, podcast])
    expect(await registry.verify()).toEqual([])
  })

  test('grants nothing and is listed once', async () => {
    await registry.publish()
    const { properties } = await get('properties/registry?source=community')
    const own = properties.filter((event: { domain: string }) => event.domain === domain)
    expect(own).toHaveLength(2)
    const asked = `agent_url=https://agent.example/mcp&identifier_type=domain&identifier_value=${domain}`
    expect(await get(`registry/validate/property-authorization?${asked}`)).toMatchObject({
      authorized: false,
    })
  })

  test('is taken over by the publisher’s own file, and returns when that ends', async () => {
    const [rid, podcast] = (await resolveRids(domain)) as [string, string]
    const before = (await listPublisherEvents(domain)).length
    await registry.observe(
      observePublisherFile(domain, { sites: [domain], agents: ['https://agent.example/mcp'] }),
    )
    expect(await resolveRids(domain)).toEqual([rid])
    const types = (await listPublisherEvents(domain)).slice(before).map(([type, id]) => [type, id])
    expect(types.filter(([type]) => String(type).startsWith('property.'))).toEqual([
      ['property.updated', rid],
      ['property.stale', podcast],
    ])
    expect(await registry.verify()).toEqual([])
    const later = (await listPublisherEvents(domain)).length
    for (let days = 0; days < 9; days++) {
      registry.clock.tick(DAY)
      const gone = { outcome: 'absent', status: 404 } as const
      await registry.observe({ kind: 'adagents.json', location: domain, ...gone })
      await registry.sequencer.tick()
      expect(await registry.verify()).toEqual([])
    }
    await registry.reader.refresh()
    expect(await resolveRids(domain)).toEqual([rid, podcast])
    const events = (await listPublisherEvents(domain)).slice(later).map(([type, id]) => [type, id])
    expect(events).toContainEqual(['property.reactivated', podcast])
    expect(await listRecords(domain)).toMatchObject([
      { property_rid: rid, source: 'contributed', status: 'active' },
      { property_rid: podcast, source: 'contributed', status: 'active' },
    ])
  })

  test('that was contributed before keeps its rid', async () => {
    const host = 'known.acme.example'
    const asked = await registry.send('POST', '/api/registry/resolve', {
      headers: authorized(),
      payload: {
        mode: 'resolve',
        provenance: { type: 'impression_log' },
        identifiers: [{ type: 'domain', value: host }],
      },
    })
    const [{ property_rid }] = asked.json().resolved
    await proveOwnership(registry, 'Acme', 'acme.example')
    await save(host, [site(host, 'Known')])
    expect(await resolveRids(host)).toEqual([property_rid])
    expect(await listPublisherEvents(host)).toEqual([
      ['property.created', property_rid, 'registry:contribution'],
      ['property.updated', property_rid, 'registry:save'],
    ])
  })

  test('ends with its entry, and a take-down leaves no trace', async () => {
    const host = 'brief.acme.example'
    await save(host, [site(host)])
    const [rid] = await resolveRids(host)
    const url = `/api/properties/hosted/${host}`
    const answer = await registry.app.inject({ method: 'DELETE', url, headers: authorized() })
    expect(answer.json()).toMatchObject({ domain: host, revision_number: 2 })
    expect((await listPublisherEvents(host)).at(-1)).toEqual([
      'property.stale',
      rid,
      'registry:save',
    ])
    await save(host, [site(host)])
    expect(await resolveRids(host)).toEqual([rid])
    await registry.submit(Operation.parse({ op: 'domain.takedown', domain: host }))
    expect(await listPublisherEvents(host)).toEqual([])
    expect(await listRecords(host)).toEqual([])
    expect(await registry.verify()).toEqual([])
  })

  test('survives a rebuild unchanged', async () => {
    await registry.rebuild()
    expect(await registry.verify()).toEqual([])
    expect(await resolveRids(domain)).toHaveLength(2)
  })
})
