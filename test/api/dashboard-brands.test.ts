import { randomUUID } from 'node:crypto'
import { load } from 'cheerio'
import { beforeAll, expect, test } from 'vitest'
import type { Domain } from '../../pipeline/core/domain.ts'
import { formatJson } from '../../pipeline/core/format-json.ts'
import { Operation } from '../../pipeline/model/submission.ts'
import {
  enterDashboard,
  openWithSignIn,
  publishPreviewed,
  sendForm,
  type TestBrowser,
} from '../support/clients/signing-in.ts'
import { observeBrandFile, observePublisherFile } from '../support/fixtures/documents.ts'
import {
  buildMemberOperations,
  enrol,
  proveOwnership,
  type TestMember,
} from '../support/registry/members.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { type LiveHost, openLiveWeb } from '../support/servers/live-web.ts'

const DOMAIN = 'boots.example'

const hosts: Record<string, LiveHost> = {}
const web = openForAll(() => openLiveWeb(hosts))
const registry = openForAll(() =>
  openWithSignIn({
    redis: web.redis.redis,
    settings: { BASE_URL: 'https://localhost' },
    writer: { requestLive: web.writer.requestLive },
  }),
)
let ann: TestBrowser
let acme: string

beforeAll(async () => {
  ann = await enterDashboard(registry, 'ann@boots.example')
  await sendForm(ann, '/dashboard/organizations', { name: 'Boots' })
  const page = load((await ann.get('/dashboard')).body)
  acme = page('tbody a').attr('href')!.split('/')[3]!
  const member: TestMember = { org: acme, tier: 'company_standard', domains: [DOMAIN] }
  await registry.submit(...buildMemberOperations(member))
})

const buildFile = (name: string) =>
  JSON.stringify({
    house: { domain: DOMAIN, name: 'Boots Group' },
    brands: [{ id: 'boots', names: [{ en: name }], keller_type: 'master' }],
  })

/** Carries a brand.json from the workshop to the dashboard, and publishes it there. */
async function publishFromWorkshop(name: string) {
  const handed = { kind: 'brand.json', domain: DOMAIN, text: buildFile(name) }
  const sameSite = { 'sec-fetch-site': 'same-origin' }
  const carried = await ann.post('/workshop', { ...handed, do: 'publish' }, sameSite)
  expect(carried.headers.location, carried.body).toBe(`/dashboard/publish?domain=${DOMAIN}`)
  const page = load((await ann.get('/dashboard/publish')).body)
  expect(page('textarea').text()).toBe(formatJson(handed.text))
  // The name is that of the file, whatever a form says.
  const form = { kind: 'brand.json', domain: DOMAIN, org: acme, brand_name: 'Another' }
  return publishPreviewed(ann, { ...form, text: page('textarea').text() })
}

/** Reads the hosted file as it is served to everybody. */
async function readHosted() {
  const answer = await registry.app.inject(`/brands/${DOMAIN}/brand.json`)
  return answer.json()
}

const readEntry = async () =>
  load((await ann.get(`/dashboard/org/${acme}/entries?domain=${DOMAIN}`)).body)

test('the example of another domain is not carried to the dashboard', async () => {
  const text = buildFile('acme.example')
  const sent = { kind: 'brand.json', domain: DOMAIN, text, do: 'publish' }
  const answer = await ann.post('/workshop', sent, { 'sec-fetch-site': 'same-origin' })
  expect(load(answer.body)('[role=alert]').text()).toContain('still the example of acme.example')
})

test('the review of a new file has the pointer that its domain will serve', async () => {
  const handed = { kind: 'brand.json', domain: DOMAIN, text: buildFile('Boots') }
  await ann.post('/workshop', { ...handed, do: 'publish' }, { 'sec-fetch-site': 'same-origin' })
  const page = load((await ann.get('/dashboard/publish')).body)
  expect(JSON.parse(page('#pointer pre').text())).toEqual({
    authoritative_location: `https://localhost/brands/${DOMAIN}/brand.json`,
  })
  expect(page('input[name=brand_name]')).toHaveLength(0)
})

