import { setTimeout } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { DAY, HOUR } from '../../pipeline/core/clock.ts'
import { buildLeastId, NIL_UUID, toInstant } from '../../pipeline/core/uuid-v7.ts'
import { eventTypeNames, type FeedEvent } from '../../pipeline/model/event.ts'
import { runWithin } from '../support/checks/measured-work.ts'
import { observePublisherFile } from '../support/fixtures/documents.ts'
import { openRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const shared = 'https://agent.example/mcp'
const registry = openForAll(openRegistry)
let key: string
let log: FeedEvent[]

interface Page {
  events: FeedEvent[]
  cursor: string
  has_more: boolean
  freshness: Record<string, unknown>
}

beforeAll(async () => {
  key = await registry.createKey('Readers')
  for (const name of ['a', 'b', 'c', 'd']) {
    registry.clock.tick(HOUR)
    const domain = `${name}.example`
    const agents = ['https://agent.example/mcp', `https://${name}.agent.example`]
    await registry.observe(
      observePublisherFile(domain, { sites: [domain, `www.${domain}`], agents }),
    )
  }
  log = await registry.sequencer.index.all<FeedEvent>(
    'select event_id, event_type from events order by event_id',
  )
})

function get(query = '', over = registry, token = key) {
  const headers = { authorization: `Bearer ${token}` }
  return over.app.inject({ url: `/api/registry/feed${query}`, headers })
}

async function readPage(query = '', over = registry, token = key): Promise<Page> {
  const answer = await get(query, over, token)
  expect(answer.statusCode).toBe(200)
  return answer.json()
}

const listIds = (events: readonly FeedEvent[]) => events.map(event => event.event_id)

/** Follows the pages to the end and returns the ids of all events. */
async function follow(query: string): Promise<string[]> {
  const found: string[] = []
  let cursor = ''
  for (;;) {
    const next = await readPage(`?cursor=${cursor}&${query}`)
    found.push(...listIds(next.events))
    cursor = next.cursor
    if (!next.has_more) return found
  }
}

describe('GET /api/registry/feed', () => {
  test('a client that goes on from the header of a page gets the events behind that page', async () => {
    const answer = await get('?limit=2')
    const { cursor, has_more } = answer.json<Page>()
    expect([answer.headers['x-sync-cursor'], has_more]).toEqual([cursor, true])
  })

  test('200: all events in the order of their commits', async () => {
    const answer = await get()
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'private, no-store',
      'x-sync-cursor': log.at(-1)!.event_id,
    })
    const { events, cursor, has_more, freshness } = answer.json<Page>()
    expect(listIds(events)).toEqual(listIds(log))
    expect(events[0]).toMatchObject({ actor: expect.any(String), payload: expect.any(Object) })
    expect([cursor, has_more]).toEqual([log.at(-1)!.event_id, false])
    expect(freshness).toEqual({
      generated_at: '2026-11-20T07:00:00.000Z',
      latest_event_created_at: '2026-11-20T07:00:00.000Z',
      lag_seconds: 0,
      retention_days: 90,
    })
  })

  test.each([1, 2, 3, 7, 1000])('200: pages of %i together are the whole log', async limit => {
    expect(await follow(`limit=${limit}`)).toEqual(listIds(log))
  })

  test.each([
    ['agent.*', (type: string) => type.startsWith('agent.')],
    ['*.created', (type: string) => type.endsWith('.created')],
    ['*', () => true],
    ['p*.*ed', (type: string) => /^p.*\..*ed$/.test(type)],
    ['property.created, authorization.granted', (type: string) => /created|granted/.test(type)],
    [',,', () => true],
  ])('200: types=%s selects those types at every page size', async (types, isWanted) => {
    const wanted = listIds(log.filter(event => isWanted(event.event_type)))
    for (const limit of [1, 3, 100]) {
      expect(await follow(`types=${encodeURIComponent(types)}&limit=${limit}`)).toEqual(wanted)
    }
  })

  test('200: each type alone, and all together', async () => {
    const single = await Promise.all(eventTypeNames.map(type => follow(`types=${type}&limit=2`)))
    expect(single.flat().sort()).toEqual(listIds(log))
  })

  test('200: the page of a rare type ends at the head of the log', async () => {
    const head = log.at(-1)!.event_id
    const quiet = await readPage('?types=collection.merged')
    expect(quiet).toMatchObject({ events: [], cursor: head, has_more: false })
    expect(quiet.freshness).toMatchObject({ latest_event_created_at: null, lag_seconds: null })
    const part = await readPage('?types=publisher.*&limit=4')
    expect(part).toMatchObject({ cursor: head, has_more: false })
  })

  test('200: the nil UUID and an empty cursor mean the beginning', async () => {
    expect((await readPage(`?cursor=${NIL_UUID}`)).events).toHaveLength(log.length)
    expect((await readPage('?cursor=')).events).toHaveLength(log.length)
  })

  test('200: a cursor of another filter is accepted', async () => {
    const cursor = log[2]!.event_id.toUpperCase()
    const { events } = await readPage(`?cursor=${cursor}&types=agent.*`)
    const wanted = log.slice(3).filter(event => event.event_type.startsWith('agent.'))
    expect(listIds(events)).toEqual(listIds(wanted))
  })

  test('200: a page stays below its bytes and always advances', async () => {
    const own = await openRegistry({ limits: { feedPageBytes: 2000 } })
    const token = await own.createKey('Readers')
    const sites = Array.from({ length: 20 }, (_, i) => `s${i}.big.example`)
    await own.observe(observePublisherFile('big.example', { sites, agents: [] }))
    let cursor = NIL_UUID
    const ids: string[] = []
    for (let more = true; more; ) {
      const answer = await get(`?cursor=${cursor}`, own, token)
      expect(answer.rawPayload.length).toBeLessThan(2400)
      const next = answer.json<Page>()
      ids.push(...listIds(next.events))
      cursor = next.cursor
      more = next.has_more
    }
    expect(ids).toHaveLength(21)
    await own.close()
  })

  test('200: an empty log starts at the nil UUID', async () => {
    const own = await openRegistry()
    const token = await own.createKey('Readers')
    expect(await readPage('', own, token)).toMatchObject({
      events: [],
      cursor: NIL_UUID,
      has_more: false,
      freshness: { latest_event_created_at: null, lag_seconds: null },
    })
    await own.close()
  })

  test('200 then 410: events older than ninety days are deleted, and cursors expire, also those of no event', async () => {
    const own = await openRegistry()
    const token = await own.createKey('Readers')
    const commit = (name: string) =>
      own.observe(
        observePublisherFile(`${name}.example`, { sites: [`${name}.example`], agents: [] }),
      )
    await commit('old')
    const old = await readPage('', own, token)
    own.clock.tick(60 * DAY)
    await commit('new')
    const later = (await readPage(`?cursor=${old.cursor}`, own, token)).events
    own.clock.tick(31 * DAY)
    expect((await readPage('', own, token)).events).toEqual(later)
    expect((await readPage('?types=property.*', own, token)).events).toEqual(
      later.filter(event => event.event_type.startsWith('property.')),
    )
    const answer = await get(`?cursor=${old.cursor}`, own, token)
    expect(answer.statusCode).toBe(410)
    expect(answer.json()).toEqual({
      error: 'cursor_expired',
      code: 'cursor_expired',
      message: expect.any(String),
    })
    own.clock.tick(60 * DAY)
    const quiet = await readPage('', own, token)
    expect(quiet.events).toEqual([])
    await commit('newest')
    const newest = await readPage(`?cursor=${quiet.cursor}`, own, token)
    expect(newest.events).toEqual((await readPage('', own, token)).events)
    expect(newest.events).not.toEqual([])
    own.clock.tick(91 * DAY)
    expect((await get(`?cursor=${quiet.cursor}`, own, token)).statusCode).toBe(410)
    await own.close()
  })

  test('410: a cursor that was never issued', async () => {
    const answer = await get('?cursor=01939f00-0000-7000-8000-000000000000')
    expect([answer.statusCode, answer.json().error]).toEqual([410, 'cursor_expired'])
  })

  test('410: a cursor that was never issued, whatever its time, in the feed and its stream', async () => {
    const { event_id: last } = log.at(-1)!
    const [first, , middle] = log.map(({ event_id }) => event_id)
    const toNeighbour = (id: string) => id.slice(0, -4) + (id.endsWith('0000') ? '0001' : '0000')
    const now = registry.clock.now()
    const never = [
      ...[first!, middle!, last].map(toNeighbour),
      ...[1, HOUR, 100 * DAY, 36_500 * DAY].map(ms => buildLeastId(now + ms)),
      ...[1, HOUR, 100 * DAY].map(ms => buildLeastId(now + ms).replace(/000$/, 'abc')),
      // The form of a position, but with an event before it that the feed has.
      buildLeastId(Math.max(now, toInstant(last) + 1)),
      buildLeastId(toInstant(last) + 1),
      'ffffffff-ffff-7fff-bfff-ffffffffffff',
    ]
    const headers = { authorization: `Bearer ${key}` }
    for (const cursor of never) {
      const page = await get(`?cursor=${cursor}`)
      expect([cursor, page.statusCode, page.json().error]).toEqual([cursor, 410, 'cursor_expired'])
      const url = `/api/registry/feed/stream?cursor=${cursor}`
      expect((await registry.app.inject({ url, headers })).statusCode).toBe(410)
    }
  })

  test.each([
    ['cursor=yesterday', '`cursor` must be a `cursor` value from a previous response'],
    ['types=Agent.*', '"Agent.*" does not match any event type'],
    ['types=agent_discovered', '"agent_discovered" does not match any event type'],
    [
      'types=property.udpated',
      '"property.udpated" does not match any event type: did you mean "property.updated"? Event types:',
    ],
    ['types=agent.*ed.*', '"agent.*ed.*" does not match any event type'],
    ['types=agent.discovered,a%20b', '"a b" does not match any event type'],
    [`types=${'a.b,'.repeat(101)}`, '`types` must not be more than 100'],
    ['limit=0', '`limit` must be a whole number from 1 to 10000'],
    ['limit=10001', '`limit` must be a whole number from 1 to 10000'],
    ['limit=1e2', '`limit` must be a whole number from 1 to 10000'],
    ['limit=1&limit=2', '`limit` must be a whole number from 1 to 10000'],
    ['types=agent.*&types=b', '"b" does not match any event type'],
    [`cursor=${NIL_UUID}&cursor=`, '`cursor` must be a single value'],
  ])('400: %s is refused by name', async (query, error) => {
    const answer = await get(`?${query}`)
    expect(answer.statusCode).toBe(400)
    expect(answer.json().error).toContain(error)
  })

  test.each([
    [
      undefined,
      'Missing API key. Send it as `Authorization: Bearer sk_…`.',
      /^Bearer resource_metadata=/,
    ],
    ['Bearer sk_nobody', 'The credential is invalid.', /invalid_token/],
    ['Basic c2tfOg==', 'Send the API key as `Authorization: Bearer sk_…`.', /invalid_token/],
    ['Bearer not-a-key', 'The credential is invalid.', /invalid_token/],
  ])('401: with the credential %s', async (authorization, error, challenge) => {
    const headers = authorization === undefined ? {} : { authorization }
    const answer = await registry.app.inject({ url: '/api/registry/feed?limit=x', headers })
    expect([answer.statusCode, answer.json()]).toEqual([401, { error, code: 'unauthenticated' }])
    expect(answer.headers['www-authenticate']).toMatch(challenge)
  })

  test('401: a revoked key is refused', async () => {
    const own = await openRegistry()
    const token = await own.createKey('Readers')
    expect((await get('', own, token)).statusCode).toBe(200)
    const made = await own.sequencer.accounts.db.one<{ key_id: string }>(
      'select key_id from api_keys',
    )
    await own.submit({ op: 'key.revoke', key_id: made!.key_id })
    expect((await get('', own, token)).statusCode).toBe(401)
    await own.close()
  })
})

