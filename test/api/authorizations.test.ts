import { gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  AgentAuthorizations,
  AuthorizationItem,
} from '../../pipeline/model/responses/authorizations.ts'
import { observePublisherFile } from '../support/fixtures/documents.ts'
import { observeFile } from '../support/fixtures/observations.ts'
import { openRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { buildShop, buildWebsite, grantByIds, grantBySelectors } from '../support/worlds/nights.ts'

const registry = openForAll(openRegistry)
let key: string

const agent = 'https://Sales.example/MCP'
const capitalized = 'https://sales.example/MCP'
const other = 'https://other.example/mcp'
const publishers = ['a.example', 'b.example', 'c.example']

beforeAll(async () => {
  key = await registry.createKey('Replicas')
  await registry.observe(
    ...publishers.map(domain => observePublisherFile(domain, { sites: [domain], agents: [agent] })),
    observePublisherFile('d.example', { sites: ['d.example', 'www.d.example'], agents: [other] }),
  )
  await registry.publish()
})

const get = (url: string, more: Record<string, string> = {}) =>
  registry.app.inject({ url, headers: { authorization: `Bearer ${key}`, ...more } })
const list = (query: string) => get(`/api/registry/authorizations?${query}`)
const of = (url: string) => `agent_url=${encodeURIComponent(url)}`

describe('GET /api/registry/authorizations', () => {
  test('200: the grants of an agent by publisher, as in the feed', async () => {
    const answer = await list(of(agent))
    expect(answer.statusCode).toBe(200)
    const body = AgentAuthorizations.parse(answer.json())
    expect(body).toMatchObject({
      agent_url: capitalized,
      evidence: ['adagents_json'],
      include: 'effective',
      count: 3,
      rows_total: 3,
      cursor: null,
    })
    expect(body.rows.map(({ publisher_domain }) => publisher_domain)).toEqual(publishers)
    expect(body.rows[0]).toMatchObject({
      agent_url: capitalized,
      agent_url_canonical: capitalized,
      authorization_type: 'property_tags',
      property_tags: ['all'],
      properties_authorized: 1,
      publisher_wide: true,
      property_id_slug: 'a_example',
      authorized_for: 'inventory of a.example',
      evidence: 'adagents_json',
      disputed: false,
      override_applied: false,
      created_by: null,
      expires_at: null,
      signing_keys: null,
      override_reason: null,
    })
    const feed = (await get('/api/registry/feed?types=authorization.granted')).json()
    const byProperty = new Map(
      feed.events.map((event: { entity_id: string; payload: object }) => [
        event.entity_id,
        event.payload,
      ]),
    )
    for (const row of body.rows) expect(row).toMatchObject(byProperty.get(row.id) as object)
  })

  test('200: a grant of several properties names none of them', async () => {
    const [row] = (await list(of(other))).json().rows
    expect(row).toMatchObject({
      property_rid: null,
      property_id_slug: null,
      properties_authorized: 2,
      publisher_wide: true,
    })
  })

  test('200: an agent is found whatever the case of its address', async () => {
    const { agent_url, count } = (await list(of('https://SALES.example/mcp/'))).json()
    expect([agent_url, count]).toEqual([capitalized, 3])
  })

  test('200: pages list every grant once', async () => {
    const ids: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const page: AgentAuthorizations = (await list(`${of(agent)}&limit=2&cursor=${cursor}`)).json()
      expect(page.rows_total).toBe(3)
      expect(page.rows_truncated).toBe(page.cursor === null ? undefined : true)
      ids.push(...page.rows.map(row => row.publisher_domain))
      cursor = page.cursor
    }
    expect(ids).toEqual(publishers)
  })

  test('200: a kind of evidence that nobody gave has no rows', async () => {
    expect((await list(`${of(agent)}&evidence=agent_claim,community`)).json()).toMatchObject({
      evidence: ['agent_claim', 'community'],
      rows: [],
      count: 0,
      cursor: null,
    })
    expect((await list(`${of(agent)}&evidence=override,adagents_json`)).json().count).toBe(3)
    expect((await list(`${of(agent)}&evidence=`)).json().count).toBe(3)
    expect((await list(of('https://nobody.example'))).json().rows).toEqual([])
  })

  test('200: a grant after its window is not listed', async () => {
    const own = await openRegistry()
    const secret = await own.createKey('Readers')
    const file = observePublisherFile('a.example', { sites: ['a.example'], agents: [agent] })
    const document = file.document as { agents: object[] }
    document.agents[0] = { ...document.agents[0], effective_until: '2026-11-19T00:00:00.000Z' }
    await own.observe(file)
    await own.publish()
    const headers = { authorization: `Bearer ${secret}` }
    const url = `/api/registry/authorizations?${of(agent)}`
    expect((await own.app.inject({ url, headers })).json().count).toBe(0)
    await own.close()
  })

  test.each(['', 'agent_url=', 'agent_url=nonsense', `${of(agent)}&evidence=hearsay`])(
    '400: %s',
    async query => {
      expect((await list(query)).statusCode).toBe(400)
    },
  )

  test.each(['include=all', 'cursor=x', 'limit=-1'])('400: %s', async query => {
    expect((await list(`${of(agent)}&${query}`)).statusCode).toBe(400)
  })

  test('403: overridden grants are for admins', async () => {
    expect((await list(`${of(agent)}&include=raw`)).statusCode).toBe(403)
  })

  test('401: a credential is required', async () => {
    const url = `/api/registry/authorizations?${of(agent)}`
    expect((await registry.app.inject(url)).statusCode).toBe(401)
  })
})

