import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { findKeyHolder } from '../../api/auth/principal.ts'
import { DAY, MINUTE } from '../../pipeline/core/clock.ts'
import type { Domain } from '../../pipeline/core/domain.ts'
import type { AdagentsDocument, BrandDocument } from '../../pipeline/model/documents/index.ts'
import { checkAdagents } from '../../pipeline/parse/check-adagents.ts'
import { loadSchema } from '../support/checks/schemas.ts'
import { observePublisherFile } from '../support/fixtures/documents.ts'
import type { TestRegistry } from '../support/registry/app.ts'
import { enrol } from '../support/registry/members.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { openLiveWeb } from '../support/servers/live-web.ts'

const FILE = '/.well-known/adagents.json'
const BASE = 'https://registry.example'

const web = openForAll(() => openLiveWeb({}))
let registry: TestRegistry
let acme: string
let rival: string
let acmeId: string

beforeAll(async () => {
  const many = { savesPerHour: 1_000, savesPerOrganizationHour: 1_000 }
  registry = await web.open({ ...many, savesPerOrganizationDay: 1_000 })
  acme = await enrol(registry, { org: 'Acme', domains: ['acme.example', 'other.example'] })
  for (const domain of ['acme.example', 'other.example'] as Domain[]) {
    const proof = { org: 'Acme', domain, proof: 'operator' } as const
    await registry.submit({ op: 'organization.domain.add', ...proof })
  }
  rival = await enrol(registry, { org: 'Rival', domains: ['rival.example'] })
  acmeId = findKeyHolder(registry.reader, acme)!.org_id!
})

beforeEach(() => web.forget())

function ask(method: 'GET' | 'POST', url: string, payload?: object, secret = acme) {
  return registry.send(method, url, { key: secret, payload })
}
const save = (publisher_domain: string, properties: object[], more = {}, secret = acme) =>
  ask('POST', '/api/properties/save', { publisher_domain, properties, ...more }, secret)
const askFile = (domain: string) => ask('GET', `/publisher/${domain}${FILE}`)
const claim = async (domain: string, secret = acme) =>
  ask('POST', `/api/properties/hosted/${domain}/claim`, undefined, secret)
const verifyOrigin = (domain: string, secret = acme) =>
  ask('POST', `/api/properties/hosted/${domain}/verify-origin`, undefined, secret)
const resolved = async (domain: string) =>
  (await ask('GET', `/api/properties/resolve?domain=${domain}`)).json()

/** Builds the observation of a file that only points to another. */
const pointer = (domain: string, authoritative_location: string) => ({
  kind: 'adagents.json' as const,
  location: domain,
  document: { variant: 'pointer', authoritative_location } as AdagentsDocument,
})

const site = { type: 'website', name: 'Acme' }

describe('a hosted file', () => {
  test('is served at once, valid, and says what was saved in the terms of the format', async () => {
    const shop = {
      type: 'mobile_app',
      name: 'Shop',
      id: 'shop',
      tags: ['retail', 'Not a tag'],
      identifiers: [{ type: 'ios_bundle', value: 'com.acme.shop' }],
    }
    const odd = {
      ...site,
      name: 'Elsewhere',
      identifiers: [{ type: 'domain', value: 'x.example' }],
    }
    const contact = { name: 'Ada', email: 'ada@acme.example' }
    await save('file.acme.example', [site, shop, odd, { type: 'teapot', name: 'Pot' }], { contact })
    const answer = await askFile('file.acme.example')
    expect(answer.statusCode).toBe(200)
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'content-type': 'application/json; charset=utf-8',
      etag: expect.any(String),
    })
    const file = answer.json()
    expect(file).toMatchObject({ contact, authorized_agents: [] })
    const owner = { publisher_domain: 'file.acme.example' }
    expect(file.properties).toEqual([
      {
        property_type: 'website',
        name: 'Acme',
        ...owner,
        identifiers: [{ type: 'domain', value: 'file.acme.example' }],
      },
      {
        property_type: 'mobile_app',
        name: 'Shop',
        property_id: 'shop',
        ...owner,
        identifiers: shop.identifiers,
        tags: ['retail'],
      },
    ])
    const now = registry.clock.now()
    const { document, faults } = checkAdagents(Buffer.from(answer.body), undefined, {
      now,
      maxFaults: 50,
    })
    expect(document?.variant).toBe('inline')
    expect(faults.filter(({ severity }) => severity === 'error')).toEqual([])
    // The published schema knows no file without an agent, which is what nobody is authorized by.
    const somebody = {
      url: 'https://agent.example/mcp',
      authorized_for: 'all',
      property_ids: ['shop'],
      authorization_type: 'property_ids',
    }
    const isSound = loadSchema('adagents.json')
    expect(
      isSound({ ...file, authorized_agents: [somebody] }),
      JSON.stringify(isSound.errors),
    ).toBe(true)
  })

  test('follows each save, and is absent while it would be empty', async () => {
    await save('empty.acme.example', [{ type: 'teapot', name: 'Pot' }])
    expect((await askFile('empty.acme.example')).statusCode).toBe(404)
    await save('empty.acme.example', [site])
    const first = await askFile('empty.acme.example')
    expect(first.json().properties).toHaveLength(1)
    await save('empty.acme.example', [{ ...site, name: 'New' }])
    const second = await askFile('empty.acme.example')
    expect(second.json().properties[0].name).toBe('New')
    expect(second.headers.etag).not.toBe(first.headers.etag)
    await save('empty.acme.example', [])
    expect((await askFile('empty.acme.example')).statusCode).toBe(404)
    expect((await askFile('nobody.example')).statusCode).toBe(404)
  })

  test('publishes no contact', async () => {
    await save('quiet.acme.example', [site], { contact: { name: 'Grace H', email: 'g@h.example' } })
    const rows = await registry.sequencer.index.all('select * from entries')
    expect(JSON.stringify(rows)).not.toContain('Grace')
  })
})