describe('since', () => {
  const times = () => [...new Set(log.map(event => toInstant(event.event_id)))]

  test('200: begins with the events of any time, whatever the types', async () => {
    expect(times().length).toBeGreaterThan(3)
    for (const at of times().flatMap(time => [time - 1, time, time + 1])) {
      const later = log.filter(event => toInstant(event.event_id) >= at)
      const { events, has_more } = await readPage(
        `?limit=10000&since=${new Date(at).toISOString()}`,
      )
      expect([at, ...listIds(events)]).toEqual([at, ...listIds(later)])
      expect(has_more).toBe(false)
      const ofType = await readPage(`?types=agent.discovered&since=${new Date(at).toISOString()}`)
      const discovered = later.filter(event => event.event_type === 'agent.discovered')
      expect(listIds(ofType.events)).toEqual(listIds(discovered))
    }
  })

  test('200: a page after it continues by its cursor', async () => {
    const [, second] = times()
    const begin = new Date(second!).toISOString()
    const first = await readPage(`?limit=1&since=${begin}`)
    const rest = await readPage(`?limit=10000&cursor=${first.cursor}`)
    expect([...listIds(first.events), ...listIds(rest.events)]).toEqual(
      listIds(log.filter(event => toInstant(event.event_id) >= second!)),
    )
  })

  test('200: a date means its start in UTC', async () => {
    const day = new Date(times()[0]!).toISOString().slice(0, 10)
    expect((await readPage(`?since=${day}&limit=10000`)).events).toHaveLength(log.length)
  })

  test('200: an empty feed has nothing since then', async () => {
    const empty = await openRegistry()
    const token = await empty.createKey('Readers')
    const { events } = await readPage('?since=2026-11-19', empty, token)
    expect(events).toEqual([])
    await empty.close()
  })

  test.each([
    ['?since=yesterday', 400, '`since` must be a date and time'],
    [`?since=2026-11-20&cursor=${buildLeastId(1)}`, 400, 'not both'],
  ])('400: %s', async (query, status, words) => {
    const answer = await get(query)
    expect(answer.statusCode).toBe(status)
    expect(answer.json().error).toContain(words)
  })

  test('410: a time of which events are no longer kept', async () => {
    const answer = await get('?since=2020-01-01')
    expect(answer.statusCode).toBe(410)
    expect(answer.json()).toEqual({
      error: 'cursor_expired',
      code: 'cursor_expired',
      message: 'The feed keeps events for 90 days: name a later time.',
    })
  })
})