describe('GET /api/registry/authorizations/snapshot', () => {
  const url = '/api/registry/authorizations/snapshot'
  const parseLines = (payload: Buffer) =>
    gunzipSync(payload)
      .toString()
      .split('\n')
      .filter(line => line !== '')
      .map(line => AuthorizationItem.parse(JSON.parse(line)))

  test('200: every grant in force, one per line, with the cursor to continue from', async () => {
    const answer = await get(url)
    expect(answer.statusCode).toBe(200)
    expect(answer.headers).toMatchObject({
      'content-type': 'application/x-ndjson',
      'content-encoding': 'gzip',
      'x-sync-cursor': registry.sequencer.lastEventId,
      etag: expect.stringMatching(/^"[\w-]{22}"$/),
    })
    const rows = parseLines(answer.rawPayload)
    expect(rows).toHaveLength(4)
    const [{ operator_side, operator_reason: _, ...granted }] = (await list(of(other))).json().rows
    expect(operator_side).toBe('unknown')
    expect(rows).toContainEqual(granted)
  })

  test('200: of one agent alone, as the list of its authorizations is', async () => {
    for (const asked of [agent, other]) {
      const rows = parseLines((await get(`${url}?${of(asked)}`)).rawPayload)
      const listed = (await list(of(asked))).json().rows as { id: string }[]
      expect(listed.length).toBeGreaterThan(0)
      expect(rows.map(({ id }) => id).sort()).toEqual(listed.map(({ id }) => id).sort())
    }
    const { etag } = (await get(url)).headers
    const filtered = await get(`${url}?${of(agent)}`, { 'if-none-match': String(etag) })
    expect(filtered.statusCode).toBe(200)
  })

  test('304: for a client that has it, until a grant changes', async () => {
    const { etag } = (await get(url)).headers
    const again = await get(url, { 'if-none-match': etag as string })
    expect([again.statusCode, again.body]).toEqual([304, ''])
    expect(again.headers).toMatchObject({ etag, 'x-sync-cursor': registry.sequencer.lastEventId })
    const others = await get(`${url}?evidence=community`, { 'if-none-match': etag as string })
    expect(others.statusCode).toBe(200)
    expect(parseLines(others.rawPayload)).toEqual([])
  })

  test('200: a download continues after its snapshot was replaced', async () => {
    const { snapshot } = registry.reader
    const release = snapshot!.hold()
    snapshot!.close()
    expect(await snapshot!.db.one('select 1 as one')).toEqual({ one: 1 })
    release()
    await registry.observe(
      observePublisherFile('e.example', { sites: ['e.example'], agents: [other] }),
    )
    await registry.publish()
    expect(parseLines((await get(url)).rawPayload)).toHaveLength(5)
  })

  test('400, 401, 403', async () => {
    expect((await get(`${url}?evidence=x`)).statusCode).toBe(400)
    expect((await get(`${url}?include=x`)).statusCode).toBe(400)
    expect((await get(`${url}?include=raw`)).statusCode).toBe(403)
    expect((await registry.app.inject(url)).statusCode).toBe(401)
  })
})

