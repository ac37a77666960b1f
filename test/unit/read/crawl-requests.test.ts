import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, it, test } from 'vitest'
import { DAY, HOUR, MINUTE, SECOND } from '../../../pipeline/core/clock.ts'
import type { CrawlScope } from '../../../pipeline/model/crawl-request.ts'
import {
  crawlRequestStatus,
  findCrawlRequest,
} from '../../../pipeline/read/lookups/crawl-requests.ts'
import { openRegistry, type TestRegistry } from '../../support/registry/app.ts'
import { crawlDue, listDueFiles, observeTargets, type Web } from '../../support/worlds/crawling.ts'

let registry: TestRegistry

afterEach(async () => {
  expect(await registry.verify()).toEqual([])
  await registry.close()
})

const domain = 'acme.example'
const own = 'adagents.json acme.example'
const brand = 'brand.json acme.example'
const ads = 'ads.txt acme.example'

/** Builds a file by which every agent can sell the one site of each domain. */
function buildSellingFile(agents: string[], ...domains: string[]) {
  return {
    properties: domains.map(name => ({
      property_type: 'website',
      name,
      publisher_domain: name,
      identifiers: [{ type: 'domain', value: name }],
    })),
    authorized_agents: agents.map(url => ({
      url,
      authorized_for: 'all of it',
      authorization_type: 'publisher_properties',
      publisher_properties: [{ publisher_domains: domains, selection_type: 'all' }],
    })),
  }
}

const old = buildSellingFile(['https://old.example/mcp'], domain)
const fresh = buildSellingFile(['https://new.example/mcp'], domain)

/** Opens a registry that crawled this internet the night before. */
async function openCrawled(web: Web, ...domains: string[]): Promise<void> {
  registry = await openRegistry()
  await registry.submit({ op: 'domains.add', domains: domains as never, again: false })
  while ((await crawlDue(registry, web)).length > 0);
  registry.clock.tick(HOUR)
}

async function request(scope: CrawlScope = 'domain', of = domain): Promise<string> {
  const id = randomUUID()
  const who = { requested_by: 'somebody', org_id: 'some organization' }
  await registry.submit({
    op: 'crawl.request',
    crawl_request_id: id,
    scope,
    domain: of as never,
    ...who,
  })
  return id
}

function findStatus(id: string) {
  // What this process reads at the time may have begun before the commit.
  registry.reader.serving?.refresh()
  return crawlRequestStatus(findCrawlRequest(registry.reader, id)!, registry.clock.now())
}

/** Lists the agents that every lookup by key names for a domain. */
async function listSellers(of: string): Promise<string[]> {
  const named = new Set<string>()
  for (const path of [
    `/api/registry/publisher?domain=${of}`,
    `/api/properties/resolve?domain=${of}`,
    `/api/registry/lookup/domain/${of}`,
  ]) {
    const { authorized_agents } = (await registry.app.inject(path)).json()
    named.add(authorized_agents.map(({ url }: { url: string }) => url).join())
  }
  return [...named]
}

