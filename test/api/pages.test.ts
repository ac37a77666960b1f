import { type CheerioAPI, load } from 'cheerio'
import { beforeAll, describe, expect, test } from 'vitest'
import { foundKinds } from '../../api/pages/directory-choices.ts'
import { toContractions } from '../../api/pages/html/text.tsx'
import { pages } from '../../api/pages/index.ts'
import { MINUTE } from '../../pipeline/core/clock.ts'
import { observeBrandFile, observePublisherFile } from '../support/fixtures/documents.ts'
import { publishFiles } from '../support/fixtures/operator-files.ts'
import { type ObservationDraft, openRegistry } from '../support/registry/app.ts'
import { enrol, observeAgent } from '../support/registry/members.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { AGENT, BRAND, fillPages, PUBLISHER, pagePaths } from '../support/worlds/page-world.ts'

const PAGE_BYTES = 60 * 1024
const registry = openForAll(openRegistry)

beforeAll(async () => {
  await fillPages(registry)
})

/** A publisher whose grants have no terms. */
const plainPublisher = observePublisherFile(PUBLISHER, { sites: [PUBLISHER], agents: [AGENT] })

const get = (url: string, headers: Record<string, string> = {}) =>
  registry.app.inject({ url, headers })
const read = async (url: string) => load((await get(url)).body)
const json = async (url: string) => (await get(url)).json()
const readVerdict = (page: CheerioAPI) =>
  `${page('.verdict h1').text()}. ${page('.verdict p').text()}`