test.each(['adagents.json', 'brand.json'])(
  'a new %s starts from an example with its domain',
  async kind => {
    const path = `/dashboard/org/${acme}/entries/edit?domain=${DOMAIN}&kind=${kind}`
    const page = load((await ann.get(path)).body)
    expect(page('main .lead').text()).toContain('This is an example.')
    const example = page('textarea').text()
    const names = example.match(/"Your \w+"/g)!
    const text = example.replace(/"Your \w+"/g, '"Boots"')
    const form = { org: acme, kind, domain: DOMAIN }
    for (const name of names) {
      const left = { ...form, text: text.replace('"Boots"', name) }
      const held = load((await sendForm(ann, '/dashboard/publish', left)).body)
      expect(held('[role=alert]').text()).toContain('is still that of the example.')
      expect(held('form.editor button').text()).toBe('Review')
    }
    const untouched = load(
      (await sendForm(ann, '/dashboard/publish', { ...form, text: example })).body,
    )('[role=alert]').text()
    for (const name of names) expect(untouched).toContain(`“${JSON.parse(name)}”`)
    const review = load((await sendForm(ann, '/dashboard/publish', { ...form, text })).body)
    expect(review('[role=alert]').text()).toBe('')
    expect(review('#left-out')).toHaveLength(0)
    expect(review('form.editor .row button').text()).toBe('Publish')
  },
)

test('a pointer is refused by the review, which asks for no name of a brand', async () => {
  const text = '{"house": "other.example"}'
  const form = { org: acme, kind: 'brand.json', domain: DOMAIN, text }
  const page = load((await sendForm(ann, '/dashboard/publish', form)).body)
  expect(page('[role=alert]').text()).toBe(
    `Only a brand or the house ${DOMAIN} with its brands can be hosted.`,
  )
  expect(page('form.editor button').text()).toBe('Review')
  expect(page('input[name=brand_name]')).toHaveLength(0)
})

test('a proof publishes no draft whose review its person has not asked to publish', async () => {
  const domain = 'unseen.example'
  const file = {
    authorized_agents: [],
    properties: [
      {
        property_type: 'website',
        name: 'Unseen',
        identifiers: [{ type: 'domain', value: domain }],
      },
    ],
  }
  const handed = { kind: 'adagents.json', domain, text: JSON.stringify(file), do: 'publish' }
  await ann.post('/workshop', handed, { 'sec-fetch-site': 'same-origin' })
  const back = '/dashboard/publish'
  const begun = load((await sendForm(ann, '/dashboard/verify', { org: acme, domain, back })).body)
  const sent = ['nonce', 'expires_at'].map(name => [name, begun(`input[name=${name}]`).val()])
  const { nonce } = Object.fromEntries(sent)
  hosts[domain] = { '/.well-known/proto-ownership.txt': nonce }
  const form = { ...Object.fromEntries(sent), org: acme, domain, back }
  const proven = await sendForm(ann, '/dashboard/verify/check', form)
  expect(proven.headers.location, proven.body).toBe(`${back}?done=proven`)
  const page = load((await ann.get(back)).body)
  expect(page('form.editor .row button').text()).toBe('Publish')
  const served = await registry.app.inject(`/publisher/${domain}/.well-known/adagents.json`)
  expect(served.statusCode).toBe(404)
})

test('a domain that is verified from the list of domains leads to the files that it can host', async () => {
  const domain = 'listed.example'
  const begun = load((await sendForm(ann, '/dashboard/verify', { org: acme, domain })).body)
  const nonce = String(begun('input[name=nonce]').val())
  hosts[domain] = { '/.well-known/proto-ownership.txt': nonce }
  const list = load((await ann.get(`/dashboard/org/${acme}/domains`)).body)
  const fields = list(`#pending tr:contains("${domain}") form`).first().serializeArray()
  const form = Object.fromEntries(fields.map(({ name, value }) => [name, value]))
  const proven = await sendForm(ann, '/dashboard/verify/check', form)
  const next = `/dashboard/org/${acme}/entries?domain=${domain}`
  expect(proven.headers.location, proven.body).toBe(`${next}&done=proven_open`)
  const page = load((await ann.get(next)).body)
  expect(
    page('main a.button')
      .toArray()
      .map(link => page(link).text()),
  ).toEqual(['Host an adagents.json', 'Host a brand.json'])
})