describe('a requested crawl', () => {
  it('is queued, and completed in the commit whose lookups show the result', async () => {
    const web: Web = { [own]: old }
    await openCrawled(web, domain)
    const id = await request()
    const at = new Date(registry.clock.now()).toISOString()
    expect(findStatus(id)).toMatchObject({
      status: 'queued',
      attempts: 0,
      max_attempts: 5,
      requested_at: at,
      started_at: null,
      last_attempted_at: null,
      completed_at: null,
      next_attempt_at: null,
      last_error_code: null,
    })
    expect(await listSellers(domain)).toEqual(['https://old.example/mcp'])
    web[own] = fresh
    expect(await crawlDue(registry, web)).toEqual([own, brand])
    const then = new Date(registry.clock.now()).toISOString()
    expect(findStatus(id)).toEqual({
      crawl_request_id: id,
      domain,
      status: 'completed',
      attempts: 1,
      max_attempts: 5,
      requested_at: at,
      started_at: then,
      last_attempted_at: then,
      completed_at: then,
      next_attempt_at: null,
      last_error_code: null,
      outcome: [
        {
          file: 'brand.json',
          url: 'https://acme.example/.well-known/brand.json',
          outcome: 'absent',
          http_status: 404,
          attempts: 1,
          attempted_at: then,
        },
        {
          file: 'adagents.json',
          url: 'https://acme.example/.well-known/adagents.json',
          outcome: 'ok',
          http_status: 200,
          attempts: 1,
          attempted_at: then,
        },
      ],
    })
    expect(await listSellers(domain)).toEqual(['https://new.example/mcp'])
  })

  it('is running while one of its files is pending', async () => {
    const web: Web = { [own]: old }
    await openCrawled(web, domain)
    const id = await request()
    const [first, second] = await listDueFiles(registry)
    for (const [target, status] of [
      [first, 'running'],
      [second, 'completed'],
    ] as const) {
      registry.clock.tick(SECOND)
      const observations = observeTargets([target!], web, registry.clock.now())
      await registry.sequencer.commit({ observations, submissions: [] })
      expect(findStatus(id).status).toBe(status)
    }
  })

  it('of an unknown domain completes once each file was tried', async () => {
    await openCrawled({})
    const id = await request()
    expect(await crawlDue(registry, {})).toEqual([own, brand])
    expect(findStatus(id).status).toBe('running')
    expect(await crawlDue(registry, {})).toEqual([ads])
    expect(findStatus(id)).toMatchObject({ status: 'completed', outcome: [{}, {}, {}] })
    const { statusCode, body } = await registry.app.inject(`/api/brands/resolve?domain=${domain}`)
    expect([statusCode, JSON.parse(body).freshness.state]).toEqual([404, 'absent'])
  })

  it('waits for the target of a pointer, known or not', async () => {
    const web: Web = {
      [own]: old,
      'adagents.json manager.example': buildSellingFile(['https://manager.example/mcp'], domain),
    }
    await openCrawled(web, domain, 'manager.example')
    const id = await request()
    web[own] = { authoritative_location: 'https://manager.example/.well-known/adagents.json' }
    web['adagents.json manager.example'] = fresh
    expect(await crawlDue(registry, web)).toEqual([own, brand])
    expect(findStatus(id).status).toBe('running')
    expect(await crawlDue(registry, web)).toEqual(['adagents.json manager.example'])
    expect(findStatus(id)).toMatchObject({
      status: 'completed',
      outcome: [{}, {}, { outcome: 'ok' }],
    })
    expect(await listSellers(domain)).toEqual(['https://new.example/mcp'])

    const other = 'https://files.example/adagents.json'
    web[own] = { authoritative_location: other }
    web[`adagents.json ${other}`] = old
    const next = await request()
    expect(await crawlDue(registry, web)).toHaveLength(3)
    expect(await crawlDue(registry, web)).toEqual([`adagents.json ${other}`])
    expect(findStatus(next).outcome.map(({ url }) => url)).toContain(other)
    expect(findStatus(next).status).toBe('completed')
    expect(await listSellers(domain)).toEqual(['https://old.example/mcp'])
  })

  it('waits for the manager in an ads.txt', async () => {
    const web: Web = {}
    await openCrawled(web, domain)
    const id = await request()
    web[ads] = { text: 'MANAGERDOMAIN=manager.example' }
    web['adagents.json manager.example'] = fresh
    expect(await crawlDue(registry, web)).toEqual([own, ads, brand])
    expect(findStatus(id).status).toBe('running')
    expect(await crawlDue(registry, web)).toContain('adagents.json manager.example')
    expect(findStatus(id)).toMatchObject({
      status: 'completed',
      outcome: [{}, { outcome: 'absent' }, { file: 'ads.txt' }, { outcome: 'ok' }],
    })
    expect(await listSellers(domain)).toEqual(['https://new.example/mcp'])
  })

  it('is not completed by an attempt that began before it', async () => {
    const web: Web = { [own]: old }
    await openCrawled(web, domain)
    registry.clock.tick(2 * DAY)
    const early = await listDueFiles(registry)
    expect(early).toHaveLength(2)
    const id = await request()
    registry.clock.tick(SECOND)
    const observations = observeTargets(early, web, registry.clock.now())
    await registry.sequencer.commit({ observations, submissions: [] })
    expect(findStatus(id)).toMatchObject({ status: 'queued', attempts: 0 })
    expect(await crawlDue(registry, { [own]: fresh })).toEqual([own, brand])
    expect(findStatus(id).status).toBe('completed')
    expect(await listSellers(domain)).toEqual(['https://new.example/mcp'])
  })

  it('trusts a 404 of its own file at once, but not one of a shared file', async () => {
    const pointer = { authoritative_location: 'https://manager.example/.well-known/adagents.json' }
    const web: Web = {
      [own]: pointer,
      'adagents.json manager.example': buildSellingFile(['https://m.example'], domain),
      'adagents.json b.example': buildSellingFile(['https://b.example/mcp'], 'b.example'),
    }
    await openCrawled(web, domain, 'b.example', 'manager.example')
    const [shared, its] = [await request(), await request('domain', 'b.example')]
    await crawlDue(registry, { [own]: pointer })
    await crawlDue(registry, {})
    expect([findStatus(shared).status, findStatus(its).status]).toEqual(['completed', 'completed'])
    expect(await listSellers(domain)).toEqual(['https://m.example'])
    expect(await listSellers('b.example')).toEqual([''])
  })

  it('trusts a pointer that leads elsewhere, and reports an older file that was held back', async () => {
    const [monday, tuesday] = ['2026-11-16T00:00:00Z', '2026-11-17T00:00:00Z']
    await openCrawled({ [own]: { ...old, last_updated: tuesday } }, domain)
    const id = await request()
    await crawlDue(registry, { [own]: { ...fresh, last_updated: monday } })
    expect(findStatus(id)).toMatchObject({ status: 'failed', last_error_code: 'held' })
    expect(await listSellers(domain)).toEqual(['https://old.example/mcp'])
    expect(await listDueFiles(registry)).toEqual([])

    const elsewhere = 'https://files.example/adagents.json'
    const web = {
      [own]: { authoritative_location: elsewhere },
      [`adagents.json ${elsewhere}`]: fresh,
    }
    const next = await request()
    await crawlDue(registry, web)
    await crawlDue(registry, web)
    expect(findStatus(next).status).toBe('completed')
    expect(await listSellers(domain)).toEqual(['https://new.example/mcp'])
  })

  test.each([
    ['unusable', 'invalid', 'publisher_manifest_invalid'],
    ['not_json', 'invalid', 'publisher_manifest_invalid'],
    ['absent', 'completed', null],
    ['store_denied', 'completed', null],
  ] as const)('whose adagents.json is %s is %s', async (outcome, status, last_error_code) => {
    await openCrawled({ [own]: old }, domain)
    const id = await request()
    await crawlDue(registry, { [own]: outcome })
    await crawlDue(registry, {})
    expect(findStatus(id)).toMatchObject({ status, last_error_code, attempts: 1 })
  })

  it.each<[string, Web, string[]]>([
    [
      'an adagents.json points to',
      {
        [own]: { authoritative_location: 'https://gone.example/a.json' },
        'adagents.json https://gone.example/a.json': old,
      },
      [own, brand],
    ],
    [
      'a brand.json names as its house',
      {
        [own]: old,
        [brand]: { house: 'gone.example' },
        'brand.json gone.example': { house: { domain: 'gone.example', name: 'Gone' }, brands: [] },
      },
      [own, brand],
    ],
  ])('does not wait for files of a domain that is taken down, %s', async (_, web, asked) => {
    await openCrawled(web, domain)
    await registry.submit({ op: 'domain.takedown', domain: 'gone.example' as never })
    const before = await request()
    expect(await crawlDue(registry, web)).toEqual(asked)
    expect(findStatus(before)).toMatchObject({ status: 'completed', outcome: [{}, {}] })
    expect(await crawlDue(registry, web)).toEqual([])
  })

  it('stops waiting for a domain that is taken down meanwhile', async () => {
    const web: Web = {
      [own]: { authoritative_location: 'https://gone.example/a.json' },
      'adagents.json https://gone.example/a.json': 'timeout',
    }
    await openCrawled(web, domain)
    const id = await request()
    await crawlDue(registry, web)
    expect(findStatus(id).status).toBe('retrying')
    await registry.submit({ op: 'domain.takedown', domain: 'gone.example' as never })
    expect(findStatus(id)).toMatchObject({ status: 'completed', outcome: [{}, {}] })
    registry.clock.tick(HOUR)
    expect(await crawlDue(registry, web)).toEqual([])
  })

  it('continues after a restart of the writer', async () => {
    const web: Web = { [own]: old, [brand]: 'timeout' }
    await openCrawled(web, domain)
    const id = await request()
    await crawlDue(registry, web)
    expect(findStatus(id).status).toBe('retrying')
    await registry.restart()
    registry.clock.tick(MINUTE)
    web[brand] = 'absent'
    expect(await crawlDue(registry, web)).toEqual([brand])
    expect(findStatus(id)).toMatchObject({ status: 'completed', attempts: 2 })
  })
})