describe('a claim', () => {
  test('has an address with its own token, and requires an organization', async () => {
    const first = (await claim('shop.example')).json()
    const second = (await claim('shop.example')).json()
    expect(first).toMatchObject({ success: true, domain: 'shop.example' })
    const start = `${BASE}/publisher/shop.example${FILE}?proto_claim=`
    expect(first.authoritative_location.startsWith(start)).toBe(true)
    expect(first.authoritative_location.length - start.length).toBe(43)
    expect(second.authoritative_location).not.toBe(first.authoritative_location)
    expect((await claim('shop.example', 'sk_nobody')).statusCode).toBe(401)
    const empty = await registry.send('POST', '/api/properties/hosted/shop.example/claim', {
      key: acme,
      headers: { 'content-type': 'application/json' },
    })
    expect(empty.statusCode).toBe(200)
  })

  test('assigns a domain to the organization whose claim its pointer carries', async () => {
    const domain = 'claimed.example'
    const { authoritative_location } = (await claim(domain)).json()
    web.hosts[domain] = { [FILE]: { authoritative_location } }
    expect((await save(domain, [site])).statusCode).toBe(403)
    const verified = await verifyOrigin(domain, rival)
    expect(verified.json()).toEqual({
      verified: true,
      reason: 'authoritative_location_pointer',
      checked_at: expect.any(String),
    })
    expect((await save(domain, [site])).statusCode).toBe(200)
    const taken = await claim(domain, rival)
    expect([taken.statusCode, taken.json()]).toMatchObject([409, { locked_to_org_id: acmeId }])
    expect((await verifyOrigin(domain, rival)).json()).not.toHaveProperty('bound_org_id')
  })

  test('reports the binding only to its organization', async () => {
    const { authoritative_location } = (await claim('told.example')).json()
    web.hosts['told.example'] = { [FILE]: { authoritative_location } }
    expect((await verifyOrigin('told.example')).json()).toMatchObject({ bound_org_id: acmeId })
  })

  test('is not voided by the claim of another organization', async () => {
    const domain = 'wanted.example'
    const { authoritative_location } = (await claim(domain)).json()
    await claim(domain, rival)
    web.hosts[domain] = { [FILE]: { authoritative_location } }
    expect((await verifyOrigin(domain)).json()).toMatchObject({ bound_org_id: acmeId })
  })

  test('renews the proof while the pointer still carries it', async () => {
    const domain = 'lasting.example'
    const { authoritative_location } = (await claim(domain)).json()
    web.hosts[domain] = { [FILE]: { authoritative_location } }
    await verifyOrigin(domain)
    registry.clock.tick(91 * DAY)
    expect((await save(domain, [site])).statusCode).toBe(403)
    expect((await verifyOrigin(domain)).json()).toMatchObject({ bound_org_id: acmeId })
    expect((await save(domain, [site])).statusCode).toBe(200)
  })

  test('that is void leaves the domain without an owner', async () => {
    const domain = 'void.example'
    const { authoritative_location } = (await claim(domain)).json()
    await claim(domain)
    web.hosts[domain] = { [FILE]: { authoritative_location } }
    const verified = (await verifyOrigin(domain)).json()
    expect(verified).toMatchObject({ verified: true })
    expect(verified).not.toHaveProperty('bound_org_id')
    expect((await save(domain, [site])).statusCode).toBe(403)
  })

  test('expires when the domain points elsewhere, and a new one may be made', async () => {
    const domain = 'lapsed.example'
    const first = (await claim(domain)).json()
    web.hosts[domain] = { [FILE]: { authoritative_location: first.authoritative_location } }
    await verifyOrigin(domain)
    expect((await claim(domain, rival)).statusCode).toBe(409)
    delete web.hosts[domain]
    expect((await verifyOrigin(domain)).json()).toMatchObject({ reason: 'not_found' })
    const { authoritative_location } = (await claim(domain, rival)).json()
    web.hosts[domain] = { [FILE]: { authoritative_location } }
    expect((await verifyOrigin(domain, rival)).json()).toHaveProperty('bound_org_id')
    expect((await save(domain, [site], {}, rival)).statusCode).toBe(200)
    expect((await save(domain, [site])).statusCode).toBe(403)
  })

  test.each([
    [503, 'transient'],
    [403, 'transient'],
    [401, 'transient'],
    [405, 'transient'],
    [429, 'transient'],
    [200, 'invalid_json'],
  ])('survives a site that answers %i without the file', async (status, reason) => {
    const domain = `shaky${status}.example`
    const { authoritative_location } = (await claim(domain)).json()
    web.hosts[domain] = { [FILE]: { authoritative_location } }
    await verifyOrigin(domain)
    web.hosts[domain] = { [FILE]: ({ response }) => response.writeHead(status).end('<p>') }
    expect((await verifyOrigin(domain)).json()).toMatchObject({ verified: false, reason })
    expect((await claim(domain, rival)).statusCode).toBe(409)
  })

  test('proves nothing for another domain', async () => {
    const { authoritative_location } = (await claim('mine.example')).json()
    web.hosts['theirs.example'] = { [FILE]: { authoritative_location } }
    await claim('theirs.example')
    expect((await verifyOrigin('theirs.example')).json()).toMatchObject({
      verified: false,
      reason: 'authoritative_location_mismatch',
    })
    expect((await save('theirs.example', [site])).statusCode).toBe(403)
  })
})