describe('claims of managers’ files about other publishers', () => {
  const manager = 'm.example'
  const all = { selection_type: 'all', publisher_domains: ['p.example', 'q.example', manager] }
  const evidence = 'evidence=adagents_authoritative'
  const own = openForAll(openRegistry)
  let headers: { authorization: string }

  beforeAll(async () => {
    headers = { authorization: `Bearer ${await own.createKey('Readers')}` }
    const observe = (domain: string, file: object) =>
      own.observe(observeFile('adagents.json', domain, file, own.clock.now()))
    const app = {
      property_type: 'mobile_app',
      name: 'App',
      publisher_domain: 'q.example',
      identifiers: [{ type: 'ios_bundle', value: 'example.q' }],
    }
    await observe(manager, {
      properties: [buildWebsite(manager), buildWebsite('p.example', { name: 'Another name' }), app],
      authorized_agents: [grantBySelectors(agent, all)],
    })
    await observe('p.example', buildShop('p.example', { authorized_agents: [grantByIds(agent)] }))
    await own.publish()
  })

  const listRows = async (query: string): Promise<AgentAuthorizations> => {
    const url = `/api/registry/authorizations?${of(agent)}&${query}`
    return AgentAuthorizations.parse((await own.app.inject({ url, headers })).json())
  }

  test('200: are rows of their own kind of evidence, with their result and source file', async () => {
    const { rows, rows_total } = await listRows(evidence)
    expect(rows_total).toBe(2)
    expect(rows).toMatchObject([
      {
        publisher_domain: 'p.example',
        manager_domain: manager,
        path: 'federated',
        evidence: 'adagents_authoritative',
        properties_authorized: 1,
        diverges: true,
        publisher_properties: [{ publisher_domain: 'p.example', selection_type: 'all' }],
        properties: [{ property_id: 'site', name: 'p.example' }],
      },
      {
        publisher_domain: 'q.example',
        path: 'inline',
        properties_authorized: 1,
        properties: [{ property_rid: null, property_id: null, name: 'App' }],
      },
    ])
    expect(rows[0]!.property_rid).toBe(rows[0]!.properties![0]!.property_rid)
    expect(rows[1]!.diverges).toBeUndefined()
  })

  test('200: are no grants, and are listed among grants only on request', async () => {
    const both = `${evidence},adagents_json`
    const kinds = (rows: AuthorizationItem[]) =>
      rows.map(row => `${row.publisher_domain} ${row.evidence}`)
    expect(kinds((await listRows('')).rows)).toEqual([
      'm.example adagents_json',
      'p.example adagents_json',
    ])
    const whole = kinds((await listRows(both)).rows)
    expect(whole).toEqual([
      'm.example adagents_json',
      'p.example adagents_json',
      'p.example adagents_authoritative',
      'q.example adagents_authoritative',
    ])
    const paged: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const page = await listRows(`${both}&limit=1&cursor=${cursor}`)
      expect(page.rows_total).toBe(4)
      paged.push(...kinds(page.rows))
      cursor = page.cursor
    }
    expect(paged).toEqual(whole)
  })

  test('200: are lines of the snapshot on request', async () => {
    const url = `/api/registry/authorizations/snapshot?${evidence}`
    const { rawPayload } = await own.app.inject({ url, headers })
    const lines = gunzipSync(rawPayload).toString().trim().split('\n')
    expect(lines.map(line => JSON.parse(line))).toEqual((await listRows(evidence)).rows)
  })

  test('200: are sent again after they change, though no event reports that', async () => {
    const only = await openRegistry()
    const reader = { authorization: `Bearer ${await only.createKey('Readers')}` }
    const url = `/api/registry/authorizations/snapshot?${evidence}`
    const lines = ({ rawPayload }: { rawPayload: Buffer }) =>
      gunzipSync(rawPayload).toString().trim().split('\n').filter(Boolean)
    const others = { selection_type: 'all', publisher_domains: ['r.example'] }
    const file = { properties: [], authorized_agents: [grantBySelectors(agent, others)] }
    await only.observe(observeFile('adagents.json', manager, file, only.clock.now()))
    await only.publish()
    const last = only.sequencer.lastEventId
    const before = await only.app.inject({ url, headers: reader })
    expect(lines(before)).toHaveLength(1)
    const held = { ...reader, 'if-none-match': before.headers.etag as string }
    expect((await only.app.inject({ url, headers: held })).statusCode).toBe(304)
    for (let times = 0; times < 2; times++) {
      only.clock.tick(2 * 3_600_000)
      await only.observe({ kind: 'adagents.json', location: manager, outcome: 'absent' })
    }
    await only.publish()
    expect(only.sequencer.lastEventId).toBe(last)
    const after = await only.app.inject({ url, headers: held })
    expect([after.statusCode, lines(after)]).toEqual([200, []])
    await only.close()
  })
})