describe('a clock that was set back', () => {
  it.each<[string, Web]>([
    ['says the same', { [own]: old }],
    ['is new', { [own]: fresh }],
    ['is not there', {}],
    ['does not answer', { [own]: 'timeout', [brand]: 'timeout' }],
  ])('does not have a file fetched repeatedly that %s', async (_, web) => {
    await openCrawled({ [own]: old }, domain)
    registry.clock.tick(-2 * HOUR)
    const id = await request()
    expect(await crawlDue(registry, web)).toEqual([own, brand])
    const later = await crawlDue(registry, web)
    expect(later.filter(file => file !== ads)).toEqual([])
    expect(findStatus(id).status).toBe(web[own] === 'timeout' ? 'retrying' : 'completed')
    const sells = web[own] === fresh ? 'https://new.example/mcp' : 'https://old.example/mcp'
    if (web[own]) expect(await listSellers(domain)).toEqual([sells])
  })

  it('does not accept a file older than the current one', async () => {
    await openCrawled({ [own]: { ...old, last_updated: '2026-11-19T00:00:00Z' } }, domain)
    registry.clock.tick(-2 * HOUR)
    const targets = [{ kind: 'adagents.json' as const, location: domain, after_seq: 1_000 }]
    const web: Web = { [own]: { ...fresh, last_updated: '2026-11-01T00:00:00Z' } }
    const observations = observeTargets(targets, web, registry.clock.now())
    await registry.sequencer.commit({ observations, submissions: [] })
    await registry.reader.refresh()
    expect(await listSellers(domain)).toEqual(['https://old.example/mcp'])
    const held = await registry.sequencer.index.all('select location from held_documents')
    expect(held).toEqual([{ location: domain }])
  })

  it('changes nothing where its results are delivered again', async () => {
    await openCrawled({ [own]: old }, domain)
    registry.clock.tick(-2 * HOUR)
    await request()
    const observations = observeTargets(
      await listDueFiles(registry),
      { [own]: fresh },
      registry.clock.now(),
    )
    const state = () =>
      registry.sequencer.index.all('select * from crawl_state order by kind, location')
    await registry.sequencer.commit({ observations, submissions: [] })
    const before = await state()
    registry.clock.tick(SECOND)
    await registry.sequencer.commit({ observations, submissions: [] })
    expect(await state()).toEqual(before)
    await registry.reader.refresh()
  })
})