describe('the result of a check comes with a reason', () => {
  test.each([
    ['not_found', undefined],
    ['invalid_json', '<html>'],
    [
      'no_authoritative_location',
      {
        authorized_agents: [],
        properties: [
          {
            property_type: 'website',
            name: 'x',
            identifiers: [{ type: 'domain', value: 'a.example' }],
          },
        ],
      },
    ],
    ['no_authoritative_location', { hello: 'world' }],
    ['authoritative_location_mismatch', { authoritative_location: 'https://x.example/a.json' }],
    [
      'authoritative_location_mismatch',
      { authoritative_location: `${BASE}/publisher/x.example${FILE}` },
    ],
    [
      'authoritative_location_pointer',
      { authoritative_location: `${BASE}/publisher/reason.example${FILE}` },
    ],
  ] as const)('%s', async (reason, said) => {
    await claim('reason.example')
    if (said === undefined) delete web.hosts['reason.example']
    else web.hosts['reason.example'] = { [FILE]: said as object }
    const answer = (await verifyOrigin('reason.example')).json()
    expect(answer).toMatchObject({ reason, verified: reason === 'authoritative_location_pointer' })
  })

  test('404: an unknown domain, never saved or claimed', async () => {
    expect((await verifyOrigin('nobody.example')).statusCode).toBe(404)
  })

  test('without an https address the registry says so to a domain that points to it', async () => {
    const plain = await web.open({}, { settings: { BASE_URL: 'http://registry.example:3000' } })
    const secret = await enrol(plain, { org: 'Plain', domains: ['reason.example'] })
    const send = (what: string) =>
      plain.send('POST', `/api/properties/hosted/reason.example/${what}`, { key: secret })
    const claimed = (await send('claim')).json()
    expect(claimed.instructions).toMatch(/https.*http:\/\/registry.example:3000.*BASE_URL/)
    web.hosts['reason.example'] = {}
    expect((await send('verify-origin')).json().reason).toBe('not_found')
    web.hosts['reason.example'] = {
      [FILE]: { authoritative_location: claimed.authoritative_location },
    }
    const verified = await send('verify-origin')
    expect([verified.statusCode, verified.json()]).toMatchObject([
      200,
      {
        verified: false,
        reason: 'authoritative_location_mismatch',
        detail: expect.stringMatching(/https.*http:\/\/registry.example:3000.*BASE_URL/),
      },
    ])
  })
})