test('the pages of these tests are all that there are', () => {
  const tried = [...pagePaths, '/workshop', '/authorization/list', '/sql', '/data'].map(
    path => path.split('?')[0]!,
  )
  const toPattern = (path: string) => new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`)
  // Files as they were crawled, what the link of a mail shows, and guessed addresses have tests of their own.
  const known = pages.filter(
    ({ isPage, path, reply }) => isPage && !(301 in reply) && !/^\/(?:file|watch)\//.test(path),
  )
  expect(known.length).toBeGreaterThan(15)
  const untried = known.filter(
    ({ path }) => !tried.some(triedPath => toPattern(path).test(triedPath)),
  )
  expect(untried.map(({ path }) => path)).toEqual([])
})

test('the footer of a page that is not there leads to the same lists as any other', async () => {
  const list = async (path: string) =>
    load((await get(path, { accept: 'text/html' })).body)(
      'footer a[href^="/"]:not([href^="/api/"])',
    )
      .toArray()
      .map(({ attribs }) => attribs.href)
  const links = await list('/')
  expect(links).toEqual(expect.arrayContaining(['/policies', '/mirrors']))
  expect(await list('/nowhere')).toEqual(links)
  expect(await list('/brand/nobody.example')).toEqual(links)
})

describe.each(pagePaths)('the page %s', path => {
  test('200: is HTML with one heading, landmarks, a skip link and a description', async () => {
    const answer = await get(path)
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([
      200,
      'text/html; charset=utf-8',
    ])
    const page = load(answer.body)
    for (const landmark of [
      'h1',
      'main#content',
      'header',
      'nav[aria-label="Sections"]',
      'footer',
      'head title',
    ]) {
      expect(page(landmark), landmark).toHaveLength(1)
    }
    expect(page('body > a').first().attr('href')).toBe('#content')
    expect(page('html').attr('lang')).toBe('en')
    expect(page('meta[name=description]').attr('content')).not.toBe('')
    expect(page('meta[property="og:url"]').attr('content')).toBe(
      page('link[rel=canonical]').attr('href'),
    )
    expect(page('input[name=q]')).toHaveLength(1)
    expect(page('section > h2:only-child').text()).toBe('')
  })

  test('runs and loads only what this server sends, and is framed by nobody', async () => {
    const { headers } = await get(path)
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toMatch(/unsafe|https?:|\*|data:/)
    expect(headers).toMatchObject({
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    })
  })

  test('304: for clients that have it, and compressed for clients that accept that', async () => {
    const { etag } = (await get(path)).headers
    const held = await get(path, { 'if-none-match': String(etag) })
    expect([held.statusCode, held.body]).toEqual([304, ''])
    const packed = await get(path, { 'accept-encoding': 'br' })
    expect(packed.headers['content-encoding']).toBe('br')
  })

  test('405: accepts no other method', async () => {
    const answer = await registry.app.inject({ method: 'POST', url: path.split('?')[0]! })
    expect([answer.statusCode, answer.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS'])
  })
})

describe('a page says what JSON says', () => {
  test('of a brand', async () => {
    const brand = await json(`/api/brands/resolve?domain=${BRAND}`)
    const page = await read(`/brand/${BRAND}`)
    expect(page('h1').text()).toBe(brand.brand_name)
    expect(page('.title').text()).toContain(brand.canonical_id)
    expect(page('.freshness').text()).toContain(brand.freshness.state)
    expect(JSON.parse(page('#raw pre').text())).toMatchObject({
      brand_manifest: brand.brand_manifest,
    })
    expect(page('.colors rect').attr('fill')).toBe(brand.brand_manifest.colors.primary)
  })

  test('of a publisher', async () => {
    const lookup = await json(`/api/registry/publisher?domain=${PUBLISHER}`)
    const page = await read(`/publisher/${PUBLISHER}`)
    const agents = page('#agents tbody tr')
    expect(agents).toHaveLength(lookup.authorized_agents.length)
    expect(agents.find('th a').attr('href')).toBe(`/agent/${encodeURIComponent(AGENT)}`)
    expect(agents.text()).toContain(lookup.authorized_agents[0].authorized_for)
    expect(page('#properties tbody tr')).toHaveLength(lookup.properties.length)
    expect(page('#properties').text()).toContain(lookup.properties[0].name)
    expect(page('#file').text()).toContain('Plain words')
  })

  test('of agents that claim its inventory, without those that it authorizes', async () => {
    const own = await openRegistry()
    const stranger = 'https://stranger.example/mcp'
    const site = 'sold.example'
    await own.observe(
      observePublisherFile(site, { sites: [site], agents: [AGENT] }),
      observePublisherFile('other.example', { sites: ['other.example'], agents: [stranger] }),
    )
    await own.observe(
      ...[AGENT, stranger].map(url => observeAgent(url, { claims: [site, 'other.example'] })),
    )
    const claims = async (domain: string) =>
      load((await own.app.inject(`/publisher/${domain}`)).body)('#claims li')
        .map((_, item) => load(item).text())
        .get()
    expect(await claims(site)).toEqual(['stranger.example/mcp'])
    expect(await claims('other.example')).toEqual(['sales.agent.example/mcp'])
    await own.close()
  })

  test('of the terms of each grant, where a publisher has any', async () => {
    const own = await openRegistry()
    const observation = observePublisherFile('limits.example', {
      sites: ['limits.example'],
      agents: [AGENT, 'https://free.example/mcp', 'https://only.example/mcp'],
    })
    const document = structuredClone(observation.document) as { agents: object[] }
    const until = '2027-01-31T00:00:00.000Z'
    Object.assign(document.agents[0]!, {
      countries: ['US', 'GB'],
      delegation_type: 'ad_network',
      effective_until: until,
    })
    Object.assign(document.agents[2]!, { exclusive: true })
    await own.observe({ ...observation, document: document as never }, plainPublisher)
    await own.publish()
    const page = async (domain: string) => load((await own.app.inject(`/publisher/${domain}`)).body)
    const limited = await page('limits.example')
    const rows = limited('#agents tbody tr')
      .map((_, row) => limited(row).text())
      .get()
    expect(rows.join()).toContain(
      'sells as an ad network\u00a0· only in the United Kingdom and the United States\u00a0· until 31 Jan 2027',
    )
    expect(rows.find(text => text.includes('free.example'))).toContain('none')
    expect(rows.find(text => text.includes('only.example'))).toContain('sells exclusively')
    expect((await page(PUBLISHER))('#agents th').text()).not.toContain('Terms')
    await own.close()
  })

  test('of what a publisher says about the way in which an agent sells all it has', async () => {
    const own = await openRegistry()
    const observation = observePublisherFile(PUBLISHER, { sites: [PUBLISHER], agents: [AGENT] })
    const document = structuredClone(observation.document) as { agents: object[] }
    Object.assign(document.agents[0]!, { exclusive: true, delegation_type: 'delegated' })
    await own.observe({ ...observation, document: document as never })
    await own.publish()
    const query = new URLSearchParams({ agent: AGENT, property: PUBLISHER })
    for (const path of [`/publisher/${PUBLISHER}`, `/authorization?${query}`]) {
      const { body } = await own.app.inject(path)
      expect(body).toContain('sells on the owner’s behalf, exclusively')
    }
    await own.close()
  })

  test('of an agent', async () => {
    const listed = await json(`/api/v1/agents/${encodeURIComponent(AGENT)}/publishers`)
    const page = await read(`/agent/${encodeURIComponent(AGENT)}`)
    const rows = page('#publishers tbody tr')
    expect(rows).toHaveLength(listed.publishers.length)
    expect(rows.find('th .face').text()).toContain(listed.publishers[0].publisher_domain)
    expect(rows.find('th .face :is(.monogram, .logo)')).toHaveLength(1)
  })

  test('of an agent without a name by its host, which breaks at its dots alone', async () => {
    const own = await openRegistry()
    await own.observe(plainPublisher)
    const page = load((await own.app.inject(`/agent/${encodeURIComponent(AGENT)}`)).body)
    expect(page('h1').text()).toBe('sales.agent.example')
    expect(page('h1 bdi').html()).toBe('<wbr>sales<wbr>.agent<wbr>.example')
    await own.close()
  })

  test('of how an agent answered over time', async () => {
    const own = await openRegistry()
    await own.observe(plainPublisher)
    const probe = (observation: ObservationDraft) => {
      own.clock.tick({ days: 1 })
      return own.observe(observation)
    }
    const failure = { kind: 'agent', location: AGENT, outcome: 'timeout', took_ms: 5 } as const
    const readHealth = async () => {
      own.clock.tick({ days: 1 })
      const answer = await own.app.inject(`/agent/${encodeURIComponent(AGENT)}`)
      const page = load(answer.body)
      return { health: page('#health'), tiles: page('.tiles').text() }
    }
    await probe(observeAgent(AGENT))
    const first = await readHealth()
    expect(first.tiles).toContain('Uptime100%since 21 Nov 2026')
    expect(first.health.find('.strip rect.good')).toHaveLength(1)
    await probe(failure)
    await probe(observeAgent(AGENT))
    const { health, tiles } = await readHealth()
    // Of four days it did not answer on one.
    expect(tiles).toContain('Uptime75.0%since 21 Nov 2026')
    expect(health.find('tbody tr')).toHaveLength(3)
    expect(health.find('tbody tr').eq(1).text()).toContain('no response timed out')
    expect(health.find('.strip rect.bad')).toHaveLength(1)
    expect(await own.verify()).toEqual([])
    await own.close()
  })

  test('of an agent that never answered, with the reason first and nothing said of its tools', async () => {
    const own = await openRegistry()
    await own.observe(plainPublisher)
    const outcome = { outcome: 'server_error', status: 503 } as const
    await own.observe({ kind: 'agent', location: AGENT, ...outcome, took_ms: 5 })
    const page = load((await own.app.inject(`/agent/${encodeURIComponent(AGENT)}`)).body)
    const reason = 'he server returned an error (HTTP 503)'
    expect(page('.tiles').text()).toContain(`OfflineT${reason}, `)
    const capabilities = page('#capabilities').text()
    expect(capabilities).toContain('Unknown: the agent is offline.')
    expect(capabilities).not.toMatch(/Tools ?0|No capabilities/)
    const question = new URLSearchParams({ agent_url: AGENT, identifier_value: PUBLISHER })
    const verdict = load((await own.app.inject(`/authorization?${question}`)).body)
    expect(verdict('main').text()).toContain(`Offline: t${reason}, checked `)
    await own.close()
  })

  test.each([
    ['publisher', PUBLISHER],
    ['brand', 'leaf.example'],
  ])('of an unknown %s with www, the one without', async (kind, domain) => {
    const answer = await registry.app.inject(`/${kind}/www.${domain}`)
    expect(answer.statusCode).toBe(404)
    expect(load(answer.body)('main .notice a').attr('href')).toBe(`/${kind}/${domain}`)
  })

  test('of a search for an agent, by a part of its address', async () => {
    const nobody = await read('/search?q=nobody-knows.example')
    expect(nobody('main').text()).toContain('nobody-knows.example isn’t in the registry yet')
    expect(nobody('main a[href^="/brand"], main a[href^="/publisher"]')).toHaveLength(0)
    const www = await read('/search?q=https://www.leaf.example/')
    expect(www('.notice a').attr('href')).toBe('/search?q=leaf.example')
    for (const address of ['ann@leaf.example', 'mailto:ann.b+c@LEAF.example']) {
      const owned = await read(`/search?${new URLSearchParams({ q: address })}`)
      expect(owned('.entries a').first().attr('href')).toBe('/brand/leaf.example')
    }
    const scheme = await registry.app.inject('/search?q=http://')
    expect(load(scheme.body)('#agents, .entries')).toHaveLength(0)
    const found = await read('/search?q=sales.AGENT')
    expect(found('#agents li a').attr('href')).toBe(`/agent/${encodeURIComponent(AGENT)}`)
    expect(found('#agents .state').text()).toBe('Online')
    expect((await read('/search?q=herald'))('#agents')).toHaveLength(0)
  })

  test('of a mirror', async () => {
    const mirror = await json('/api/registry/mirrors/pictures')
    const page = await read('/mirror/pictures')
    expect(page('#properties tbody tr')).toHaveLength(mirror.adagents_json.properties.length)
    expect(page('#properties').text()).toContain('pictures.example')
    expect(page('#properties td[data-label=Type]').text()).toBe('Mobile app')
    expect(JSON.parse(page('#raw pre').text())).toEqual(mirror.adagents_json)
    expect((await read('/mirrors'))('main a[href="/mirror/pictures"]').text()).toBe('pictures')
  })

  test('of a house that is no brand itself', async () => {
    expect((await get('/api/brands/resolve?domain=the-house.example')).statusCode).toBe(404)
    const page = await read('/brand/the-house.example')
    expect(page('h1').text()).toBe('the-house.example')
    expect(page('#house .tree a').attr('href')).toBe('/brand/leaf.example')
  })

  test.each(['/brand/told.example', '/publisher/told.example'])(
    'of the edits of members: %s shows what each changed',
    async path => {
      const page = await read(path)
      expect(page('#history .timeline > li')).toHaveLength(2)
      expect(page('#history .timeline .quiet').first().text()).toMatch(/^Version 2, by [A-Z]/)
      const changed = page('#history .diff').first()
      expect(page('#history .diff')).toHaveLength(1)
      expect(changed.find('summary').text()).toMatch(/^\d fields? changed$/)
      expect(changed.find('.gone').last().text()).toBe('− "Before"')
      expect(changed.find('.come').last().text()).toBe('+ "Plain words"')
    },
  )

  test('of an authorization, with every step of the evidence', async () => {
    const asked = { agent_url: AGENT, identifier_type: 'domain', identifier_value: PUBLISHER }
    const answer = await json(
      `/api/registry/validate/property-authorization?${new URLSearchParams({ ...asked, explain: 'true' })}`,
    )
    const page = await read(
      `/authorization?${new URLSearchParams({ agent: AGENT, property: PUBLISHER })}`,
    )
    expect(answer.authorized).toBe(true)
    expect(readVerdict(page)).toBe(
      'Yes. Authorized by the publisher (the operator hasn’t confirmed it).',
    )
    const steps = page('.chain > li')
    expect(steps).toHaveLength(answer.evidence.length)
    for (const [index, { text, file }] of answer.evidence.entries()) {
      const step = page(steps[index]!)
      // A page says which entry it is instead.
      const said = toContractions(text).replace(/^(?:this|the) entry/, ' of its adagents.json')
      expect(step.text().toLowerCase()).toContain(said.toLowerCase())
      if (file) expect(step.find('a[rel]').attr('href')).toBe(file)
    }
  })

  test('of what the registry knows, with the counts of the lists', async () => {
    const stats = await json('/api/registry/stats')
    const page = await read('/')
    const listed = /([\d,]+) publishers/.exec((await read('/publishers'))('main').text())
    const counts = page('.counts dd')
      .toArray()
      .map(count => Number(page(count).text()))
    expect(counts).toEqual([
      stats.total_brands,
      Number(listed?.[1]?.replace(',', '')),
      stats.total_properties,
      stats.total_agents,
      stats.authorizations,
    ])
    expect((await read('/crawl'))('.facts').text()).toMatch(/Last active minute\d+ attempts?/)
  })

  test('of what changed, the newest first', async () => {
    const key = await registry.createKey('Reader')
    const feed = await registry.send('GET', '/api/registry/feed?limit=1000', { key })
    const types = feed.json().events.map((event: { event_type: string }) => event.event_type)
    const page = await read('/changes')
    const stories = page('.stories ul > li')
      .toArray()
      .map(story => page(story).text())
    expect(types).toContain('authorization.granted')
    expect(stories.join('\n')).toContain(
      `${PUBLISHER} had its adagents.json read for the first time, authorized one agent and added one property.` +
        'Agent: sales.agent.example/mcpProperty: Plain words',
    )
    const granted = await read('/changes?type=authorization.granted')
    expect(granted('.stories ul > li')).toHaveLength(1)
    expect(granted('.stories').text()).toContain(`${PUBLISHER} authorized one agent.`)
  })

  test('of an authorization, by the names of the API and by those of earlier links', async () => {
    const readTitle = async (asked: Record<string, string>) =>
      (await read(`/authorization?${new URLSearchParams(asked)}`))('head title').text()
    const byProperty = await readTitle({ agent: AGENT, property: PUBLISHER, type: 'domain' })
    expect(byProperty).toContain(PUBLISHER)
    const named = { agent_url: AGENT, identifier_type: 'domain', identifier_value: PUBLISHER }
    expect(await readTitle(named)).toBe(byProperty)
    const byPublisher = await readTitle({ agent: AGENT, publisher: PUBLISHER })
    expect(await readTitle({ agent_url: AGENT, domain: PUBLISHER })).toBe(byPublisher)
    const form = await read(`/authorization?${new URLSearchParams(named)}`)
    expect(form('form.ask input[name=identifier_value]').val()).toBe(PUBLISHER)
  })

  test('of an authorization, by the address of the agent as pages show it, and of its health', async () => {
    const agent = AGENT.replace('https://', '')
    const [host = ''] = agent.split('/')
    for (const asked of [
      { agent_url: agent, identifier_value: PUBLISHER },
      { agent_url: agent, domain: PUBLISHER },
      { agent_url: host, identifier_value: PUBLISHER },
    ]) {
      const page = await read(`/authorization?${new URLSearchParams(asked)}`)
      expect(page('.lead').text()).toContain(`${agent} selling`)
      expect(readVerdict(page)).toBe(
        'Yes. Authorized by the publisher (the operator hasn’t confirmed it).',
      )
      expect(page('.facts').first().text()).toMatch(/AgentOnline, checked/)
    }
  })

  test.each([
    ['agent_url=&identifier_type=domain&identifier_value=', 'Enter an agent and a property.'],
    [`agent_url=${AGENT}&identifier_type=domain&identifier_value=`, /^Enter a property\.$/],
    ['agent_url=&identifier_type=domain&identifier_value=a.example', /^Enter an agent\.$/],
    [
      'agent_url=none&identifier_value=a.example',
      '“none” isn’t an agent URL. Enter a URL such as https://agent.example/mcp.',
    ],
    [`agent_url=${AGENT}&identifier_value=a.example&country=ZZZ`, 'Country must be'],
    [
      'agent_url=foo&identifier_value=not a domain!',
      /^“foo” isn’t an agent URL.*“not a domain!” isn’t a/,
    ],
  ])('400: of what is wrong with a question, by its label: %s', async (query, fault) => {
    const answer = await get(`/authorization?${query}`)
    const page = load(answer.body)
    expect([answer.statusCode, page('[role=alert]').text()]).toEqual([
      400,
      typeof fault === 'string' ? expect.stringContaining(fault) : expect.stringMatching(fault),
    ])
    expect(page('form.ask')).toHaveLength(1)
  })

  test('of a publisher whose file is hosted here, and what is left to do', async () => {
    const page = await read('/publisher/told.example')
    expect(page('.tiles dd').first().text()).toBe('Hosted here')
    expect(page('h1').text()).toBe('Told')
    expect(page('a[href="/brand/told.example"]').first().text()).toBe('Brand')
    expect(page('main .notice').text()).toContain('One step left')
    expect(page('#file').text()).not.toMatch(/never/)
  })

  test('of a file that cannot be read: nothing is known, and a brand leads to no empty page', async () => {
    const own = await openRegistry()
    const location = 'cut.example'
    await own.observe(
      { kind: 'adagents.json', location, outcome: 'not_json', status: 200 },
      observeBrandFile('lonely.example', 'Lonely'),
      observeBrandFile(PUBLISHER, 'Herald'),
      plainPublisher,
    )
    const page = async (path: string) => load((await own.app.inject(path)).body)
    const cut = await page(`/publisher/${location}`)
    expect(cut('#properties').text()).toContain('Unknown: the file is invalid.')
    expect(cut('#agents').text()).toContain('Unknown: the file is invalid.')
    await own.observe({
      kind: 'adagents.json',
      location: 'none.example',
      outcome: 'absent',
      status: 404,
    })
    for (const [domain, reason] of [
      [location, `The adagents.json of ${location} isn’t valid JSON`],
      ['none.example', 'No adagents.json was found at none.example'],
    ] as const) {
      for (const asked of [{ identifier_value: domain }, { domain }]) {
        const query = new URLSearchParams({ agent_url: AGENT, ...asked })
        const verdict = await page(`/authorization?${query}`)
        expect(readVerdict(verdict)).toBe(`Unknown. ${reason}.`)
        expect(verdict(`.chain a[href="/publisher/${domain}"]`)).toHaveLength(1)
      }
    }
    expect((await page('/brand/lonely.example'))('#identity').text()).not.toContain('Inventory')
    expect((await page(`/brand/${PUBLISHER}`))('#identity dd a').attr('href')).toBe(
      `/publisher/${PUBLISHER}`,
    )
    const named = await page(`/publisher/${PUBLISHER}`)
    expect([named('h1').text(), named('.sub').text().replace(/\s+/g, ' ')]).toEqual([
      'Herald',
      expect.stringContaining(`${PUBLISHER} · Brand`),
    ])
    await own.close()
  })

  test('of a refusal: the publisher grants a stranger nothing', async () => {
    const asked = new URLSearchParams({
      agent: 'https://stranger.example/mcp',
      publisher: PUBLISHER,
    })
    const page = await read(`/authorization?${asked}`)
    expect(readVerdict(page)).toMatch(
      /^No\. The adagents\.json of herald\.example has no entry that authorizes this agent for this publisher\.$/,
    )
    expect(page('.path .wide').attr('aria-label')).toContain(
      'doesn’t authorize: agent stranger.example',
    )
    const unread = new URLSearchParams({ agent_url: AGENT, domain: 'nobody.example' })
    expect(readVerdict(await read(`/authorization?${unread}`))).toBe(
      'Unknown. The registry has no valid file from the publisher.',
    )
    const nobody = new URLSearchParams({ agent: AGENT, property: 'nobody.example' })
    expect(readVerdict(await read(`/authorization?${nobody}`))).toBe(
      'Unknown. No publisher lists an active property with this identifier.',
    )
  })
})

describe('a page that cannot be shown', () => {
  test.each([
    ['/brand/nobody.example', 404],
    ['/publisher/nobody.example', 404],
    ['/agent/https%3A%2F%2Fnobody.example%2Fmcp', 404],
    ['/agent/nobody.example', 404],
    ['/policy/none', 404],
    ['/mirror/none', 404],
    ['/brand/not_a_domain', 400],
    ['/publisher/a..b', 400],
    ['/agent/none', 400],
    ['/authorization?agent=none&property=a.example', 400],
    ['/search?q=a', 400],
    ['/changes?type=nothing', 400],
    ['/changes?before=x', 400],
    ['/policies?cursor=x', 400],
    ['/brand/%zz', 400],
  ])('%s is answered with %i as a page', async (url, status) => {
    const answer = await get(url, { accept: 'text/html' })
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([
      status,
      expect.stringContaining(url.includes('%zz') ? 'application/json' : 'text/html'),
    ])
    expect(answer.headers['cache-control']).toBe('no-store')
  })

  test('has the headers of every page', async () => {
    const { headers } = await get('/nowhere', { accept: 'text/html,*/*;q=0.8' })
    expect(String(headers['content-security-policy'])).toContain("default-src 'none'")
  })

  test('of an unknown agent says what would register it, and leads its owner on', async () => {
    const page = await read('/agent/https%3A%2F%2Fnobody.example%2Fmcp')
    expect(page('h1').text()).toBe('No agent found at nobody.example/mcp')
    expect(page('main').text()).toContain('once a publisher’s adagents.json lists it')
    expect(page('main a[href="/docs/guides/publisher"]')).toHaveLength(1)
    expect(page('main a[href="/workshop"]')).toHaveLength(1)
  })

  test('says why in a sentence, and leads on', async () => {
    const answer = await get('/nowhere', { accept: 'text/html' })
    const page = load(answer.body)
    expect(page('main .lead').text()).toBe('No such page: /nowhere.')
    const links = page('main a')
      .toArray()
      .map(link => page(link).attr('href'))
    expect(links).toEqual(['/changes', '/'])
    const home = load((await get('/')).body)
    expect(page('nav').text()).toBe(home('nav').text())
  })

  test.each([
    '/policy/none',
    '/storyboard/none',
    '/mirror/none',
    '/docs/guides/none',
    '/docs/operations/none',
    '/docs/schemas/none',
  ])('leads on from %s', async path => {
    const answer = await get(path, { accept: 'text/html' })
    const page = load(answer.body)
    expect([answer.statusCode, page('h1').text()]).toEqual([
      404,
      expect.stringMatching(/not found$/),
    ])
    expect(page('main a[href="/changes"]')).toHaveLength(1)
  })

  test('is JSON where the API or a program asks', async () => {
    for (const [url, accept] of [
      ['/nowhere', '*/*'],
      ['/api/nowhere', 'text/html'],
    ] as const) {
      const answer = await get(url, { accept })
      expect([answer.statusCode, answer.json().code]).toEqual([404, 'not_found'])
    }
  })

  test('an unknown domain that somebody looks up is submitted for crawling', async () => {
    const page = await read('/brand/unasked.example')
    expect(page('main').text()).toContain('usually crawled within a minute of its first lookup')
    expect(page('meta[name=robots]').attr('content')).toBe('noindex')
  })
})

describe('the home page', () => {
  test('names no brand that only a member has saved, and a search ranks it below a file', async () => {
    await registry.observe(observeBrandFile('zebra.example', 'Told'))
    await registry.publish()
    const examples = (await read('/'))('.chips, .names').text()
    expect(examples).toContain('zebra.example')
    expect(examples).not.toContain('told.example')
    const found = (await read('/search?q=told'))('#brands .entries > li')
    expect(found.toArray().map(entry => load(entry)('p').text())).toEqual([
      'zebra.exampleFrom its own file',
      'told.exampleHosted here by its owner',
    ])
  })

  test('asks first about a brand that belongs to a house', async () => {
    const { document, ...observed } = observeBrandFile('twig.example', 'Twig')
    const ofHouse = {
      ...(document as object),
      house_domain: 'the-house.example',
      keller_type: 'sub_brand',
    }
    await registry.observe({ ...observed, document: ofHouse as typeof document })
    await registry.publish()
    const question = (await read('/'))('.chips a').first()
    expect(question.attr('href')).toBe('/brand/twig.example')
  })

  test('is the overview of the API for clients that want JSON, also after it was sent as a page', async () => {
    expect((await get('/')).headers['content-type']).toContain('text/html')
    const answer = await get('/', { accept: 'application/json' })
    expect(answer.json()).toEqual(await json('/api'))
    expect(answer.headers.vary).toContain('accept')
    const page = await get('/', { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' })
    expect(page.headers['content-type']).toContain('text/html')
    expect(page.headers.vary).toContain('accept')
  })

  test('answers before anything was crawled, and says what will come', async () => {
    const own = await openRegistry()
    const before = await own.app.inject('/')
    expect(before.statusCode).toBe(200)
    expect(before.body).toContain('The first crawl is in progress')
    expect((await own.app.inject('/crawl')).statusCode).toBe(200)
    await own.observe({ kind: 'brand.json', location: 'bare.example', outcome: 'absent' })
    own.clock.tick(2 * MINUTE)
    expect(load((await own.app.inject('/')).body)('.counts')).toHaveLength(0)
    await own.observe(observeBrandFile('first.example', 'First'))
    await own.publish()
    own.clock.tick(2 * MINUTE)
    expect(
      load((await own.app.inject('/')).body)('.counts dd')
        .first()
        .text(),
    ).toBe('1')
    await own.close()
  })
})

test('a commit shows at once', async () => {
  const url = '/brand/later.example'
  expect((await get(url)).statusCode).toBe(404)
  await registry.observe(observeBrandFile('later.example', 'Earlier name'))
  expect((await read(url))('h1').text()).toBe('Earlier name')
  registry.clock.tick(MINUTE)
  await registry.observe(observeBrandFile('later.example', 'Later name'))
  expect((await read(url))('h1').text()).toBe('Later name')
})

describe('the history of a thing', () => {
  const own = openForAll(openRegistry)

  beforeAll(async () => {
    const sites = ['first.example', 'shop.first.example']
    await own.observe(
      observeBrandFile('shoes.example', 'Shoes'),
      observePublisherFile('first.example', { sites: sites.slice(0, 1), agents: [AGENT] }),
    )
    own.clock.tick({ days: 1 })
    await own.observe(
      observeBrandFile('shoes.example', 'Boots'),
      observePublisherFile('first.example', { sites, agents: ['https://other.example/mcp'] }),
    )
    await own.publish()
  })

  const readRows = async (path: string) => {
    const page = load((await own.app.inject(path)).body)
    const rows = page('.timeline ul > li').toArray()
    return rows.map(row => page(row).text())
  }

  test('of a brand tells what its file said before and after', async () => {
    const rows = await readRows('/brand/shoes.example/history')
    expect(rows).toHaveLength(2)
    expect(rows[0]).toContain('brand_name− "Shoes"+ "Boots"')
    expect(rows[1]).toContain('new')
    const page = load((await own.app.inject('/brand/shoes.example')).body)
    expect(page('#history p a').attr('href')).toBe('/brand/shoes.example/history')
    const history = load((await own.app.inject('/brand/shoes.example/history')).body)
    expect(history('h1').text()).toBe('Boots: history')
  })

  test('of a publisher tells of its file, its properties and its grants', async () => {
    const rows = await readRows('/publisher/first.example/history')
    const find = (text: string) => rows.filter(row => row.includes(text)).join('\n')
    expect(find('property_count')).toContain('property_count− 1+ 2')
    expect(find('shop.first.example')).toContain('new')
    expect(rows.join('\n')).toContain('authorized other.example')
    expect(find('sales.agent.example')).toMatch(/revoked|in_force− true\+ false/)
  })

  test('tells of a removed and a restored property in one line, with what else changed closed', async () => {
    const domain = 'two.example'
    const both = [domain, `shop.${domain}`]
    for (const [sites, tag] of [
      [both, 'old'],
      [both.slice(0, 1), 'old'],
      [both, 'new'],
    ] as const) {
      const observation = observePublisherFile(domain, { sites: [...sites], agents: [] })
      const document = structuredClone(observation.document) as { properties: { tags: string[] }[] }
      for (const { tags } of document.properties) tags.push(tag)
      own.clock.tick({ days: 1 })
      await own.observe({ ...observation, document: document as never })
    }
    await own.publish()
    for (const path of [`/publisher/${domain}/history`, `/changes?domain=${domain}`]) {
      const page = load((await own.app.inject(path)).body)
      const rows = page('.timeline ul > li')
        .filter((_, row) => page(row).find('> strong').text() === both[1])
        .toArray()
      expect(rows.map(row => page(row).clone().children('details').remove().end().text())).toEqual([
        `restored property ${both[1]}`,
        `removed property ${both[1]}: no longer listed`,
        `new property ${both[1]}`,
      ])
      const details = rows.map(row => page(row).find('details'))
      expect(details.map(found => found.text())).toEqual([
        '1 field changedtags− "old"+ "new"',
        '',
        '',
      ])
      expect(details[0]?.attr('open')).toBeUndefined()
    }
    const feed = (await own.app.inject(`/changes/feed.json?domain=${domain}`)).json()
    const titles = feed.items.map(({ title }: { title: string }) => title)
    const ofShop = titles.filter((title: string) => title.includes(`property ${both[1]}`))
    expect(ofShop.map((title: string) => title.split(':')[0])).toEqual([
      'Restored',
      'Removed',
      'New',
    ])
  })

  test('of a publisher is whole on its pages, however long its changes are', async () => {
    const domain = 'many.example'
    const sites = Array.from({ length: 150 }, (_, n) => `s${n}.${domain}`)
    for (const tag of ['before', 'after']) {
      const observation = observePublisherFile(domain, { sites, agents: [] })
      const document = structuredClone(observation.document) as { properties: { tags: string[] }[] }
      for (const { tags } of document.properties)
        tags.push(...Array.from({ length: 20 }, (_, n) => `${tag}-${n}`.padEnd(60, 'x')))
      own.clock.tick({ days: 1 })
      await own.observe({ ...observation, document: document as never })
    }
    await own.publish()
    const subjects: string[] = []
    let path: string | undefined = `/publisher/${domain}/history`
    while (path !== undefined) {
      const answer = await own.app.inject(path)
      expect(answer.rawPayload.length).toBeLessThanOrEqual(PAGE_BYTES)
      const page = load(answer.body)
      for (const row of page('.timeline ul > li').toArray())
        subjects.push(page(row).find('> strong').text())
      path = page('main a[rel="next"]').first().attr('href')
    }
    const [file, properties] = [subjects.filter(text => text === 'file'), new Set(subjects)]
    expect(file.length).toBeGreaterThan(0)
    expect([subjects.length - file.length, properties.size]).toEqual([300, 151])
  })

  test('404: of a domain that was never understood', async () => {
    expect((await own.app.inject('/brand/nobody.example/history')).statusCode).toBe(404)
  })
})

test('a house shows its portfolio as a tree, and its brands lead back', async () => {
  const own = await openRegistry()
  const brands = [
    buildPortfolioBrand('the_house', 'The House', 'house.example'),
    buildPortfolioBrand('soap', 'Soap', 'soap.example'),
    { ...buildPortfolioBrand('mild_soap', 'Mild Soap', 'mild.example'), parent_brand: 'soap' },
  ]
  await own.observe(observeHouse('house.example', 'The House', brands))
  for (const location of ['soap.example', 'mild.example']) {
    const document = { variant: 'house_redirect', house: 'house.example' }
    await own.observe({ kind: 'brand.json', location, document })
  }
  await own.publish()
  const page = load((await own.app.inject('/brand/house.example')).body)
  expect(page('.tree > ul > li > a').text()).toBe('Soap')
  expect(page('.tree > ul > li > ul > li > a').attr('href')).toBe('/brand/mild.example')
  const leaf = load((await own.app.inject('/brand/soap.example')).body)
  expect(leaf('#house a[href="/brand/house.example"]').text()).toBe('The House')
  await own.close()
})

test('a brand that is its own house, and of no other brand, says so', async () => {
  const brands = [buildPortfolioBrand('single', 'Single', 'single.example')]
  await registry.observe(observeHouse('single.example', 'Single', brands))
  const page = await read('/brand/single.example')
  expect(page('#house .empty').text()).toBe(
    'The brand is its own house, and no other brand belongs to it.',
  )
})

function observeHouse(domain: string, name: string, brands: object[]): ObservationDraft {
  const house = { domain, name, agents: [] }
  const lists = { brands, brand_refs: [], authorized_operators: [], trademarks: [] }
  const document = { variant: 'house_portfolio', house, ...lists }
  return { kind: 'brand.json', location: domain, document: document as never }
}

function buildPortfolioBrand(id: string, name: string, domain: string) {
  return {
    id,
    name,
    names: [{ en: name }],
    properties: [{ type: 'website', identifier: domain, relationship: 'owned', primary: true }],
    agents: [],
    manifest: {},
  }
}

test('a brand whose own file only points elsewhere names the file that describes it', async () => {
  const own = await openRegistry()
  const house = 'group.example'
  const toBrand = (name: string) => ({
    id: name.toLowerCase(),
    names: [{ en: name }],
    keller_type: 'sub_brand',
    properties: [{ type: 'website', identifier: `${name.toLowerCase()}.example`, primary: true }],
  })
  const at = 'https://cdn.example/far.json'
  await publishFiles(own, {
    [`brand ${house}`]: { house: { domain: house, name: 'Group' }, brands: [toBrand('Leaf')] },
    'brand leaf.example': { house },
    'brand far.example': { authoritative_location: at },
    [`brand ${at}`]: toBrand('Far'),
    'brand near.example': toBrand('Near'),
  })
  const open = async (path: string) => {
    const page = load((await own.app.inject(path)).body)
    return [page('.title .badge').text(), page('#file p').first().text()]
  }
  const below = 'The raw file below is the domain’s own.'
  const says = (file: string) => [`From ${file}`, `This brand is described in ${file}. ${below}`]
  expect(await open('/brand/leaf.example')).toEqual(says('Group’s file'))
  expect(await open('/brand/far.example')).toEqual(says('the file it points to'))
  expect((await open('/brand/near.example'))[0]).toBe('From its own file')
  await own.publish()
  const list = load((await own.app.inject('/brands')).body)
  const options = list('select[name=source] option').toArray()
  expect(options.map(option => list(option).text())).toEqual(
    expect.arrayContaining([
      'From its own file (1)',
      'From its house’s file (1)',
      'From the file it points to (1)',
    ]),
  )
  const chips = ['far', 'leaf', 'near'].map(async name => {
    const found = load((await own.app.inject(`/search?q=${name}`)).body)
    return found('#brands .state').first().text()
  })
  const said = ['From the file it points to', 'From its house’s file', 'From its own file']
  expect(await Promise.all(chips)).toEqual(said)
  const states = list('.entries .state').toArray()
  expect(states.map(state => list(state).text())).toEqual(said)
  await own.close()
})

test('a page shows the type of a brand that its file states, and a list counts one without with the masters', async () => {
  const own = await openRegistry()
  const types = { plain: {}, head: { keller_type: 'master' }, part: { keller_type: 'sub_brand' } }
  const files = Object.entries(types).map(([id, stated]) => [
    `brand ${id}.example`,
    { id, names: [{ en: id }], ...stated },
  ])
  await publishFiles(own, Object.fromEntries(files))
  await own.publish()
  const open = async (path: string) => load((await own.app.inject(path)).body)
  expect((await open('/brand/part.example'))('#identity').text()).toContain('TypeSub-brand')
  for (const name of ['plain', 'head'])
    expect((await open(`/brand/${name}.example`))('#identity').text()).not.toContain('Type')
  const list = await open('/brands')
  expect(list('select[name=type]').text()).toContain('Master brand or not stated (2)')
  expect(list('.entries').text()).toContain('part.example · sub-brand')
  expect(list('.entries').text()).not.toMatch(/master|not stated/i)
  await own.close()
})

test('what a member keeps private about an agent is on no page', async () => {
  const own = await openRegistry()
  const url = 'https://hidden.agent.example/mcp'
  await enrol(own, {
    org: 'Hidden',
    tier: 'company_standard',
    domains: ['agent.example'],
    agents: [{ url, visibility: 'private', name: 'Secret name' }],
  })
  await own.observe({ kind: 'agent', location: url, outcome: 'timeout', took_ms: 5 } as never)
  await own.publish()
  const answer = await own.app.inject(`/agent/${encodeURIComponent(url)}`)
  expect(answer.statusCode).toBe(404)
  expect(answer.body).not.toContain('Secret name')
  await own.close()
})

test('an agent that a member has added has a page before its first check', async () => {
  const own = await openRegistry()
  const url = 'https://fresh.agent.example/mcp'
  await enrol(own, {
    org: 'Fresh',
    tier: 'company_standard',
    domains: ['agent.example'],
    agents: [{ url, visibility: 'public' }],
  })
  await own.publish()
  const answer = await own.app.inject(`/agent/${encodeURIComponent(url)}`)
  expect(answer.statusCode).toBe(200)
  expect(load(answer.body)('#health').text()).toContain('The first check follows within minutes.')
  await own.close()
})

describe('a page stays small', () => {
  test('with thousands of rows of the longest names', async () => {
    const own = await openRegistry()
    const name = '"'.repeat(5_000)
    const domain = `${'a'.repeat(60)}.${'b'.repeat(60)}.example`
    const sites = Array.from({ length: 2_000 }, (_, i) => `s${i}.${domain}`)
    const agents = Array.from(
      { length: 500 },
      (_, i) => `https://agent${i}.example/${'x'.repeat(500)}`,
    )
    await own.observe(
      observePublisherFile(domain, { sites, agents }),
      observeBrandFile(domain, name, { description: name, logos: [name], [name]: name }),
    )
    await own.publish()
    for (const path of [
      '/',
      `/brand/${domain}`,
      `/publisher/${domain}`,
      `/brand/${domain}/history`,
      `/publisher/${domain}/history`,
      `/publisher/${domain}/history?cursor=2400`,
      `/agent/${encodeURIComponent(agents[0]!)}`,
      `/authorization?${new URLSearchParams({ agent: agents[0]!, property: sites[0]! })}`,
      '/changes',
      '/crawl',
      '/search?q=aaaa',
      ...foundKinds.map(kind => `/search?q=aaaa&kind=${kind}`),
    ]) {
      const answer = await own.app.inject(path)
      expect([path.slice(0, 12), answer.statusCode]).toEqual([path.slice(0, 12), 200])
      expect(answer.rawPayload.length, path).toBeLessThanOrEqual(PAGE_BYTES)
    }
    const page = load((await own.app.inject(`/publisher/${domain}`)).body)
    const next = page('#properties a[rel="next"]').first().attr('href')!
    expect(load((await own.app.inject(next)).body)('#properties tbody tr').length).toBeGreaterThan(
      0,
    )
    await own.close()
  })
})