describe('a domain that does not answer', () => {
  it('is tried after 1, 5, 30 and 120 minutes, then the request has failed', async () => {
    const web: Web = { [own]: 'timeout', [brand]: 'timeout' }
    await openCrawled({ [own]: old }, domain)
    const id = await request()
    await crawlDue(registry, web)
    for (const [index, minutes] of [1, 5, 30, 120].entries()) {
      const { next_attempt_at, ...rest } = findStatus(id)
      expect(rest).toMatchObject({
        status: 'retrying',
        attempts: index + 1,
        last_error_code: 'timeout',
        completed_at: null,
      })
      expect(Date.parse(next_attempt_at!) - registry.clock.now()).toBe(minutes * MINUTE)
      registry.clock.tick(minutes * MINUTE - 1)
      expect(await listDueFiles(registry)).toEqual([])
      registry.clock.tick(1)
      expect(findStatus(id)).toMatchObject({ status: 'running', next_attempt_at: null })
      expect(await crawlDue(registry, web)).toEqual([own, brand])
    }
    expect(findStatus(id)).toMatchObject({
      status: 'failed',
      attempts: 5,
      last_error_code: 'timeout',
      next_attempt_at: null,
      completed_at: new Date(registry.clock.now()).toISOString(),
      outcome: [{ attempts: 5 }, { attempts: 5 }],
    })
    expect(await listSellers(domain)).toEqual(['https://old.example/mcp'])
    expect(
      await registry.sequencer.index.all('select * from crawl_state where priority = 0'),
    ).toEqual([])
  })

  it('is tried alone, and the request completes once it answers', async () => {
    const web: Web = { [own]: fresh, [brand]: 'connection_failed' }
    await openCrawled({ [own]: old }, domain)
    const id = await request()
    await crawlDue(registry, web)
    registry.clock.tick(MINUTE)
    expect(await crawlDue(registry, web)).toEqual([brand])
    registry.clock.tick(5 * MINUTE)
    await crawlDue(registry, { ...web, [brand]: 'absent' })
    expect(findStatus(id)).toMatchObject({
      status: 'completed',
      attempts: 3,
      last_error_code: null,
    })
  })

  it('is tried when it asked to be: the request is deferred', async () => {
    const web: Web = { [own]: ['throttled', { retry_after_s: 600 }], [brand]: 'absent' }
    await openCrawled({ [own]: old }, domain)
    const id = await request()
    await crawlDue(registry, web)
    const { status, next_attempt_at } = findStatus(id)
    expect(status).toBe('deferred')
    expect(Date.parse(next_attempt_at!) - registry.clock.now()).toBe(600 * SECOND)
    registry.clock.tick(599 * SECOND)
    expect(await listDueFiles(registry)).toEqual([])
    registry.clock.tick(SECOND)
    await crawlDue(registry, { [own]: fresh })
    expect(findStatus(id).status).toBe('completed')
  })

  it('with two requests is tried at the earlier of their times', async () => {
    const web: Web = { [own]: 'timeout', [brand]: 'absent' }
    await openCrawled({ [own]: old }, domain)
    const early = await request()
    await crawlDue(registry, web)
    registry.clock.tick(MINUTE)
    await crawlDue(registry, web)
    const late = await request()
    expect(await crawlDue(registry, web)).toEqual([own, brand])
    expect([findStatus(early).attempts, findStatus(late).attempts]).toEqual([3, 1])
    registry.clock.tick(MINUTE)
    expect(await crawlDue(registry, { [own]: fresh })).toEqual([own])
    expect([findStatus(early).status, findStatus(late).status]).toEqual(['completed', 'completed'])
  })
})