describe('the publisher lookup of a hosted file', () => {
  const domain = 'looked.acme.example'
  const hosted = `${BASE}/publisher/${domain}${FILE}`
  const look = async () => (await ask('GET', `/api/registry/publisher?domain=${domain}`)).json()

  test('says that members entered it, and where the registry serves it', async () => {
    await save(domain, [site])
    const { files, hosting } = await look()
    expect(files.adagents_json).toEqual({
      status: 'community',
      expected_url: `https://${domain}${FILE}`,
      registry_url: hosted,
    })
    expect(hosting).toMatchObject({ mode: 'aao_hosted', hosted_url: hosted })
    expect(hosting).not.toHaveProperty('origin_verified_at')
    expect(hosting).not.toHaveProperty('origin_last_checked_at')
  })

  test('says since when the domain points there, and when that was last checked', async () => {
    const { authoritative_location } = (await claim(domain)).json()
    web.hosts[domain] = { [FILE]: { authoritative_location } }
    const first = (await verifyOrigin(domain)).json()
    expect(first).toMatchObject({ verified: true })
    expect((await look()).hosting).toMatchObject({
      origin_verified_at: first.checked_at,
      origin_last_checked_at: first.checked_at,
    })
    registry.clock.tick(MINUTE)
    const second = (await verifyOrigin(domain)).json()
    expect((await look()).hosting).toMatchObject({
      origin_verified_at: first.checked_at,
      origin_last_checked_at: second.checked_at,
    })
  })

  test('no longer says so once the domain stops pointing there', async () => {
    delete web.hosts[domain]
    const gone = (await verifyOrigin(domain)).json()
    expect(gone).toMatchObject({ verified: false })
    const { hosting } = await look()
    expect(hosting).toMatchObject({ mode: 'aao_hosted', origin_last_checked_at: gone.checked_at })
    expect(hosting).not.toHaveProperty('origin_verified_at')
  })

  test('reports an unusable file as invalid, whatever members entered', async () => {
    const bad = 'bad.acme.example'
    await save(bad, [{ type: 'podcast', name: 'Morning' }])
    await registry.observe({
      kind: 'adagents.json',
      location: bad,
      outcome: 'unusable',
      status: 200,
    })
    const { files } = (await ask('GET', `/api/registry/publisher?domain=${bad}`)).json()
    expect(files.adagents_json).toMatchObject({ status: 'invalid' })
    const silent = 'silent.acme.example'
    await save(silent, [{ type: 'podcast', name: 'Morning' }])
    await registry.observe({
      kind: 'adagents.json',
      location: silent,
      outcome: 'absent',
      status: 404,
    })
    const answer = (await ask('GET', `/api/registry/publisher?domain=${silent}`)).json()
    expect(answer.files.adagents_json).toMatchObject({ status: 'community' })
  })
})