describe('files beside the pages', () => {
  test('200: style, script and icon are named by their hash and never change', async () => {
    const page = await read('/')
    const paths = ['link[rel=stylesheet]', 'link[rel=icon]', 'script[src]'].map(
      found => page(found).attr('href') ?? page(found).attr('src')!,
    )
    for (const path of paths) {
      const answer = await get(path)
      expect([answer.statusCode, answer.headers['cache-control']]).toEqual([
        200,
        'public, max-age=31536000, immutable',
      ])
    }
    expect((await get('/assets/pages/style.000.css')).statusCode).toBe(404)
    expect((await get('/assets/pages/..%2f..%2fpackage.json')).statusCode).toBe(404)
  })

  test('200: robots.txt leads to the sitemap, and the sitemap to every thing', async () => {
    expect((await get('/robots.txt')).body).toContain(
      'Sitemap: https://registry.example/sitemap.xml',
    )
    const index = await get('/sitemap.xml')
    const files = [...index.body.matchAll(/<loc>https:\/\/registry\.example([^<]+)/g)]
    expect(files.map(([, path]) => path)).toEqual([
      '/sitemaps/brands-1.xml',
      '/sitemaps/publishers-1.xml',
      '/sitemaps/agents-1.xml',
    ])
    const bodies = await Promise.all(files.map(async ([, path]) => (await get(path!)).body))
    expect(bodies.join()).toContain(`<loc>https://registry.example/brand/${BRAND}</loc>`)
    expect(bodies.join()).toContain(`<loc>https://registry.example/publisher/${PUBLISHER}</loc>`)
    const agent = encodeURIComponent(AGENT)
    expect(bodies.join()).toContain(`<loc>https://registry.example/agent/${agent}</loc>`)
    expect((await get('/sitemaps/brands-999999.xml')).body).not.toContain('<loc>')
    expect((await get('/sitemaps/secrets-1.xml')).statusCode).toBe(404)
  })
})