describe('a result that cannot be stored', () => {
  it('counts as an attempt, and is not fetched again and again', async () => {
    await openCrawled({ [own]: old }, domain)
    const id = await request()
    for (let attempt = 1; attempt <= 5; attempt++) {
      registry.clock.tick(2 * HOUR)
      const [target, other] = await listDueFiles(registry)
      registry.clock.tick(SECOND)
      const at = registry.clock.now()
      const poison = { variant: 'inline' }
      const [seen] = observeTargets([target!], { [own]: old }, at)
      const observations = [{ ...seen!, hash: `f${attempt}`, document: poison }]
      if (other) observations.push(...(observeTargets([other], {}, at) as never[]))
      await registry.sequencer.commit({ observations, submissions: [] })
      expect(await listDueFiles(registry)).toEqual([])
    }
    expect(findStatus(id)).toMatchObject({
      status: 'failed',
      attempts: 5,
      last_error_code: 'quarantined',
    })
    expect(await listDueFiles(registry)).toEqual([])
  })
})

describe('a partial crawl', () => {
  it('fetches only the brand.json, and the house it names', async () => {
    const web: Web = { [brand]: { house: 'house.example' } }
    await openCrawled(web, domain, 'house.example')
    const id = await request('brand')
    expect(await crawlDue(registry, web)).toEqual([brand, 'brand.json house.example'])
    expect(findStatus(id)).toMatchObject({ status: 'completed', outcome: [{}, {}] })
  })

  it('of a manager fetches the shared files, and changes the dependent answers', async () => {
    const file = 'https://manager.example/ads/adagents.json'
    const web: Web = {
      'adagents.json a.example': {
        authoritative_location: 'https://manager.example/.well-known/adagents.json',
      },
      'adagents.json b.example': { authoritative_location: file },
      'adagents.json manager.example': buildSellingFile(['https://m.example/mcp'], 'a.example'),
      [`adagents.json ${file}`]: buildSellingFile(['https://m.example/mcp'], 'b.example'),
    }
    await openCrawled(web, 'a.example', 'b.example', 'manager.example')
    web['adagents.json manager.example'] = buildSellingFile(
      ['https://new.example/mcp'],
      'a.example',
    )
    web[`adagents.json ${file}`] = buildSellingFile(['https://new.example/mcp'], 'b.example')
    const id = await request('manager', 'manager.example')
    expect(findCrawlRequest(registry.reader, id)?.publishers).toBe(2)
    expect(await crawlDue(registry, web)).toEqual([
      `adagents.json ${file}`,
      'adagents.json manager.example',
    ])
    expect(findStatus(id).status).toBe('completed')
    expect(await listSellers('a.example')).toEqual(['https://new.example/mcp'])
    expect(await listSellers('b.example')).toEqual(['https://new.example/mcp'])
  })

  it('of a manager without dependent publishers completes too', async () => {
    await openCrawled({}, domain)
    const id = await request('manager', 'nobody.example')
    expect(findCrawlRequest(registry.reader, id)?.publishers).toBe(0)
    await crawlDue(registry, {})
    expect(findStatus(id)).toMatchObject({ status: 'completed', outcome: [{ outcome: 'absent' }] })
  })
})