test('a draft that waits for its proof is published wherever the verification is finished', async () => {
  const domain = 'waits.example'
  const text = buildFile('Waits').replaceAll(DOMAIN, domain)
  const form = { org: acme, kind: 'brand.json', domain, text }
  const begun = load((await publishPreviewed(ann, form)).body)
  const nonce = String(begun('input[name=nonce]').val())
  hosts[domain] = { '/.well-known/proto-ownership.txt': nonce }
  const back = `/dashboard/org/${acme}/domains`
  const proven = await sendForm(ann, '/dashboard/verify/check', { org: acme, domain, back })
  expect(proven.headers.location, proven.body).toContain('done=verified_published')
  expect((await registry.app.inject(`/brands/${domain}/brand.json`)).statusCode).toBe(200)
})

test('a proof of a domain that serves both its files says what it is good for', async () => {
  const domain = 'serving.example'
  await registry.observe(
    observePublisherFile(domain, { sites: [domain], agents: [] }),
    observeBrandFile(domain, 'Serving'),
  )
  const begun = load((await sendForm(ann, '/dashboard/verify', { org: acme, domain })).body)
  const nonce = String(begun('input[name=nonce]').val())
  hosts[domain] = { '/.well-known/proto-ownership.txt': nonce }
  const proven = await sendForm(ann, '/dashboard/verify/check', { org: acme, domain })
  expect(proven.headers.location, proven.body).toContain('done=proven_serving')
  const page = load((await ann.get(String(proven.headers.location))).body)
  expect(page('main .notice.good').text()).toContain('You can check and watch them below')
  const links = page('main .actions a, #properties p a, #brand p a').toArray()
  expect(links.map(link => link.attribs.href)).toEqual([
    `/publisher/${domain}`,
    `/brand/${domain}`,
    `/workshop?domain=${domain}&kind=adagents.json`,
    `/workshop?domain=${domain}&kind=brand.json`,
  ])
  expect(page('form[action="/dashboard/watches"] input').attr('value')).toBe(domain)
})

test('a proof of a domain that another organization holds says what it is good for', async () => {
  const domain = 'theirs.example'
  await enrol(registry, { org: 'Theirs', domains: [domain] })
  const before = load((await ann.get(`/dashboard/org/${acme}/entries?domain=${domain}`)).body)
  expect(before('.notice').text()).toContain('Another organization has verified it')
  expect(before('main').text(), 'only who has verified it learns the name').not.toContain('Theirs')
  const begun = load((await sendForm(ann, '/dashboard/verify', { org: acme, domain })).body)
  expect(begun('.notice').text()).toContain(
    'Another organization holds theirs.example here, and will see that you have verified it too.',
  )
  const sent = ['nonce', 'expires_at'].map(name => [name, begun(`input[name=${name}]`).val()])
  const { nonce, expires_at } = Object.fromEntries(sent)
  hosts[domain] = { '/.well-known/proto-ownership.txt': nonce }
  const form = { org: acme, domain, nonce, expires_at }
  const proven = await sendForm(ann, '/dashboard/verify/check', form)
  expect(proven.headers.location, proven.body).toBe(
    `/dashboard/org/${acme}/entries?domain=${domain}&done=proven_only`,
  )
  const entry = load((await ann.get(`/dashboard/org/${acme}/entries?domain=${domain}`)).body)
  expect(entry('.notice').text()).toContain('Also verified by Theirs on ')
  const readRow = async () => {
    const page = load((await ann.get(`/dashboard/org/${acme}/domains`)).body)
    const row = page('tbody tr').filter((_, tr) => page(tr).text().includes(domain))
    return row.text()
  }
  expect(await readRow()).toContain('Also verified by Theirs on ')
  const asked = { domain, subject: domain }
  const ask = async () =>
    load((await sendForm(ann, `/dashboard/org/${acme}/domains/remove`, asked)).body)('.lead').text()
  expect(await ask()).not.toContain('Another organization')
  const file = {
    authorized_agents: [],
    properties: [
      {
        property_type: 'website',
        name: 'Theirs',
        identifiers: [{ type: 'domain', value: domain }],
      },
    ],
  }
  const hosted = { org: acme, kind: 'adagents.json', domain, text: JSON.stringify(file) }
  await publishPreviewed(ann, hosted)
  expect(await ask()).toContain('Another organization shares these files')
})

