import { load } from 'cheerio'
import { beforeAll, describe, expect, test } from 'vitest'
import { dashboardPaths } from '../../api/dashboard/dashboard.ts'
import { Operation } from '../../pipeline/model/submission.ts'
import { listFaults, payloads } from '../support/checks/page-faults.ts'
import {
  BASE,
  buildAuthorizeUrl,
  createVerifier,
  enterDashboard,
  follow,
  openWithSignIn,
  register,
  sendForm,
  TestBrowser,
} from '../support/clients/signing-in.ts'
import { buildMirrorFile } from '../support/fixtures/mirrors.ts'
import { enrol } from '../support/registry/members.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { fillPages, pagePaths } from '../support/worlds/page-world.ts'

const limits = { clientRegistrationsPerHour: 1_000, signInLinksPerCallerHour: 1_000 }
const registry = openForAll(() => openWithSignIn({ limits }))
let member: TestBrowser
/** Pages of the signed-in person, and where forms of theirs are sent. */
let pages: string[]
let forms: string[]

const EVIL = 'https://evil.example/'
/** Names under which pages elsewhere take an address to lead on to. */
const returnNames =
  `next return return_to returnTo returnUrl redirect redirect_uri redirect_url url continue
  goto dest destination target callback back from referer ReturnUrl RelayState`.split(/\s+/)
const targets = [
  EVIL,
  '//evil.example/',
  '/\\evil.example/',
  'https:evil.example',
  '\t//evil.example',
]

beforeAll(async () => {
  await fillPages(registry)
  await enterWithOrganization('hostile.example', 'Hostile Media')
})

/** Signs a person in who founds an organization of this name. */
async function enterWithOrganization(domain: string, name: string): Promise<void> {
  member = await enterDashboard(registry, `ann@${domain}`)
  await sendForm(member, '/dashboard/organizations', { name })
  const { body } = await member.get('/dashboard')
  const org = load(body)('tbody a').attr('href')!.split('/')[3]!
  const fill = (wanted: string) =>
    dashboardPaths
      .filter(({ method }) => method === wanted)
      .map(({ path }) => path.replace(':org', org))
  pages = fill('GET')
  forms = fill('POST').filter(path => path !== '/dashboard/sign-out')
  expect([pages.length > 5, forms.length > 5]).toEqual([true, true])
}

async function submit(operation: object): Promise<void> {
  const [answer] = await registry.submit(Operation.parse(operation))
  if (!answer || 'refused' in answer) throw new Error(answer?.refused)
}

/** Submits one of everything that a moderator reviews, and saves a brand and properties, all of this text. */
async function propose(n: number, text: string): Promise<void> {
  // The page shows the latest first, and not all of them.
  registry.clock.tick({ minutes: 1 })
  const saved = `saved${n}.example`
  const key = await enrol(registry, {
    org: `${text.slice(0, 100)} ${n}`,
    tier: 'company_standard',
    domains: [saved],
  })
  const send = async (method: 'POST' | 'PUT', url: string, payload: object) => {
    const headers = { authorization: `Bearer ${key}` }
    const answer = await registry.app.inject({ method, url, headers, payload })
    expect([url, answer.statusCode < 300], answer.body).toEqual([url, true])
  }
  const manifest = { tagline: text, colors: { [text]: '#123456' }, [text]: [text] }
  await send('POST', '/api/policies/save', {
    policy_id: `hostile_${n}`,
    version: '1',
    category: 'standard',
    enforcement: 'must',
    name: text,
    description: text,
    policy: text,
    guidance: text,
    source_name: text,
  })
  await send('POST', '/api/registry/catalog/disputes', {
    dispute_type: 'property_data',
    subject_type: 'property',
    subject_value: `news${n}.example`,
    claim: text,
  })
  await send('POST', '/api/brands/discovered/community', {
    domain: `told${n}.example`,
    brand_name: text,
    brand_manifest: manifest,
  })
  const mirror = buildMirrorFile('show')
  const properties = mirror.properties.map(property => ({ ...property, name: text }))
  const collections = [{ collection_id: 'show', name: text }]
  await send('PUT', `/api/registry/mirrors/hostile${n}`, { ...mirror, properties, collections })
  const property = { type: 'website', name: text, tags: [text] }
  const brand = { domain: saved, brand_name: text, brand_manifest: manifest }
  await send('POST', '/api/brands/save', brand)
  await send('POST', '/api/properties/save', { publisher_domain: saved, properties: [property] })
}