describe('GET /api/registry/feed of a domain or an agent', () => {
  const concerns = ({ payload, entity_id }: FeedEvent, name: string) =>
    [entity_id, payload.publisher_domain, payload.agent_url].includes(name)

  test('200: the events that concern it, in order, for any page size', async () => {
    const all = (await readPage('?limit=10000')).events
    const ofDomain = all.filter(event => concerns(event, 'b.example'))
    const ofAgent = all.filter(event => concerns(event, shared))
    const ofBoth = ofDomain.filter(event => concerns(event, shared))
    for (const found of [ofDomain, ofAgent, ofBoth]) expect(found.length).toBeGreaterThan(0)
    const agent = encodeURIComponent('HTTPS://Agent.example/mcp/')
    for (const limit of [1, 2, 10_000]) {
      expect(await follow(`limit=${limit}&domain=https://B.example/x`)).toEqual(listIds(ofDomain))
      expect(await follow(`limit=${limit}&agent=${agent}`)).toEqual(listIds(ofAgent))
      expect(await follow(`limit=${limit}&domain=b.example&agent=${agent}`)).toEqual(
        listIds(ofBoth),
      )
    }
    expect(await follow('domain=b.example&types=authorization.*')).toEqual(
      listIds(ofDomain.filter(({ event_type }) => event_type.startsWith('authorization'))),
    )
  })

  test('200: nothing of a stranger, and the cursor continues at the head of the log', async () => {
    const { events, cursor, has_more } = await readPage('?domain=nobody.example')
    expect([events, cursor, has_more]).toEqual([[], log.at(-1)!.event_id, false])
  })

  test('400: neither a domain nor an agent', async () => {
    expect((await get('?domain=no%20domain')).statusCode).toBe(400)
    expect((await get('?agent=nobody')).statusCode).toBe(400)
  })
})