test('the holder of a domain sees that another organization has verified it', async () => {
  const domain = 'shared.example'
  await registry.submit(...buildMemberOperations({ org: acme, domains: [domain] }))
  const readRow = async () => {
    const page = load((await ann.get(`/dashboard/org/${acme}/domains`)).body)
    return page('tbody tr')
      .filter((_, row) => page(row).text().includes(domain))
      .text()
  }
  expect(await readRow()).not.toContain('Also verified')
  await enrol(registry, { org: 'Sharer' })
  await proveOwnership(registry, 'Sharer', domain)
  expect(await readRow()).toContain('Also verified by Sharer on ')
  await registry.submit({
    op: 'organization.domain.remove',
    org: 'Sharer',
    domain: domain as Domain,
  })
  await registry.reader.refresh()
  expect(await readRow()).not.toContain('Also verified')
})

test('who has just verified a domain again ends the verification of another organization', async () => {
  const domain = 'contested.example' as Domain
  await enrol(registry, { org: 'Intruder' })
  await proveOwnership(registry, 'Boots', domain)
  await proveOwnership(registry, 'Intruder', domain)
  const domains = `/dashboard/org/${acme}/domains`
  const readRow = async () => {
    const page = load((await ann.get(domains)).body)
    return page('tbody tr').filter((_, row) => page(row).text().includes(domain))
  }
  const form = { domain, subject: `of Intruder for ${domain}` }
  expect((await readRow()).find('form[action$=end-others]')).toHaveLength(1)
  const asked = await sendForm(ann, `${domains}/end-others`, form)
  expect(load(asked.body)('h1').text()).toContain('of Intruder for contested.example')
  registry.clock.tick(15 * 60_000)
  expect((await readRow()).text()).toContain('To end that verification, verify the domain again')
  const late = await sendForm(ann, `${domains}/end-others`, { ...form, sure: 'yes' })
  expect(load(late.body)('[role=alert]').text()).toContain('Verify contested.example again')
  await proveOwnership(registry, 'Boots', domain)
  const ended = await sendForm(ann, `${domains}/end-others`, { ...form, sure: 'yes' })
  expect(ended.headers.location).toBe(`${domains}?done=others_ended`)
  expect((await readRow()).text()).not.toContain('Also verified')
  await proveOwnership(registry, 'Intruder', domain)
  expect((await readRow()).text()).toContain('Also verified by Intruder')
})

test('a brand.json from the workshop is published with one form, and served from then on', async () => {
  const sent = await publishFromWorkshop('Boots')
  expect([sent.statusCode, sent.headers.location], sent.body).toEqual([
    303,
    `/dashboard/org/${acme}/entries?domain=${DOMAIN}&done=brand_published`,
  ])
  const shown = load((await ann.get(sent.headers.location!)).body)
  expect(shown('[role=status]').text()).toBe('The brand.json is now hosted at the URL below.')
  expect(await readHosted()).toMatchObject({ brands: [{ names: [{ en: 'Boots' }] }] })
  const resolved = await registry.app.inject(`/api/brands/resolve?domain=${DOMAIN}`)
  expect(resolved.json()).toMatchObject({ brand_name: 'Boots', source: 'community' })
})

