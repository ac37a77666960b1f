import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { DAY } from '../../pipeline/core/clock.ts'
import {
  buildOperatorFile,
  publishFiles,
  requestWithQuery,
} from '../support/fixtures/operator-files.ts'
import { openRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { buildShop, buildWebsite, grantByIds, grantBySelectors } from '../support/worlds/nights.ts'

const agent = 'https://sell.agents.example/MCP'
const twin = 'https://sell.agents.example/other'
const path = '/api/registry/validate/property-authorization'
const publisherPath = '/api/registry/publisher/authorization'
const registry = openForAll(() => openRegistry({ limits: { crawlBatchSources: 500 } }))

const sells = (domain: string, relationship: string) => ({ identifier: domain, relationship })
const granting = (domain: string, more: object = {}, sites: object[] = [buildWebsite(domain)]) =>
  buildShop(domain, { properties: sites, authorized_agents: [grantByIds(agent, more)] })

beforeAll(async () => {
  await publishFiles(registry, {
    'both.example': granting('both.example', { delegation_type: 'direct' }),
    'differ.example': granting('differ.example', { delegation_type: 'direct' }),
    'silent.example': granting('silent.example', { delegation_type: 'delegated' }),
    'unstated.example': granting('unstated.example'),
    'owner.example': granting('owner.example', { delegation_type: 'direct' }),
    'mute.example': buildShop('mute.example', { authorized_agents: [] }),
    'french.example': granting('french.example', { countries: ['FR', 'BE'] }),
    'spring.example': granting('spring.example', {
      effective_from: '2027-03-01T00:00:00Z',
      effective_until: '2027-05-31T00:00:00Z',
    }),
    'placed.example': {
      ...granting('placed.example', { placement_ids: ['top'] }),
      placements: [
        { placement_id: 'top', name: 'Top', property_ids: ['site'], tags: ['above'] },
        { placement_id: 'foot', name: 'Foot', property_ids: ['site'], tags: ['below'] },
        { placement_id: 'away', name: 'Away', property_ids: ['other'] },
      ],
    },
    'shows.example': granting('shows.example', {
      collections: [{ publisher_domain: 'shows.example', collection_ids: ['late'] }],
    }),
    'wild.example': granting('wild.example', {}, [
      buildWebsite('wild.example', { identifiers: [{ type: 'domain', value: '*.wild.example' }] }),
    ]),
    'apps.example': granting('apps.example', { delegation_type: 'delegated' }, [
      buildWebsite('apps.example', {
        property_type: 'mobile_app',
        identifiers: [{ type: 'ios_bundle', value: 'com.Apps.Game' }],
      }),
    ]),
    'many.example': {
      properties: ['a', 'b', 'c'].map(id =>
        buildWebsite('many.example', {
          property_id: id,
          name: id,
          tags: [id],
          identifiers: [{ type: 'domain', value: `${id}.many.example` }],
        }),
      ),
      authorized_agents: [
        grantByIds(agent, { property_ids: ['a', 'b'], delegation_type: 'direct' }),
        grantBySelectors(twin, { publisher_domain: 'many.example', selection_type: 'all' }),
      ],
    },
    'brand agents.example': buildOperatorFile(
      [agent],
      [
        sells('both.example', 'direct'),
        sells('differ.example', 'ad_network'),
        sells('unstated.example', 'direct'),
        sells('owner.example', 'owned'),
        sells('mute.example', 'delegated'),
        sells('b.many.example', 'ad_network'),
        { type: 'mobile_app', store: 'apple', ...sells('com.apps.game', 'delegated') },
      ],
    ),
  })
})

const asked = async (domain: string, query: Record<string, unknown> = {}) => {
  const answer = await requestWithQuery(registry, path, {
    agent_url: agent,
    identifier_type: 'domain',
    identifier_value: domain,
    ...query,
  })
  expect(answer.statusCode).toBe(200)
  return answer.json()
}

/** Returns `authorized`, `confirmed` and the result of each side, in one word each. */
const summarize = async (domain: string, query?: Record<string, unknown>) => {
  const { authorized, confirmed, sides } = await asked(domain, query)
  return [authorized, confirmed, sides.publisher, sides.operator].join(' ')
}

describe('GET /api/registry/validate/property-authorization', () => {
  test.each([
    ['both.example', 'true true match match'],
    ['differ.example', 'false false match mismatch'],
    ['silent.example', 'true false match unknown'],
    ['unstated.example', 'true false match unknown'],
    ['owner.example', 'false false match mismatch'],
    ['mute.example', 'false false mismatch unknown'],
    ['nobody.example', 'false false unknown unknown'],
  ])('200: %s, by both sides: %s', async (domain, expected) => {
    expect(await summarize(domain)).toBe(expected)
  })

  test.each<[string, Record<string, unknown>, string]>([
    ['both.example', { delegation_type: 'direct' }, 'true true match match'],
    ['both.example', { delegation_type: 'delegated' }, 'false false mismatch mismatch'],
    ['unstated.example', { delegation_type: 'direct' }, 'false false unknown match'],
    ['silent.example', { delegation_type: 'delegated' }, 'true false match unknown'],
    ['french.example', {}, 'false false mismatch unknown'],
    ['french.example', { country: 'be' }, 'true false match unknown'],
    ['french.example', { country: 'GB' }, 'false false mismatch unknown'],
    ['both.example', { country: 'GB' }, 'true true match match'],
    ['spring.example', {}, 'false false mismatch unknown'],
    ['spring.example', { at: '2027-03-01T00:00:00Z' }, 'true false match unknown'],
    ['spring.example', { at: '2027-05-31T02:00:00+02:00' }, 'true false match unknown'],
    ['spring.example', { at: '2027-05-31T00:00:01Z' }, 'false false mismatch unknown'],
    ['placed.example', {}, 'false false mismatch unknown'],
    ['placed.example', { placement_ids: 'top' }, 'true false match unknown'],
    ['placed.example', { placement_ids: 'top,foot' }, 'false false mismatch unknown'],
    ['placed.example', { placement_ids: 'away' }, 'false false mismatch unknown'],
    ['placed.example', { placement_tags: 'above' }, 'true false match unknown'],
    ['placed.example', { placement_tags: 'below' }, 'false false mismatch unknown'],
    ['placed.example', { placement_tags: 'never' }, 'false false mismatch unknown'],
    ['both.example', { placement_ids: 'top' }, 'false false mismatch match'],
    ['shows.example', {}, 'false false mismatch unknown'],
    ['shows.example', { collection_ids: 'late' }, 'true false match unknown'],
    ['shows.example', { collection_ids: 'late,early' }, 'false false mismatch unknown'],
  ])('200: %s asked with %j: %s', async (domain, query, expected) => {
    expect(await summarize(domain, query)).toBe(expected)
  })

  test.each([
    ['www.both.example', true],
    ['m.both.example', true],
    ['news.both.example', false],
    ['a.b.wild.example', true],
    ['wild.example', false],
    ['notwild.example', false],
    ['www.a.many.example', false],
  ])('200: the domain %s is matched: %s', async (domain, expected) => {
    expect((await asked(domain)).authorized).toBe(expected)
  })

  test('200: an app is matched by its identifier whatever the case, and confirmed by its store', async () => {
    const answer = await asked('COM.APPS.game', { identifier_type: 'ios_bundle' })
    expect(answer).toMatchObject({
      agent_url: agent,
      identifier_type: 'ios_bundle',
      identifier_value: 'COM.APPS.game',
      authorized: true,
      confirmed: true,
      property_id: 'site',
      publisher_domain: 'apps.example',
    })
    const bundle = await asked('com.apps.game', { identifier_type: 'bundle_id' })
    expect(bundle).not.toHaveProperty('property_id')
    expect(bundle.authorized).toBe(false)
  })

  test('200: two agents on one host are two agents', async () => {
    const of = async (agent_url: string) =>
      (await asked('c.many.example', { agent_url })).authorized
    expect([await of(agent), await of(twin)]).toEqual([false, true])
    expect(await of('https://sell.agents.example')).toBe(false)
  })

  test('200: an address that differs only in case is the agent, unless it is one itself', async () => {
    for (const agent_url of [`${agent}/`, agent.toLowerCase(), agent.replace('https', 'HTTPS')]) {
      expect(await asked('both.example', { agent_url })).toMatchObject({
        agent_url,
        authorized: true,
      })
    }
  })

  test('200: with explain, the files, the entry and the rule are named', async () => {
    const { evidence } = await asked('differ.example', { explain: 'true' })
    expect(evidence).toMatchObject([
      {
        side: 'publisher',
        domain: 'differ.example',
        file: 'https://differ.example/.well-known/adagents.json',
        fetched_at: '2026-11-20T03:00:00.000Z',
        entry: 'authorized_agents[0]',
        delegation_type: 'direct',
        rule: 'granted',
        says: 'match',
      },
      {
        side: 'operator',
        domain: 'agents.example',
        file: 'https://agents.example/.well-known/brand.json',
        names_agent: true,
        declared: [{ identifier: 'differ.example', relationship: 'ad_network' }],
        rule: 'declared_otherwise',
        says: 'mismatch',
      },
    ])
    for (const explain of ['1', 'True', 'false']) {
      expect(await asked('differ.example', { explain })).not.toHaveProperty('evidence')
    }
  })

  test.each<[Record<string, unknown>, string]>([
    [{ agent_url: undefined }, '`agent_url` is required'],
    [{ identifier_type: undefined }, '`identifier_type` is required'],
    [{ identifier_value: '' }, '`identifier_value` '],
    [{ agent_url: 'not an address' }, '`agent_url` must be an agent URL'],
    [
      { agent_url: 'sales.acme.example/mcp' },
      '`agent_url` must have a scheme. Did you mean https://sales.acme.example/mcp?',
    ],
    [
      { agent_url: 'ftp://sales.acme.example/mcp' },
      '`agent_url` must begin with https://. Did you mean https://sales.acme.example/mcp?',
    ],
    [{ agent_url: 'https://a:b@agent.example' }, '`agent_url` must be an agent URL'],
    [{ country: 'UK' }, '`country` must be a two-letter country code'],
    [{ country: 'ZZ' }, '`country` must be a two-letter country code'],
    [{ country: 'EMEA' }, '`country` must be a two-letter country code'],
    [{ delegation_type: 'owned' }, '`delegation_type` '],
    [{ at: 'tomorrow' }, '`at` must be a date and time'],
    [{ placement_ids: '' }, 'placement_ids'],
    [{ placement_ids: Array.from({ length: 101 }, (_, i) => i).join() }, 'placement_ids'],
  ])('400: %j is refused by name', async (query, error) => {
    const answer = await requestWithQuery(registry, path, {
      agent_url: agent,
      identifier_type: 'domain',
      identifier_value: 'both.example',
      ...query,
    })
    expect(answer.statusCode).toBe(400)
    expect(answer.json().error).toContain(error)
  })
})

describe('GET /api/registry/publisher/authorization', () => {
  const of = (domain: string, query: Record<string, unknown> = {}) =>
    requestWithQuery(registry, publisherPath, { domain, agent, ...query })

  test('200: grants are counted without those that the operator contradicts', async () => {
    expect((await of('many.example')).json()).toMatchObject({
      publisher_domain: 'many.example',
      agent_url: agent,
      authorized: 1,
      total: 3,
      publisher_wide: false,
      source: 'adagents_json',
      authorized_for: 'All',
      unauthorized_properties: [
        { id: 'b', name: 'b', type: 'website' },
        { id: 'c', name: 'c', type: 'website' },
      ],
      sides: { publisher: 'match', operator: 'unknown' },
      confirmed: false,
      freshness: { state: 'current' },
    })
  })

  test('200: a grant of all properties counts as all of them', async () => {
    const answer = await of('https://MANY.example/x', { agent: `${twin}/` })
    expect(answer.json()).toMatchObject({
      agent_url: twin,
      authorized: 3,
      total: 3,
      publisher_wide: true,
      unauthorized_properties: [],
    })
  })

  test('the plain answer equals the explained one without its evidence, byte for byte', async () => {
    const quiet = 'https://sell.quiet.example/mcp'
    const loud = 'https://sell.loud.example/mcp'
    const sites = ['a', 'b'].map(id =>
      buildWebsite('whole.example', {
        property_id: id,
        name: id,
        identifiers: [{ type: 'domain', value: `${id}.whole.example` }],
      }),
    )
    const grants = (property_ids: string[], more: object = {}) =>
      [quiet, loud].map(url => grantByIds(url, { property_ids, ...more }))
    const nights = {
      whole: grants(['a', 'b']),
      'in two entries': [...grants(['a'], { authorized_for: 'A' }), ...grants(['b'])],
      'to everything': [quiet, loud].map(url =>
        grantBySelectors(url, { publisher_domain: 'whole.example', selection_type: 'all' }),
      ),
      'one of two': grants(['b']),
      'in some countries': grants(['a', 'b'], { countries: ['FR'] }),
      'with a window': grants(['a', 'b'], { effective_until: '2099-01-01T00:00:00Z' }),
      nothing: [],
      'whole again': grants(['a', 'b']),
    }
    const own = await openRegistry()
    const answers = new Map<string, string[]>()
    for (const [night, authorized_agents] of Object.entries(nights)) {
      await publishFiles(own, {
        'whole.example': buildShop('whole.example', { properties: sites, authorized_agents }),
        'brand loud.example': buildOperatorFile([loud], [sells('b.whole.example', 'ad_network')]),
      })
      for (const url of [quiet, loud, 'https://nobody.example/mcp']) {
        const asking = (query: object) =>
          requestWithQuery(own, publisherPath, { domain: 'whole.example', agent: url, ...query })
        const explained = (await asking({ explain: 'true' })).json()
        for (let again = 0; again < 3; again++) {
          const plain = await asking({})
          const { evidence: _, ...rest } = explained
          expect(plain.body, `${night}: ${url}`).toBe(JSON.stringify(rest))
        }
        answers.set(night, [...(answers.get(night) ?? []), explained.authorized])
      }
    }
    expect(answers.get('whole')).toEqual([2, expect.any(Number), undefined])
    expect(answers.get('one of two')).toEqual([1, expect.any(Number), undefined])
    expect(answers.get('nothing')).toEqual([undefined, undefined, undefined])
    const before = await requestWithQuery(own, publisherPath, {
      domain: 'whole.example',
      agent: quiet,
    })
    await publishFiles(own, {
      'brand quiet.example': buildOperatorFile([quiet], [sells('b.whole.example', 'owned')]),
    })
    const after = await requestWithQuery(own, publisherPath, {
      domain: 'whole.example',
      agent: quiet,
    })
    expect([before.json().authorized, after.json().authorized]).toEqual([2, 1])
    await own.close()
  })

  test('200: restrictions apply where the question names a country or delegation', async () => {
    expect((await of('french.example')).json()).toMatchObject({ authorized: 1, total: 1 })
    expect((await of('french.example', { country: 'GB' })).json()).toMatchObject({ authorized: 0 })
    expect((await of('both.example')).json()).toMatchObject({ authorized: 1, confirmed: true })
  })

  test('404: without a grant in force, with the address as its key', async () => {
    const refused = [
      ['mute.example', { agent: `${agent}///` }],
      ['spring.example', {}],
      ['nobody.example', {}],
    ] as const
    for (const [domain, query] of refused) {
      const answer = await of(domain, query)
      expect(answer.statusCode).toBe(404)
      expect(answer.json()).toMatchObject({ error: expect.any(String), domain, agent_url: agent })
    }
    expect((await of('spring.example', { at: '2027-04-01T00:00:00Z' })).statusCode).toBe(200)
  })

  test.each<[Record<string, unknown>, string]>([
    [{ domain: 'a b' }, '`domain` must be a domain name'],
    [{ agent: undefined }, '`agent` is required'],
    [{ agent: 'acme.example' }, '`agent` must have a scheme. Did you mean https://acme.example?'],
    [{ agent: '' }, '`agent` must be an agent URL'],
    [{ country: 'GBR' }, '`country` must be a two-letter country code'],
  ])('400: %j is refused by name', async (query, error) => {
    const answer = await requestWithQuery(registry, publisherPath, {
      domain: 'both.example',
      agent,
      ...query,
    })
    expect(answer.statusCode).toBe(400)
    expect(answer.json().error).toContain(error)
  })
})

describe('the sources of an authorization', () => {
  test('follow a merge: an alias answers as the record it was merged into', async () => {
    await publishFiles(registry, {
      'left.example': granting('left.example', {}, [
        buildWebsite('left.example', {
          identifiers: [{ type: 'rss_url', value: 'https://pod.example/l' }],
        }),
      ]),
      'right.example': buildShop('right.example', {
        properties: [
          buildWebsite('right.example', {
            identifiers: [{ type: 'rss_url', value: 'https://pod.example/r' }],
          }),
        ],
        authorized_agents: [],
      }),
    })
    const ask = (value: string) => asked(value, { identifier_type: 'rss_url' })
    expect((await ask('https://pod.example/l')).authorized).toBe(true)
    expect((await ask('https://pod.example/r')).authorized).toBe(false)
    const rid = async (domain: string) =>
      (
        await registry.sequencer.index.one<{ rid: string }>(
          `select property_rid as rid from properties where publisher_domain = '${domain}'`,
        )
      )?.rid ?? ''
    const [answer] = await registry.submit({
      op: 'property.merge',
      alias_rid: await rid('left.example'),
      canonical_rid: await rid('right.example'),
    })
    expect(answer).toHaveProperty('done')
    for (const value of ['https://pod.example/l', 'https://pod.example/r']) {
      expect(await ask(value)).toMatchObject({
        authorized: true,
        publisher_domain: 'left.example',
        property_rid: await rid('right.example'),
      })
    }
    expect(await registry.verify()).toEqual([])
  })

  test('end with the entry, the identifier, the operator’s claim and the file', async () => {
    const domain = 'fades.example'
    const seller = 'https://mcp.fading.example/a'
    const is = async (agent_url: string, value = domain) =>
      (await asked(value, { agent_url })).sides
    const file = (more: object, sites = [buildWebsite(domain)]) =>
      buildShop(domain, { properties: sites, authorized_agents: [grantByIds(seller, more)] })
    await publishFiles(registry, {
      [domain]: file({ delegation_type: 'direct' }),
      'brand fading.example': buildOperatorFile([seller], [sells(domain, 'direct')]),
    })
    expect(await is(seller)).toEqual({ publisher: 'match', operator: 'match' })
    await publishFiles(registry, {
      'brand fading.example': buildOperatorFile([seller], [sells(domain, 'delegated')]),
    })
    expect(await is(seller)).toEqual({ publisher: 'match', operator: 'mismatch' })
    await publishFiles(registry, { 'brand fading.example': buildOperatorFile([], []) })
    expect(await is(seller)).toEqual({ publisher: 'match', operator: 'unknown' })
    const moved = buildWebsite(domain, {
      identifiers: [{ type: 'domain', value: `new.${domain}` }],
    })
    await publishFiles(registry, { [domain]: file({}, [moved]) })
    expect(await is(seller)).toEqual({ publisher: 'unknown', operator: 'unknown' })
    expect(await is(seller, `new.${domain}`)).toEqual({ publisher: 'match', operator: 'unknown' })
    await publishFiles(registry, { [domain]: buildShop(domain, { authorized_agents: [] }) })
    expect(await is(seller)).toEqual({ publisher: 'mismatch', operator: 'unknown' })
    expect(await registry.verify()).toEqual([])
  })

  test('give the same bytes after a rebuild from the index', async () => {
    const own = await openRegistry()
    await publishFiles(own, {
      'p.example': buildShop('p.example', { authorized_agents: [grantByIds(agent)] }),
      'brand agents.example': buildOperatorFile([agent], [sells('p.example', 'direct')]),
    })
    own.clock.tick(DAY)
    await publishFiles(own, { 'p.example': buildShop('p.example', { properties: [] }) })
    expect(await own.verify()).toEqual([])
    await own.rebuild()
    expect(await own.verify()).toEqual([])
    await own.close()
  })
})

test('do not depend on a credential, valid or not', async () => {
  const url = `${path}?agent_url=${encodeURIComponent(agent)}&identifier_type=domain&identifier_value=both.example`
  const bodies = await Promise.all(
    [undefined, `Bearer sk_${randomUUID()}`].map(async authorization => {
      const headers = authorization ? { authorization } : {}
      return (await registry.app.inject({ url, headers })).json()
    }),
  )
  expect(bodies[0]).toEqual(bodies[1])
})