describe('GET /api/registry/feed waits', () => {
  test('200: for the next event, and no longer', async () => {
    const other = await openRegistry()
    const token = await other.createKey('Readers')
    const { cursor } = await readPage('', other, token)
    const waiting = readPage(`?cursor=${cursor}&wait=60&domain=new.example`, other, token)
    await other.observe(observePublisherFile('quiet.example', { sites: [], agents: [shared] }))
    const began = performance.now()
    await other.observe(observePublisherFile('new.example', { sites: [], agents: [shared] }))
    const page = await waiting
    expect(performance.now() - began).toBeLessThan(5_000)
    expect(page.events.map(({ payload }) => payload.publisher_domain)).toContain('new.example')
    await other.close()
  })

  test('200: an empty page when the time is over, and at once where there are events', async () => {
    const began = performance.now()
    const first = await runWithin(1_000, () => readPage('?limit=1&wait=60'))
    expect(first.events).toHaveLength(1)
    const head = log.at(-1)!.event_id
    const { events, cursor, has_more } = await readPage(`?cursor=${head}&wait=1`)
    expect([events, cursor, has_more]).toEqual([[], head, false])
    expect(performance.now() - began).toBeGreaterThan(950)
  })

  test('200: an empty page when the registry stops', async () => {
    const other = await openRegistry()
    const token = await other.createKey('Readers')
    const waiting = readPage('?wait=60', other, token)
    await setTimeout(300)
    const began = performance.now()
    await other.close()
    expect((await waiting).events).toEqual([])
    expect(performance.now() - began).toBeLessThan(5_000)
  })

  test('503: more than a caller may have waiting', async () => {
    const other = await openRegistry({ limits: { feedStreamsPerCaller: 1 } })
    const token = await other.createKey('Readers')
    const first = readPage('?wait=2', other, token)
    await setTimeout(300)
    const answer = await get('?wait=1', other, token)
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '30'])
    expect((await first).events).toEqual([])
    await other.close()
  })

  test('400: a time that is too long', async () => {
    expect((await get('?wait=61')).statusCode).toBe(400)
  })
})