/** Stores what the registry found about a brand by itself. */
async function findBrand(name: string): Promise<void> {
  const found = { op: 'brand.enrich', revision_id: randomUUID(), domain: 'theirs.example' }
  const enrichment = {
    provider: 'home_page',
    company: { name },
    manifest: { name, url: 'https://theirs.example/' },
  }
  const found_at = '2026-11-20T03:00:00Z'
  const [saved] = await registry.submit(Operation.parse({ ...found, found_at, enrichment }))
  expect(saved).not.toHaveProperty('refused')
}

test('the current version of a brand without a file is not offered to be restored', async () => {
  await findBrand('Theirs')
  const page = load((await ann.get(`/dashboard/org/${acme}/entries?domain=theirs.example`)).body)
  expect(page('#brand tbody tr')).toHaveLength(1)
  expect(page('#brand').text()).toContain('No brand.json is hosted here')
  expect(page('#brand td a, #brand form[action$=roll-back]')).toHaveLength(0)
})

test('an earlier version is offered to whoever verified the domain, and hosts no file where it has none', async () => {
  await findBrand('Theirs again')
  const eve = await enterDashboard(registry, 'eve@outside.example')
  await sendForm(eve, '/dashboard/organizations', { name: 'Outside' })
  const outside = load((await eve.get('/dashboard')).body)('tbody a')
    .attr('href')!
    .split('/')[3]!
  const readBrand = async (browser: TestBrowser, org: string) =>
    load((await browser.get(`/dashboard/org/${org}/entries?domain=theirs.example`)).body)('#brand')
  const offers = 'td a:contains("Restore")'
  expect((await readBrand(eve, outside)).find(offers)).toHaveLength(0)
  const path = (await readBrand(ann, acme)).find(offers).attr('href')!
  const version = load((await ann.get(path)).body)
  expect(version('form[action$=roll-back]')).toHaveLength(1)
  const form = { domain: 'theirs.example', kind: 'brand', to_revision: '1' }
  const restored = await sendForm(ann, `/dashboard/org/${acme}/entries/roll-back`, form)
  expect(restored.headers.location, restored.body).toContain('done=restored')
})

test('the entries of a domain lead to the workshop, for either file', async () => {
  const page = load((await ann.get(`/dashboard/org/${acme}/entries?domain=${DOMAIN}`)).body)
  const links = page('main a').toArray()
  const workshop = links.map(({ attribs }) => attribs.href!).filter(href => /workshop/.test(href))
  expect(workshop).toEqual([
    `/workshop?domain=${DOMAIN}&kind=adagents.json`,
    `/workshop?domain=${DOMAIN}&kind=brand.json`,
  ])
})

test('a rollback of a brand restores its earlier file as a new revision', async () => {
  await publishFromWorkshop('Boots Before')
  await publishFromWorkshop('Boots After')
  expect(await readHosted()).toMatchObject({ brands: [{ names: [{ en: 'Boots After' }] }] })
  const page = await readEntry()
  const revisions = page('#brand tbody tr').length
  expect(page('#brand tbody tr').first().text()).toContain('ann@boots.example')
  const version = load((await ann.get(page('#brand td a').first().attr('href')!)).body)
  expect(version('#change').text()).toMatch(/Boots After.*Boots Before/)
  const earlier = version('input[name=to_revision]').val() as string
  const form = { domain: DOMAIN, kind: 'brand', to_revision: earlier }
  const answer = await sendForm(ann, `/dashboard/org/${acme}/entries/roll-back`, form)
  expect(load(answer.body)('[role=alert]').text()).toBe('')
  expect(answer.headers.location).toContain('done=brand_rolled_back')
  expect(await readHosted()).toMatchObject({ brands: [{ names: [{ en: 'Boots Before' }] }] })
  expect((await readEntry())('#brand tbody tr')).toHaveLength(revisions + 1)
  const resolved = await registry.app.inject(`/api/brands/resolve?domain=${DOMAIN}`)
  expect(resolved.json().brand_name).toBe('Boots Before')
})