describe('the state of a publisher that points to its hosted file', () => {
  const domain = 'pointing.acme.example' as Domain
  const place = `${BASE}/publisher/${domain}${FILE}?proto_claim=abc`

  test('is what the file says, with the same identities, and its changes are events', async () => {
    await save(domain, [site])
    const [answer] = (await resolved(domain)).properties
    expect(await resolved(domain)).toMatchObject({ source: 'hosted', verified: false })
    const before = (await ask('GET', `/api/registry/publisher?domain=${domain}`)).json()
    expect(before.hosting).toMatchObject({
      mode: 'aao_hosted',
      hosted_url: `${BASE}/publisher/${domain}${FILE}`,
    })
    await registry.observe(pointer(domain, place))
    const believed = await resolved(domain)
    expect(believed).toMatchObject({
      source: 'adagents_json',
      verified: true,
      authorized_agents: [],
    })
    expect(believed.properties[0]).toMatchObject({
      property_rid: answer.property_rid,
      status: 'active',
    })
    const looked = (await ask('GET', `/api/registry/publisher?domain=${domain}`)).json()
    expect(looked).toMatchObject({
      adagents_valid: true,
      discovery_method: 'authoritative_location',
      hosting: {
        mode: 'aao_hosted',
        hosted_url: `${BASE}/publisher/${domain}${FILE}`,
        resolved_url: `${BASE}/publisher/${domain}${FILE}`,
      },
    })
    const events = await registry.sequencer.index.all<{ event_type: string }>(
      `select event_type from events where payload->>'publisher_domain' = $domain
         or entity_id = $rid order by event_id`,
      { domain, rid: answer.property_rid },
    )
    expect(events.map(({ event_type }) => event_type)).toContain('property.created')
  })

  test('follows each save in the same commit, without a fetch', async () => {
    const before = registry.sequencer.seq
    const saved = await save(domain, [{ ...site, name: 'Renamed' }])
    expect(saved.json()).toMatchObject({ revision_number: 2 })
    expect(registry.sequencer.seq).toBe(before + 1)
    expect((await resolved(domain)).properties).toMatchObject([{ name: 'Renamed' }])
    const state = await registry.sequencer.index.all(
      `select location from crawl_state where location like '${BASE}%'`,
    )
    expect(state).toEqual([])
  })

  test('comes from the domain’s own file again once there is one', async () => {
    registry.clock.tick(MINUTE)
    await registry.observe(observePublisherFile(domain, { sites: [domain], agents: [] }))
    expect((await save(domain, [site])).statusCode).toBe(409)
    registry.clock.tick(MINUTE)
    await registry.observe(pointer(domain, place))
    expect((await save(domain, [site])).statusCode).toBe(200)
    expect((await resolved(domain)).properties).toMatchObject([{ name: 'Acme', status: 'active' }])
  })

  test('is empty once the entry is, whatever counted before the pointer', async () => {
    const old = 'once.acme.example' as Domain
    await registry.observe(
      observePublisherFile(old, { sites: [old], agents: ['https://agent.example/mcp'] }),
    )
    registry.clock.tick(MINUTE)
    const here = `${BASE}/publisher/${old}${FILE}`
    await registry.observe(pointer(old, here))
    expect((await resolved(old)).authorized_agents).toHaveLength(1)
    expect((await save(old, [site])).statusCode).toBe(200)
    expect((await resolved(old)).authorized_agents).toEqual([])
    expect((await save(old, [])).statusCode).toBe(200)
    const after = await resolved(old)
    expect(after).toMatchObject({ source: 'hosted', authorized_agents: [], properties: [] })
  })

  test('does not change when another domain points to that file', async () => {
    await registry.observe(pointer('thief.example', place))
    expect((await ask('GET', '/api/properties/resolve?domain=thief.example')).statusCode).toBe(404)
  })

  test('of a brand is the saved file', async () => {
    const brand_manifest = { description: 'Boots', colors: [{ hex: '#102030', type: 'primary' }] }
    const brand = { domain, brand_name: 'Acme Boots', brand_manifest }
    expect((await ask('POST', '/api/brands/save', brand)).statusCode).toBe(200)
    const address = `${BASE}/brands/${domain}/brand.json`
    const file = (await ask('GET', `/brands/${domain}/brand.json`)).json()
    expect(file).toMatchObject({
      house: { domain, name: 'Acme Boots' },
      brands: [{ id: 'acme_boots', description: 'Boots', colors: { primary: '#102030' } }],
    })
    const isSound = loadSchema('brand.json')
    expect(isSound(file), JSON.stringify(isSound.errors)).toBe(true)
    await registry.observe({
      kind: 'brand.json',
      location: domain,
      document: {
        variant: 'authoritative_location',
        authoritative_location: address,
      } as BrandDocument,
    })
    const read = async () => (await ask('GET', `/api/brands/resolve?domain=${domain}`)).json()
    expect(await read()).toMatchObject({ source: 'brand_json', brand_id: 'acme_boots' })
    const renamed = { ...brand, brand_name: 'Acme Shoes' }
    expect((await ask('POST', '/api/brands/save', renamed)).statusCode).toBe(200)
    expect(await read()).toMatchObject({ source: 'brand_json', brand_name: 'Acme Shoes' })
    expect((await ask('GET', `/brands/${domain}/brand.json`)).json().house.name).toBe('Acme Shoes')
  })
})

test('nothing is served for a domain that is taken down', async () => {
  const domain = 'gone.acme.example' as Domain
  await save(domain, [site])
  await ask('POST', '/api/brands/save', { domain, brand_name: 'Gone' })
  expect((await ask('GET', `/brands/${domain}/brand.json`)).statusCode).toBe(200)
  await registry.submit({ op: 'domain.takedown', domain })
  expect((await askFile(domain)).statusCode).toBe(404)
  expect((await ask('GET', `/brands/${domain}/brand.json`)).statusCode).toBe(404)
})

test('all stores agree, also after a restart', async () => {
  await registry.publish()
  expect(await registry.verify()).toEqual([])
  await registry.restart()
  expect(await registry.verify()).toEqual([])
})