/** Begins a sign-in in a browser of its own, and returns its page. */
async function beginSignIn() {
  const { client_id } = await register(registry)
  const browser = new TestBrowser(registry)
  const url = buildAuthorizeUrl({ client_id, code_challenge: createVerifier().challenge })
  return { browser, at: (await follow(browser, await browser.get(url))).at! }
}

/** Returns where an answer leads, if it leads anywhere. */
function readTarget(headers: Record<string, unknown>): string | undefined {
  return (headers.location as string) ?? /url=(.*)$/.exec(String(headers.refresh ?? ''))?.[1]
}

describe('no page leads elsewhere, whatever its address asks for', () => {
  const ask = (target: string) =>
    new URLSearchParams(Object.fromEntries(returnNames.map(name => [name, target])))

  test.each(targets)('to %j', async target => {
    const stranger = new TestBrowser(registry)
    const started = await beginSignIn()
    const asked: [TestBrowser, string][] = [
      ...[...pagePaths, '/workshop', '/sql', ...pages].map(
        path => [stranger, path] as [TestBrowser, string],
      ),
      ...pages.map(path => [member, path] as [TestBrowser, string]),
      [started.browser, started.at],
    ]
    for (const [browser, path] of asked) {
      const answer = await browser.get(`${path}${path.includes('?') ? '&' : '?'}${ask(target)}`)
      const led = new URL(readTarget(answer.headers) ?? '/', BASE)
      expect([path, led.origin]).toEqual([path, BASE])
      const links = load(answer.body)('a, form, link[rel=canonical]').toArray()
      const there = links.filter(({ attribs }) =>
        /^[\s\\/]*(?:https?:)?[\\/]*evil/i.test(attribs.href ?? attribs.action ?? ''),
      )
      expect([path, there.length]).toEqual([path, 0])
    }
  })

  test('nor whatever its form contains', async () => {
    for (const path of forms) {
      const form = Object.fromEntries(ask(EVIL))
      const answer = await sendForm(member, `${path}?${ask(EVIL)}`, form)
      const led = new URL(readTarget(answer.headers) ?? '/', BASE)
      expect([path, led.origin]).toEqual([path, BASE])
    }
  })
})

test('every page forbids frames and code of others, with one known exception', async () => {
  const started = await beginSignIn()
  const all: [TestBrowser, string][] = [
    ...[...pagePaths, '/workshop', '/sql', '/nowhere'].map(
      path => [new TestBrowser(registry), path] as [TestBrowser, string],
    ),
    ...pages.map(path => [member, path] as [TestBrowser, string]),
    [started.browser, started.at],
    [new TestBrowser(registry), started.at],
  ]
  const known: Record<string, string> = {
    '/sql': "script-src 'self' 'wasm-unsafe-eval'",
  }
  for (const [browser, path] of all) {
    const { headers, statusCode } = await browser.get(path)
    if (statusCode === 303) continue
    const policy = String(headers['content-security-policy'])
    expect([path, policy]).toEqual([path, expect.stringContaining("default-src 'none'")])
    expect([path, policy]).toEqual([path, expect.stringContaining("frame-ancestors 'none'")])
    expect([path, policy]).toEqual([path, expect.stringContaining("base-uri 'none'")])
    const weak = policy.split('; ').filter(rule => /unsafe|https?:|\*/.test(rule))
    expect([path, ...weak.filter(rule => rule !== known[path])]).toEqual([path])
  }
})