test('a hosted brand.json is edited under its name, and no longer hosted once that is confirmed', async () => {
  const [edit, stop] = (await readEntry())('#brand .actions a').toArray()
  const editor = load((await ann.get(edit!.attribs.href!)).body)
  expect(editor('input[name=brand_name]').val()).toBe('Boots Before')
  expect(JSON.parse(editor('textarea').text())).toMatchObject(await readHosted())
  const question = load((await ann.get(stop!.attribs.href!)).body)
  const path = question('main form.row').attr('action')!
  const answer = await sendForm(ann, path, { domain: DOMAIN, kind: 'brand.json' })
  expect(load(answer.body)('[role=alert]').text()).toBe('')
  expect(answer.headers.location).toContain('done=brand_withdrawn')
  expect((await registry.app.inject(`/brands/${DOMAIN}/brand.json`)).statusCode).toBe(404)
  expect((await readEntry())('#brand').text()).toContain('No brand.json is hosted here')
  const gone = load((await registry.app.inject(`/brand/${DOMAIN}`)).body)
  expect(gone('#history a[href$="/history"]').attr('href')).toBe(`/brand/${DOMAIN}/history`)
  expect(gone('#history .timeline li').length).toBeGreaterThan(1)
  expect(gone('.problem form[action="/dashboard/watches"] input').val()).toBe(DOMAIN)
  expect((await publishFromWorkshop('Boots')).headers.location).toContain('done=brand_published')
  const [current, withdrawn, before] = (await readEntry())('#brand tbody tr').toArray()
  const rows = [current, withdrawn, before].map(row => load(row!).text())
  expect(rows.map(row => row.includes('Restore'))).toEqual([false, false, true])
})

test('the pointer of a domain is checked on demand, with what is wrong in words', async () => {
  const text = JSON.stringify({
    authorized_agents: [],
    properties: [
      {
        property_id: 'site',
        property_type: 'website',
        name: 'Boots',
        identifiers: [{ type: 'domain', value: DOMAIN }],
        publisher_domain: DOMAIN,
      },
    ],
  })
  await publishPreviewed(ann, { kind: 'adagents.json', domain: DOMAIN, org: acme, text })
  const path = '/.well-known/adagents.json'
  const check = () =>
    sendForm(ann, `/dashboard/org/${acme}/entries/check-pointer`, { domain: DOMAIN })
  const pointer = JSON.parse((await readEntry())('#properties .next pre').first().text())
  for (const [served, fault] of [
    [{}, `${DOMAIN} serves no adagents.json (404).`],
    [{ [path]: { authorized_agents: [] } }, 'has no authoritative_location'],
    [
      { [path]: { authoritative_location: 'https://elsewhere.example/a.json' } },
      'doesn’t point here',
    ],
  ] as const) {
    web.hosts[DOMAIN] = served
    const page = load((await check()).body)
    expect(page('[role=alert]').text()).toContain(fault)
  }
  web.hosts[DOMAIN] = { [path]: pointer }
  const checked = await check()
  expect(checked.headers.location, load(checked.body)('[role=alert]').text()).toBe(
    `/dashboard/org/${acme}/entries?domain=${DOMAIN}&done=points_here`,
  )
})

test('the page of a brand says that its owner hosts it here, for as long as the domain is its', async () => {
  await publishFromWorkshop('Boots')
  const readBrand = async () => load((await registry.app.inject(`/brand/${DOMAIN}`)).body)
  const own = await readBrand()
  expect(own('h1').parent().text()).toContain('Hosted here by its owner')
  expect(own('main .notice a').attr('href')).toBe(`https://localhost/brands/${DOMAIN}/brand.json`)
  expect(own('main .notice code').text()).toBe(`https://${DOMAIN}/.well-known/brand.json`)
  expect(own('#house').text()).toContain('Unknown: the registry reads them only from')
  const removed = { op: 'organization.domain.remove', org: acme, domain: DOMAIN }
  await registry.submit(Operation.parse(removed))
  const left = await readBrand()
  expect(left('h1').parent().text()).toContain('Added by a member')
})