describe.each(payloads)('a member who writes %j', payload => {
  const shown = payload.replaceAll('\u202e', '\ufffd').slice(0, 60)

  beforeAll(() => enterWithOrganization(`p${payloads.indexOf(payload)}.example`, payload))

  test('in every field of every form runs and loads nothing on any page', async () => {
    const names = `name company_type label permission url type visibility domain method text entity
      revision nonce challenge grant id kind email role to_revision once`.split(/\s+/)
    const form = Object.fromEntries(names.map(name => [name, payload]))
    const variants = [
      form,
      { ...form, company_type: '', permission: '' },
      {
        ...form,
        company_type: '',
        type: 'sales',
        visibility: 'private',
        url: 'https://a.example/x',
      },
      { ...form, domain: 'acme.example', text: JSON.stringify({ name: payload, properties: [] }) },
    ]
    for (const path of forms) {
      for (const variant of variants) {
        const answer = await sendForm(member, path, variant)
        // No crawler runs here that would post the challenge of a webhook.
        const isUnsent = path.endsWith('/webhooks') && answer.statusCode === 503
        expect([path, isUnsent || answer.statusCode < 500]).toEqual([path, true])
        if (answer.statusCode !== 303)
          expect([path, listFaults(load(answer.body))]).toEqual([path, []])
      }
    }
    for (const path of pages) {
      for (const query of [{ done: payload }, form]) {
        const answer = await member.get(`${path}?${new URLSearchParams(query)}`)
        if (answer.statusCode === 303) continue
        expect([path, listFaults(load(answer.body))]).toEqual([path, []])
      }
    }
    for (const path of ['/dashboard', pages.find(path => path.endsWith('/keys'))!]) {
      expect(load((await member.get(path)).body)('tbody').text()).toContain(shown)
    }
  })

  test('in what waits for a moderator, or was saved, does so neither', async () => {
    const n = payloads.indexOf(payload)
    const moderator = await enterDashboard(registry, `mo${n}@registry.example`)
    const id = load((await moderator.get('/dashboard/access')).body)('main code')
      .first()
      .text()
    await submit({ op: 'role.grant', role: 'moderator', holder: 'user', id })
    await propose(n, payload)
    const queue = load((await moderator.get('/dashboard/reviews')).body)
    expect(listFaults(queue)).toEqual([])
    const reviews = queue('tbody a').toArray()
    expect(reviews.length).toBeGreaterThanOrEqual(4)
    let texts = ''
    for (const { attribs } of reviews) {
      const page = load((await moderator.get(attribs.href!)).body)
      expect([attribs.href, listFaults(page)]).toEqual([attribs.href, []])
      texts += page('main').text()
    }
    expect(texts).toContain(shown)
    const entries = pages.find(path => path.endsWith('/entries'))!
    const saved = load((await member.get(`${entries}?domain=saved${n}.example`)).body)
    expect(listFaults(saved)).toEqual([])
    expect(saved('#brand tbody tr, #properties tbody tr').length).toBeGreaterThanOrEqual(2)
  })

  test('in a file for the workshop, or in a question for /sql, does so neither', async () => {
    const document = JSON.stringify({ properties: [{ name: payload }], [payload]: payload })
    for (const text of [payload, document]) {
      const answer = await new TestBrowser(registry).post('/workshop', {
        text,
        kind: 'adagents.json',
      })
      expect([answer.statusCode, listFaults(load(answer.body))]).toEqual([200, []])
    }
    const sql = await new TestBrowser(registry).get(`/sql?${new URLSearchParams({ q: payload })}`)
    expect(listFaults(load(sql.body))).toEqual([])
  })

  test('as the name of an application does so neither, where its access is listed', async () => {
    const { client_id } = await register(registry, { client_name: payload })
    const url = buildAuthorizeUrl({ client_id, code_challenge: createVerifier().challenge })
    const consent = await follow(member, await member.get(url))
    expect(listFaults(load(consent.body))).toEqual([])
    expect(consent.body).toContain('<h1>Allow access</h1>')
    await member.post(`${consent.at}/consent`, {})
    const { body } = await member.get('/dashboard/access')
    expect(listFaults(load(body))).toEqual([])
    expect(load(body)('tbody').text()).toContain(shown)
  })
})
