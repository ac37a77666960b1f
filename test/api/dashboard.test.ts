import { randomBytes, randomUUID } from 'node:crypto'
import { type CheerioAPI, load } from 'cheerio'
import { beforeAll, describe, expect, test } from 'vitest'
import { dashboardPaths } from '../../api/dashboard/dashboard.ts'
import { API_ACCESS } from '../../api/dashboard/membership.tsx'
import { identityPaths } from '../../api/identity/endpoints.ts'
import { describePurpose, parseWayBack } from '../../api/identity/way-back.ts'
import { REDIS_PREFIX } from '../../jobs/redis.ts'
import { formatJson } from '../../pipeline/core/format-json.ts'
import type { Outcome } from '../../pipeline/core/outcomes.ts'
import type { FileKind } from '../../pipeline/model/observation.ts'
import { Operation } from '../../pipeline/model/submission.ts'
import {
  askToken,
  BASE,
  enterDashboard,
  follow,
  obtainTokens,
  openWithSignIn,
  publishPreviewed,
  signIn,
  TestBrowser,
} from '../support/clients/signing-in.ts'
import { observeBrandFile, observePublisherFile } from '../support/fixtures/documents.ts'
import { buildMirrorFile } from '../support/fixtures/mirrors.ts'
import { observeFile, observeOutcome } from '../support/fixtures/observations.ts'
import { startRedis } from '../support/processes/redis.ts'
import { proveOwnership } from '../support/registry/members.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { crawlDue } from '../support/worlds/crawling.ts'

const redis = openForAll(startRedis)
const registry = openForAll(() => openWithSignIn({ redis: redis.redis }))
let ann: TestBrowser
let bob: TestBrowser
/** Organizations of the two. */
let acme: string
let other: string

const SAME_SITE = { 'sec-fetch-site': 'same-origin' }

beforeAll(async () => {
  ann = await enterAs('ann@acme.example')
  bob = await enterAs('bob@other.example')
  acme = await found(ann, 'Acme')
  other = await found(bob, 'Other')
})

const enterAs = (email: string) => enterDashboard(registry, email)

/** Reads the token that the forms of a page carry. */
async function readToken(browser: TestBrowser, url = '/dashboard'): Promise<string> {
  return load((await browser.get(url)).body)('input[name=form_token]')
    .first()
    .val() as string
}

async function send(browser: TestBrowser, url: string, form: Record<string, string> = {}) {
  const form_token = await readToken(browser)
  return browser.post(url, { form_token, ...form }, SAME_SITE)
}

async function found(browser: TestBrowser, name: string): Promise<string> {
  const answer = await send(browser, '/dashboard/organizations', { name })
  expect(answer.statusCode).toBe(303)
  expect(answer.headers.location).toMatch(/^\/dashboard\/org\/[^/]+\/domains\?done=organization$/)
  const page = load((await browser.get('/dashboard')).body)
  expect(page('tbody').first().find('th').text()).toBe(name)
  return page('tbody a').attr('href')!.split('/')[3]!
}

const at = (org: string, path: string) => `/dashboard/org/${org}${path}`
const read = async (browser: TestBrowser, url: string) => load((await browser.get(url)).body)

/** Reads the fields of the form of a page that is sent to a path of Ann’s organization. */
function readFields(page: CheerioAPI, path: string): Record<string, string> {
  const fields = page(`form.panel[action="${at(acme, path)}"]`).serializeArray()
  return Object.fromEntries(fields.map(({ name, value }) => [name, value]))
}

/** Reads what changed in Ann’s organization and about what, the latest first. */
async function readAudit(): Promise<string[][]> {
  const page = await read(ann, at(acme, '/audit'))
  return page('tbody tr')
    .toArray()
    .map(row =>
      page(row)
        .find('th, td')
        .slice(0, 2)
        .toArray()
        .map(cell => page(cell).text()),
    )
}

test('who cannot create an organization is told how to join the one of their domain', async () => {
  const gil = await enterAs('gil@acme.example')
  const refused = await send(gil, '/dashboard/organizations', { name: 'Acme Two' })
  expect(refused.statusCode).toBe(400)
  const page = load(refused.body)
  expect(page('main').text()).toContain('Once an owner of Acme has invited gil@acme.example')
  expect(page('[role=alert]').text()).toContain(
    'already uses acme.example, the domain of your email address. Ask one of its owners to',
  )
  expect(page('form[action$="/organizations"] [name=workspace]')).toHaveLength(1)
  const form = { name: ' ', company_type: 'publisher' }
  const empty = load((await send(ann, '/dashboard/organizations', form)).body)
  expect(empty('#company-type option[selected]').val()).toBe('publisher')
})

test('the only owner of an organization is offered neither to leave nor another role', async () => {
  const page = await read(bob, at(other, '/people'))
  expect(page('tbody').first().text()).toContain('owner (sole owner)')
  expect(page('form[action$="/people/remove"], form[action$="/people/role"]')).toHaveLength(0)
})

test('pages say what this registry does not do, and what a form brings along', async () => {
  for (const [url, text] of [
    ['/dashboard/watches', 'its emails appear in its terminal'],
    ['/dashboard/passkeys', `this registry is at ${BASE}`],
    [
      at(other, '/agents'),
      'Adding its first agent makes an organization a member of this registry.',
    ],
    [at(other, '/agents'), API_ACCESS],
    [at(other, '/usage'), API_ACCESS],
    [at(other, '/domains'), 'Your email address'],
  ] as const)
    expect((await read(bob, url))('main').text()).toContain(text)
  expect((await read(bob, '/dashboard/crawl'))('.kicker').text()).toContain('Other')
})

test('pages of the dashboard and of the sign-in end like the public ones', async () => {
  const readFooter = (body: string) => load(body)('footer').html()
  const { body } = await registry.app.inject('/workshop')
  for (const path of ['/dashboard', '/dashboard/signed-out'])
    expect(readFooter((await ann.get(path)).body)).toBe(readFooter(body))
})

describe('the dashboard is for people who are signed in', () => {
  test('others are sent to the sign-in, without being asked for consent', async () => {
    const stranger = new TestBrowser(registry)
    const answer = await stranger.get(at(acme, '/keys'))
    expect([answer.statusCode, answer.headers.location]).toEqual([
      303,
      `/dashboard/sign-in?${new URLSearchParams({ to: at(acme, '/keys') })}`,
    ])
  })

  test('a forged or foreign cookie signs nobody in', async () => {
    const forger = new TestBrowser(registry)
    forger.setCookie('registry_session', ann.getCookie('registry_session')!)
    forger.setCookie('registry_session.sig', 'AAAAAAAAAAAAAAAAAAAAAAAAAAA')
    expect((await forger.get('/dashboard')).statusCode).toBe(303)
  })

  test('no page of it is cached, framed or run with foreign code', async () => {
    const { headers } = await ann.get(at(acme, '/keys'))
    expect(headers['cache-control']).toBe('no-store')
    expect(headers['x-frame-options']).toBe('DENY')
    expect(String(headers['content-security-policy'])).not.toMatch(/unsafe|https?:|\*|data:/)
  })

  test('signing out ends the session on the server', async () => {
    const browser = await enterAs('cleo@acme.example')
    const session = browser.getCookie('registry_session')!
    const signature = browser.getCookie('registry_session.sig')!
    const left = await send(browser, '/dashboard/sign-out')
    expect(left.headers.location).toBe('/dashboard/signed-out')
    expect((await read(browser, '/dashboard/signed-out'))('h1').text()).toBe('Signed out')
    browser.setCookie('registry_session', session)
    browser.setCookie('registry_session.sig', signature)
    expect((await browser.get('/dashboard')).headers.location).toBe('/dashboard/sign-in')
  })
})

test('every page that can be read answers a HEAD as it answers a GET', async () => {
  for (const { method, path } of [...identityPaths, ...dashboardPaths]) {
    if (method !== 'GET') continue
    const url = path.replace(/:\w+/, acme)
    const [get, head] = await Promise.all([
      registry.app.inject({ url }),
      registry.app.inject({ url, method: 'HEAD' }),
    ])
    expect([url, head.statusCode, head.body]).toEqual([url, get.statusCode, ''])
  }
})

test('no page ends in an error when its address lacks what it is about', async () => {
  for (const { method, path } of dashboardPaths) {
    if (method !== 'GET' || path.includes('sign')) continue
    const { statusCode } = await ann.get(path.replace(':org', acme))
    expect([path, statusCode < 500]).toEqual([path, true])
  }
})

test.each([
  ['/dashboard/organizations', '/dashboard'],
  ['/dashboard/verify/check?domain=acme.example', '/dashboard/verify'],
  ['/dashboard/org/ORG/people/invite', '/dashboard/org/ORG/people'],
  ['/dashboard/org/ORG/settings/delete', '/dashboard/org/ORG/settings'],
  ['/dashboard/org/ORG/member', '/dashboard/org/ORG'],
])('the target of a form that is opened, %s, leads to %s', async (target, page) => {
  const answer = await ann.get(target.replace('ORG', acme))
  expect([answer.statusCode, answer.headers.location]).toEqual([303, page.replace('ORG', acme)])
})

test('no target of a form ends in an error when it is opened', async () => {
  const readable = new Set(
    dashboardPaths.flatMap(({ method, path }) => (method === 'GET' ? path : [])),
  )
  const targets = dashboardPaths.filter(({ method }) => method === 'POST')
  expect(targets.filter(({ path }) => !readable.has(path))).toEqual([])
})

/** Counts what people submitted: domains that somebody looked up are added once a second. */
const countSubmitted = () => registry.submitted.filter(({ op }) => op !== 'domains.add').length

describe('every address of an organization is only for its members', () => {
  const ofOrganizations = dashboardPaths.filter(({ path }) => path.includes(':org'))

  test('such addresses exist', () => {
    expect(ofOrganizations.length).toBeGreaterThan(10)
  })

  test.each(ofOrganizations)('404: $method $path', async ({ method, path }) => {
    const url = path.replace(':org', acme)
    const before = countSubmitted()
    const answer = method === 'GET' ? await bob.get(url) : await send(bob, url, { name: 'x' })
    expect(answer.statusCode).toBe(404)
    expect(answer.body).not.toContain('Acme')
    expect(countSubmitted()).toBe(before)
  })

  test('a key of another organization is not revoked through one’s own', async () => {
    const made = await send(ann, at(acme, '/keys'), { name: 'ours' })
    expect(made.statusCode).toBe(201)
    const id = (await read(ann, at(acme, '/keys')))('input[name=id]').val() as string
    const answer = await send(bob, at(other, '/keys/revoke'), { id, sure: 'yes' })
    expect(answer.statusCode).toBe(400)
    expect((await read(ann, at(acme, '/keys')))('input[name=id]').val()).toBe(id)
  })
})

describe('people join an organization', () => {
  const invite = async (email: string, role: string) => {
    const answer = await send(ann, at(acme, '/people/invite'), { email, role })
    expect(answer.statusCode, answer.body).toBe(201)
    return new URL(String(load(answer.body)('#link').val()))
  }

  test('by a link that leads through the sign-in back to the invitation', async () => {
    const { pathname, search } = await invite('dora@acme.example', 'viewer')
    const dora = new TestBrowser(registry)
    const asked = await follow(dora, await dora.get(pathname + search))
    const lead = load(asked.body)('.lead').text()
    expect(lead).toContain('with the address that it was sent to: d…@acme.example.')
    await dora.post(`${asked.at}/link`, { email: 'dora@acme.example' })
    const link = new URL(registry.links.at(-1)!)
    const token = link.searchParams.get('token')!
    const last = await follow(dora, await dora.post(link.pathname, { token }))
    expect(new URL(last.at!, BASE).pathname + new URL(last.at!, BASE).search).toBe(
      pathname + search,
    )
    expect((await read(dora, pathname + search))('h1').text()).toBe('Join Acme')
    const form = { token: new URLSearchParams(search).get('token')! }
    const joined = await send(dora, pathname, form)
    expect(joined.headers.location).toBe(`${at(acme, '/people')}?done=joined_viewer`)
    const people = await read(dora, joined.headers.location!)
    expect(people('.notice').text()).toBe('You’re now a viewer of the organization.')
    expect(people('table').first().text()).toContain('dora@acme.example (you)')
    expect(people('form[action$="/invite"]')).toHaveLength(0)
    expect((await dora.get(pathname + search)).statusCode).toBe(404)
    const keys = await read(dora, at(acme, '/keys'))
    expect(keys('main form')).toHaveLength(0)
    expect(keys('main').text()).toContain('Only owners and admins of an organization create')
    const refused = await send(dora, at(acme, '/keys'), { name: 'x' })
    expect([refused.statusCode, load(refused.body)('.kicker + h1 + p').text()]).toEqual([
      403,
      'You can view Acme, but not change anything for it. An owner can give you another role.',
    ])
    const left = await send(dora, at(acme, '/people/remove'), {
      user_id: people('input[name=user_id]').first().val() as string,
      sure: 'yes',
    })
    expect(left.headers.location).toBe('/dashboard?done=left')
    expect((await dora.get(at(acme, '/people'))).statusCode).toBe(404)
  })

  test('or from the first page of their dashboard, which shows the invitation to nobody else', async () => {
    await invite('fay@acme.example', 'member')
    const fay = await enterAs('fay@acme.example')
    const shown = await read(fay, '/dashboard')
    expect(shown('.invitation').text()).toContain('Acme invites you to join as a member')
    const id = shown('.invitation input[name=id]').val() as string
    expect((await read(bob, '/dashboard'))('.invitation')).toHaveLength(0)
    expect((await send(bob, '/dashboard/join', { id })).statusCode).toBe(404)
    const joined = await send(fay, '/dashboard/join', { id })
    expect(joined.headers.location).toBe(`${at(acme, '/people')}?done=joined_member`)
    expect((await read(fay, '/dashboard'))('.invitation')).toHaveLength(0)
    expect((await send(fay, '/dashboard/join', { id })).statusCode).toBe(404)
  })

  test('and whoever opens the link with another account learns nothing but a hint whom it is for, and switches', async () => {
    const { pathname, search } = await invite('erik@acme.example', 'member')
    const hugo = await enterAs('hugo@other.example')
    const shown = await hugo.get(pathname + search)
    const page = load(shown.body)
    expect(shown.statusCode).toBe(403)
    expect(page('.notice').text()).toBe(
      'This invitation is for e…@acme.example. You’re signed in as hugo@other.example.',
    )
    expect(page('body').text()).not.toMatch(/erik|Acme\b/)
    const token = new URLSearchParams(search).get('token')!
    expect((await send(hugo, pathname, { token })).statusCode).toBe(403)
    const back = page('main input[name=back]').val() as string
    const left = await send(hugo, page('main form').attr('action')!, { back })
    expect(left.headers.location).toBe(
      `/dashboard/sign-in?${new URLSearchParams({ to: pathname + search })}`,
    )
    expect((await hugo.get('/dashboard')).headers.location).toBe('/dashboard/sign-in')
  })

  test('and the audit shows that to its members', async () => {
    const page = (await read(ann, at(acme, '/audit')))('main').text()
    for (const text of ['Invited a person', 'Accepted an invitation', 'Left the organization']) {
      expect(page).toContain(text)
    }
    expect(page).toContain('dora@acme.example')
  })

  test('and whom an invitation was for, also a revoked one, to those who see invitations', async () => {
    const again = { email: 'gil@acme.example', role: 'viewer' }
    const notes: string[] = []
    for (const _ of ['first', 'second']) {
      const { body } = await send(ann, at(acme, '/people/invite'), again)
      notes.push(load(body)('.notice').text())
    }
    expect(notes.map(text => text.includes('The earlier link for this address'))).toEqual([
      false,
      true,
    ])
    const people = await read(ann, at(acme, '/people'))
    const row = people('tr').filter((_, each) => people(each).text().includes('gil@acme.example'))
    const fields = row.find('form').serializeArray()
    const revoke = Object.fromEntries(fields.map(({ name, value }) => [name, value]))
    await send(ann, row.find('form').attr('action')!, { ...revoke, sure: 'yes' })
    expect((await readAudit()).slice(0, 2)).toEqual([
      ['Revoked an invitation', 'gil@acme.example'],
      ['Invited a person', 'gil@acme.example, viewer'],
    ])
    const fay = await enterAs('fay@acme.example')
    const theirs = (await read(fay, at(acme, '/audit')))('tbody').text()
    expect(theirs).toContain('Revoked an invitation')
    expect(theirs).not.toContain('gil@acme.example')
  })

  test('a sign-in leads to no other place than a page of the dashboard', async () => {
    const others = [
      'https://evil.example',
      '//evil.example',
      '/dashboard/join?token=x',
      '/dashboard/sign-out',
      '/dashboard/org/../../evil',
      '/dashboard/agents?url=x&y=z',
      '/dashboard/verify?domain=//evil.example',
      '/dashboard/publish\nx',
    ]
    for (const state of others) {
      const query = new URLSearchParams({ state })
      const { headers } = await new TestBrowser(registry).get(`/dashboard/signed-in?${query}`)
      expect(headers.location).toBe('/dashboard')
    }
  })
})

describe('no other site sends a form of the dashboard', () => {
  const forms = dashboardPaths.filter(({ method }) => method === 'POST')
  const fill = (path: string) => path.replace(':org', acme)

  test.each(forms)('403 without its token: $path', async ({ path }) => {
    const before = countSubmitted()
    for (const form of [{}, { form_token: 'x'.repeat(43) }]) {
      expect((await ann.post(fill(path), form, SAME_SITE)).statusCode).toBe(403)
    }
    expect(countSubmitted()).toBe(before)
  })

  test.each(forms)('403 from elsewhere, even with the token: $path', async ({ path }) => {
    const form_token = await readToken(ann)
    const before = countSubmitted()
    const foreign = [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }]
    for (const headers of foreign as Record<string, string>[]) {
      expect((await ann.post(fill(path), { form_token }, headers)).statusCode).toBe(403)
    }
    expect(countSubmitted()).toBe(before)
  })

  test('a token counts in its own session only', async () => {
    const form_token = await readToken(bob)
    const answer = await ann.post(at(acme, '/keys'), { form_token, name: 'x' }, SAME_SITE)
    expect(answer.statusCode).toBe(403)
  })
})

describe('a person manages', () => {
  test('keys: the secret is shown once, works, and ends when it is revoked', async () => {
    const made = load((await send(ann, at(acme, '/keys'), { name: 'Planner' })).body)
    const secret = made('#secret').val() as string
    const list = async () => (await read(ann, at(acme, '/keys'))).html()
    expect(await list()).toContain('Planner')
    expect(await list()).not.toContain(secret)
    const path = /^curl \S+?(\/api\/[^\s']+)[\s\S]*Bearer sk_/.exec(made('main pre').text())![1]!
    const ask = () => registry.send('GET', path, { key: secret })
    expect((await ask()).json()).toHaveProperty('has_more')
    const page = await read(ann, at(acme, '/keys'))
    const row = page('tbody tr').filter((_, each) => page(each).text().includes('Planner'))
    expect(row.find('td').eq(0).text()).toBe(`${secret.slice(0, 7)}…`)
    expect(row.find('td').eq(2).text()).toBe('ann@acme.example')
    const id = row.find('input[name=id]').val() as string
    const subject = row.find('input[name=subject]').val() as string
    const asked = await send(ann, at(acme, '/keys/revoke'), { id, subject })
    expect((await ask()).statusCode).toBe(200)
    const question = load(asked.body)
    expect(question('h1').text()).toBe(`Revoke Planner (${secret.slice(0, 7)}…)?`)
    const fields = question('main form.row').serializeArray()
    const sure = Object.fromEntries(fields.map(({ name, value }) => [name, value]))
    const revoked = await send(ann, question('main form.row').attr('action')!, sure)
    expect(revoked.headers.location).toBe(`${at(acme, '/keys')}?done=revoked`)
    expect((await ask()).statusCode).toBe(401)
    expect((await readAudit())[0]).toEqual(['Revoked a key', 'Planner'])
  })

  test.each([
    ['keys', '/keys', { name: 'Once' }, { name: 'Twice' }],
    ['invitations', '/people/invite', { email: 'once@acme.example', role: 'member' }, {}],
  ])(
    '%s: the answer to a form that is reloaded creates no other one',
    async (_, path, form, other) => {
      const section = at(acme, `/${path.split('/')[1]}`)
      const { once } = readFields(await read(ann, section), path)
      const first = load((await send(ann, at(acme, path), { ...form, once: once! })).body)
      expect(first('input.secret')).toHaveLength(1)
      const before = (await read(ann, section))('tbody tr').length
      const again = await send(ann, at(acme, path), { ...form, ...other, once: once! })
      const page = load(again.body)
      expect([again.statusCode, page('[role=alert]').text(), page('input.secret').length]).toEqual([
        400,
        'This form was already sent, and what it created is shown only once. To create another, send it again.',
        0,
      ])
      expect((await read(ann, section))('tbody tr').length).toBe(before)
      const fields = { ...form, ...other, ...readFields(page, path) }
      expect((await send(ann, at(acme, path), fields)).statusCode).toBe(201)
    },
  )

  test('keys: no two have the same name, so that it is clear which one to revoke', async () => {
    for (const [name, status] of [
      ['Plugin', 201],
      [' Plugin ', 400],
      ['Plugin 2', 201],
    ] as const) {
      const answer = await send(ann, at(acme, '/keys'), { name })
      expect([name, answer.statusCode]).toEqual([name, status])
    }
  })

  test('the address of an organization alone leads to its first page', async () => {
    const answer = await ann.get(at(acme, ''))
    expect([answer.statusCode, answer.headers.location]).toEqual([303, at(acme, '/domains')])
  })

  test('a form of an ended session leads to the sign-in', async () => {
    const answer = await registry.send('POST', '/dashboard/publish', {
      headers: { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'text=%7B%7D',
    })
    const page = load(answer.body)
    expect([answer.statusCode, page('main a').first().text()]).toEqual([403, 'Sign in'])
  })

  test('what the API refuses is shown on the page as a sentence with what was entered', async () => {
    const answer = await send(ann, at(acme, '/keys'), { name: ' ' })
    expect(answer.statusCode).toBe(400)
    expect(load(answer.body)('[role=alert]').text()).toBe('Enter a name.')
    const crawl = await send(ann, '/dashboard/crawl', { domain: 'not a domain!' })
    expect(load(crawl.body)('[role=alert]').text()).toBe(
      '“not a domain!” isn’t a valid domain. Enter a domain such as acme.example.',
    )
  })

  test.each([
    ['/keys', 'name', { name: ' ' }],
    ['/domains', 'domain', { domain: 'not a domain!' }],
    ['/people/invite', 'email', { email: 'nobody', role: 'member' }],
    ['/agents', 'url', { url: 'no url', type: 'sales', visibility: 'private' }],
    ['/settings', 'name', { name: ' ' }],
    ['/webhooks', 'url', { url: 'http://acme.example/x' }],
    ['/webhooks', 'about', { url: 'https://acme.example/x', about: 'acme.example banana' }],
    ['/dashboard/crawl', 'domain', { domain: 'not a domain!' }],
    ['/dashboard/verify', 'domain', { domain: 'not a domain!' }],
    ['/dashboard/organizations', 'name', { name: ' ' }],
    ['/dashboard/publish', 'domain', { kind: 'adagents.json', text: '{}', domain: '' }],
  ])(
    'a form of %s that is refused because of a field says so beside it: %s',
    async (path, name, form) => {
      const url = path.startsWith('/dashboard') ? path : at(acme, path)
      const org = path === '/dashboard/verify' ? { org: acme } : {}
      const page = load((await send(ann, url, { ...org, ...form } as Record<string, string>)).body)
      const field = page('[aria-invalid]')
      const described = String(field.attr('aria-describedby')).split(' ')
      expect([field.attr('name'), field.val(), field.is('[autofocus]')]).toEqual([
        name,
        (form as Record<string, string>)[name],
        true,
      ])
      expect([page('[role=alert]').length, described]).toEqual([
        1,
        expect.arrayContaining([page('[role=alert]').attr('id')]),
      ])
    },
  )

  test('what was done is said below the heading of the page', async () => {
    const page = load((await ann.get(`${at(acme, '/keys')}?done=revoked`)).body)
    expect(page('h1 + .notice.good').text()).toContain('Key revoked')
  })

  test('agents and who sees them', async () => {
    const url = 'https://sales.acme.example/mcp'
    const enrolled = await send(ann, '/dashboard/agents', {
      org: acme,
      url,
      type: 'sales',
      visibility: 'private',
    })
    expect(enrolled.headers.location).toBe(`${at(acme, '/agents')}?done=enrolled`)
    const page = await read(ann, at(acme, '/agents?done=enrolled'))
    expect(page('[role=status]').text()).toBe(
      'Agent added. Its first test starts within a few minutes.',
    )
    expect(page('tbody th').text()).toContain('sales.acme.example')
    const isOffered = page('select[name=visibility] option[value=public]')
      .map((_, option) => page(option).attr('disabled') === undefined)
      .get()
    expect(isOffered).toEqual([false, false])
    expect(page('.hint').text()).toContain(API_ACCESS)
    const forged = await send(ann, at(acme, '/agents/visibility'), { url, visibility: 'public' })
    expect(forged.statusCode).toBe(400)
    expect(load(forged.body)('[role=alert]').text()).toBe(API_ACCESS)
    const other = { org: acme, url: `${url}/2`, type: 'sales', visibility: 'public' }
    expect((await send(ann, '/dashboard/agents', other)).statusCode).toBe(400)
    const unchanged = await read(ann, at(acme, '/agents'))
    expect(unchanged('tbody option[selected]').text()).toBe('Your organization')
    const wider = { url, visibility: 'members_only' }
    const changed = await send(ann, at(acme, '/agents/visibility'), wider)
    expect(changed.headers.location).toBe(`${at(acme, '/agents')}?done=changed`)
    expect((await send(ann, at(acme, '/agents/remove'), { url, sure: 'yes' })).statusCode).toBe(303)
    expect((await read(ann, at(acme, '/agents')))('tbody tr')).toHaveLength(0)
    expect((await readAudit()).slice(0, 3)).toEqual([
      ['Removed an agent', url],
      ['Changed an agent', `${url}, members on a higher tier`],
      ['Added an agent, which made the organization a member', `${url}, your organization`],
    ])
    const plain = { url: 'http://plain.acme.example/mcp', type: 'sales', visibility: 'private' }
    const added = await send(ann, '/dashboard/agents', { org: acme, ...plain })
    expect(added.headers.location).toBe(`${at(acme, '/agents')}?done=enrolled_http`)
    await send(ann, at(acme, '/agents/remove'), { url: plain.url, sure: 'yes' })
  })

  test('and sees what was used of each limit, and what is left', async () => {
    const page = await read(ann, at(acme, '/usage'))
    const row = page('tbody tr').filter((_, each) =>
      page(each).text().startsWith('Saves per person or key per hour'),
    )
    expect(
      row
        .find('td, th')
        .map((_, cell) => page(cell).text())
        .get()
        .slice(1),
    ).toEqual(['0 of 60', '60', 'you', '–'])
    expect(page('main').text()).toContain('Membership: Basic (free).')
    expect(page('[aria-label=Dashboard] [aria-current=page]').text()).toBe('Usage')
    const { headers } = await ann.get('/dashboard/usage')
    expect(headers.location).toBe(at(acme, '/usage'))
  })

  test('the person who acts is named in the submission, not the page', async () => {
    await send(ann, at(acme, '/keys'), { name: 'Audited' })
    const [created] = registry.submitted.filter(({ op }) => op === 'key.create').slice(-1)
    expect(created).toMatchObject({ op: 'key.create', label: 'Audited', org: acme })
  })

  test('applications that act for them, and ends their access', async () => {
    const { refresh_token, client_id } = await obtainTokens(registry, 'ann@acme.example')
    const page = await read(ann, '/dashboard/access')
    expect(page('tbody th').text()).toBe('Planner')
    const grant = page('input[name=grant]').val() as string
    const theirs = await send(bob, '/dashboard/access/end', { grant })
    expect(theirs.statusCode).toBe(404)
    expect((await send(ann, '/dashboard/access/end', { grant })).statusCode).toBe(303)
    const again = { grant_type: 'refresh_token', refresh_token, client_id }
    expect((await askToken(registry, again)).status).toBe(400)
    expect((await read(ann, '/dashboard/access'))('tbody tr')).toHaveLength(0)
  })
})

describe('reviews', () => {
  let moderator: TestBrowser
  let key: string

  beforeAll(async () => {
    moderator = await enterAs('mo@registry.example')
    key = await registry.createKey('Proposers')
    const id = (await read(moderator, '/dashboard/access'))('main code').first().text()
    await registry.submit({ op: 'role.grant', role: 'moderator', holder: 'user', id })
  })

  async function propose(platform: string, ...collections: string[]): Promise<string> {
    const answer = await registry.send('PUT', `/api/registry/mirrors/${platform}`, {
      key,
      payload: buildMirrorFile(...collections),
    })
    expect([answer.statusCode, answer.body]).toEqual([202, expect.any(String)])
    return `/dashboard/reviews/${answer.json().proposal_id}`
  }

  async function decide(place: string, form: Record<string, string>) {
    const page = await read(moderator, place)
    const digest = String(page('input[name=digest]').val())
    return send(moderator, place, { digest, ...form })
  }

  test('do not exist for others, who find no link to them', async () => {
    const place = await propose('stillness', 'songs')
    expect((await read(ann, '/dashboard'))('a[href="/dashboard/reviews"]')).toHaveLength(0)
    for (const url of ['/dashboard/reviews', place]) {
      const answer = await ann.get(url)
      expect(answer.statusCode).toBe(404)
      expect(answer.body).not.toMatch(/stillness|Proposers/)
    }
    const before = countSubmitted()
    const answer = await send(ann, place, { decision: 'approve', digest: '0'.repeat(64) })
    expect([answer.statusCode, countSubmitted()]).toEqual([404, before])
  })

  test('show moderators what is waiting and what it would change, and publish it', async () => {
    const first = await propose('radio', 'songs')
    const queue = await read(moderator, '/dashboard/reviews')
    expect(queue(`a[href="${first}"]`).text()).toBe('radio')
    expect((await read(moderator, first))('#difference').text()).toContain('A new mirror')
    expect((await decide(first, { decision: 'approve' })).headers.location).toBe(
      '/dashboard/reviews?done=approved',
    )
    const second = await propose('radio', 'songs', 'news')
    const difference = (await read(moderator, second))('#difference')
    expect(difference.text()).toContain('collections.news')
    expect(difference.text()).not.toContain('collections.songs')
    await decide(second, { decision: 'approve' })
    const mirror = await registry.app.inject('/api/registry/mirrors/radio')
    expect(mirror.json().adagents_json.collections).toHaveLength(2)
    expect((await read(moderator, second))('form[class=panel]')).toHaveLength(0)
  })

  test('are rejected with a reason that the organization can read', async () => {
    const place = await propose('cinema', 'films')
    const refused = await decide(place, { decision: 'reject', notes: ' ' })
    expect([refused.statusCode, refused.body]).toEqual([
      400,
      expect.stringContaining('A rejection needs a reason'),
    ])
    await decide(place, { decision: 'reject', notes: 'Not your <platform>.' })
    const answer = await registry.send(
      'GET',
      `/api/registry/mirror-proposals/${place.split('/').at(-1)}`,
      { key },
    )
    expect(answer.json().proposal).toMatchObject({
      status: 'rejected',
      review_notes: 'Not your <platform>.',
    })
    expect((await moderator.get(place)).body).toContain('Not your &lt;platform&gt;.')
  })

  test('cannot be decided for a version that has been replaced', async () => {
    const place = await propose('press', 'papers')
    const answer = await decide(place, { decision: 'approve', digest: '0'.repeat(64) })
    expect(answer.statusCode).toBe(400)
    expect((await registry.app.inject('/api/registry/mirrors/press')).statusCode).toBe(404)
  })
})

const buildFile = (name: string, domain = 'handed.example') =>
  JSON.stringify({
    authorized_agents: [],
    properties: [
      {
        property_id: 'site',
        property_type: 'website',
        name,
        identifiers: [{ type: 'domain', value: domain }],
        publisher_domain: domain,
      },
    ],
  })

/** A file of which hosting would serve nothing. */
const AGENTS_ONLY = JSON.stringify({
  authorized_agents: [
    {
      url: 'https://agent.example/mcp',
      authorized_for: 'Display',
      authorization_type: 'publisher_properties',
      publisher_properties: [{ selection_type: 'all', publisher_domain: 'handed.example' }],
    },
  ],
})

/** Names of the properties in the file that the registry serves for a domain. */
async function readHosted(domain: string): Promise<string[]> {
  const answer = await registry.app.inject(`/publisher/${domain}/.well-known/adagents.json`)
  return answer.json().properties.map(({ name }: { name: string }) => name)
}

describe('a file of the workshop', () => {
  const handed = { kind: 'adagents.json', domain: 'handed.example', text: buildFile('Handed on') }
  const carry = (browser: TestBrowser, site = 'same-origin') =>
    browser.post('/workshop', { ...handed, do: 'publish' }, { 'sec-fetch-site': site })

  beforeAll(async () => {
    const domain = { domain: 'handed.example', proof: 'operator' as const }
    await registry.submit({ op: 'organization.domain.add', org: acme, ...domain } as never)
  })

  test('waits through a sign-in, and is published by one form', async () => {
    const browser = new TestBrowser(registry)
    const carried = await carry(browser)
    const path = '/dashboard/publish?domain=handed.example'
    expect([carried.statusCode, carried.headers.location]).toEqual([303, path])
    expect(parseWayBack(path)).toBe(path)
    expect(String(carried.headers['set-cookie'])).toMatch(/HttpOnly; SameSite=Lax/)
    const led = await signIn(registry, browser, '/dashboard/publish', 'ann@acme.example')
    expect(new URL(led, BASE).pathname).toBe('/dashboard/publish')
    const page = await read(browser, '/dashboard/publish')
    expect(page('textarea').text()).toBe(formatJson(handed.text))
    expect(page('#domain').val()).toBe('handed.example')
    const form = { kind: 'adagents.json', domain: 'handed.example', org: acme }
    const sent = await publishPreviewed(browser, { ...form, text: handed.text })
    expect(sent.headers.location).toContain('done=published')
    expect(await readHosted('handed.example')).toEqual(['Handed on'])
  })

  test('is visible to no other browser, and to nobody after an hour', async () => {
    const browser = await enterAs('ann@acme.example')
    await carry(browser)
    expect((await ann.get('/dashboard/publish')).statusCode).toBe(404)
    const id = browser.getCookie('registry_draft')!
    const seconds = await redis.redis.ttl(`${REDIS_PREFIX}:draft:file:${id}`)
    expect(seconds).toBeGreaterThan(0)
    expect(seconds).toBeLessThanOrEqual(3_600)
    await redis.redis.del(`${REDIS_PREFIX}:draft:file:${id}`)
    expect((await browser.get('/dashboard/publish')).statusCode).toBe(404)
  })

  test('stays with nobody who signs out', async () => {
    const browser = await enterAs('ida@leaving.example')
    await carry(browser)
    expect((await browser.get('/dashboard/publish')).statusCode).toBe(200)
    await send(browser, '/dashboard/sign-out')
    expect(browser.getCookie('registry_draft')).toBeFalsy()
  })

  test('is discarded by who brought it', async () => {
    const browser = await enterAs('dan@discarding.example')
    await carry(browser)
    const page = await read(browser, '/dashboard')
    const form = page('form:contains("Discard")')
    const fields = form.serializeArray().map(({ name, value }) => [name, value])
    const sent = await send(browser, form.attr('action')!, Object.fromEntries(fields))
    expect(sent.headers.location).toBe('/dashboard?done=draft_discarded')
    expect((await browser.get('/dashboard/publish')).statusCode).toBe(404)
  })

  test('is not deleted by another caller who sends more than there is room for', async () => {
    const browser = await enterAs('ann@acme.example')
    await carry(browser)
    // Drafts are compressed, so what fills them is random.
    const filler = () => randomBytes(600 * 1024).toString('base64')
    const text = () => JSON.stringify({ ...JSON.parse(handed.text), ext: { filler: filler() } })
    for (let posts = 0; posts < 45; posts++) {
      const answer = await registry.send('POST', '/workshop', {
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'sec-fetch-site': 'same-origin',
        },
        payload: new URLSearchParams({ ...handed, text: text(), do: 'publish' }).toString(),
        remoteAddress: '192.0.2.66',
      })
      expect(answer.statusCode).toBe(303)
    }
    const bytes = Number(await redis.redis.hget(`${REDIS_PREFIX}:drafts:size`, 'total'))
    expect(bytes).toBeGreaterThan(30 * 1024 * 1024)
    expect(bytes).toBeLessThanOrEqual(32 * 1024 * 1024)
    expect((await read(browser, '/dashboard/publish'))('textarea').text()).toBe(
      formatJson(handed.text),
    )
  })

  test.each([
    ['without a domain', { domain: '' }, 'Enter your domain'],
    ['with a fault', { text: '{"authorized_agents": [}' }, 'Fix 1 error first'],
    ['that is empty', { text: '' }, 'Paste or upload the file'],
    ['that only authorizes agents', { text: AGENTS_ONLY }, 'Nothing in this file can be hosted'],
  ])('%s stays in the workshop', async (_, form, words) => {
    const browser = new TestBrowser(registry)
    const sent = await browser.post('/workshop', { ...handed, ...form, do: 'publish' }, SAME_SITE)
    const page = load(sent.body)
    expect(page('[role=alert]').text()).toContain(words)
    // A browser scrolls to it, and past the problem.
    expect(page('#verdict')).toHaveLength(0)
    expect(page('#domain[aria-invalid]')).toHaveLength('domain' in form ? 1 : 0)
    expect(browser.getCookie('registry_draft')).toBeUndefined()
  })

  test('in another encoding stays in the workshop', async () => {
    const form = new FormData()
    const file = new File([Buffer.from(buildFile('Zürich'), 'latin1')], 'adagents.json')
    for (const [name, value] of Object.entries({ ...handed, file, do: 'publish' }))
      form.append(name, value)
    const request = new Request('http://registry', { method: 'POST', body: form })
    const answer = await registry.send('POST', '/workshop', {
      headers: { 'content-type': request.headers.get('content-type')!, ...SAME_SITE },
      payload: Buffer.from(await request.arrayBuffer()),
    })
    expect(load(answer.body)('[role=alert]').text()).toContain('Save the file as UTF-8')
  })

  test('cannot be planted by another site', async () => {
    const browser = new TestBrowser(registry)
    expect((await carry(browser, 'cross-site')).statusCode).toBe(403)
    expect(browser.getCookie('registry_draft')).toBeUndefined()
  })

  test('with a fault is shown with its lines, and cannot be published for a foreign organization', async () => {
    const form = { kind: 'adagents.json', domain: 'handed.example', org: acme }
    const faulty = await publishPreviewed(ann, { ...form, text: '{"a": ' })
    expect([faulty.statusCode, faulty.body]).toEqual([
      400,
      expect.stringContaining('This file has 1 error. Fix it to continue.'),
    ])
    const foreign = { ...form, org: other, text: buildFile('Not theirs') }
    expect((await publishPreviewed(ann, foreign)).statusCode).toBe(400)
    expect(await readHosted('handed.example')).toEqual(['Handed on'])
  })

  const foreign = {
    property_type: 'mobile_app',
    name: 'App',
    identifiers: [{ type: 'ios_bundle', value: 'example.other' }],
    publisher_domain: 'other.example',
  }
  test.each([
    ['only authorizes agents', AGENTS_ONLY],
    ['lists properties of others', { authorized_agents: [], properties: [foreign] }],
    ['points to another one', { authoritative_location: 'https://other.example/a.json' }],
  ])('that %s is not offered to be hosted', async (_, file) => {
    const text = typeof file === 'string' ? file : JSON.stringify(file)
    const form = { kind: 'adagents.json', domain: 'handed.example', text }
    const page = load((await new TestBrowser(registry).post('/workshop', form)).body)
    expect(page('button[value=publish]')).toHaveLength(0)
    expect(page('.editor .hint').text()).toContain('https://handed.example/.well-known/adagents')
  })

  test('that would serve nothing creates no organization', async () => {
    const browser = await enterAs('new@vain.example')
    const form = { kind: 'adagents.json', domain: 'vain.example', text: AGENTS_ONLY }
    const sent = await publishPreviewed(browser, { ...form, organization_name: 'Vain' })
    expect(load(sent.body)('[role=alert]').text()).toContain('Nothing in this file can be hosted')
    expect((await read(browser, '/dashboard'))('body').text()).not.toContain('Vain')
  })

  test('is published for an organization that the same form creates, once its domain is verified', async () => {
    const browser = await enterAs('new@fresh.example')
    const domain = 'larkspur.example'
    const file = { ...handed, domain, text: buildFile('Handed on', domain) }
    await browser.post('/workshop', { ...file, do: 'publish' }, SAME_SITE)
    expect((await read(browser, '/dashboard'))('main .notice p').text()).toBe(
      `Your draft adagents.json for ${domain} isn’t published yet: continue.`,
    )
    const page = await read(browser, '/dashboard/publish')
    expect(page('#organization_name').val()).toBe('fresh.example')
    const form = { kind: file.kind, domain: file.domain, text: buildFile('Edited', file.domain) }
    const asked = await publishPreviewed(browser, { ...form, organization_name: 'Fresh' })
    const proof = load(asked.body)
    expect([asked.statusCode, proof('h1').text()]).toEqual([201, 'Verify larkspur.example'])
    expect(proof('input[name=back]').val()).toBe('/dashboard/publish')
    const org = proof('input[name=org]').val() as string
    const added = { op: 'organization.domain.add', org, domain: file.domain, proof: 'operator' }
    await registry.submit(added as never)
    expect((await read(browser, '/dashboard/publish'))('textarea').text()).toBe(form.text)
    const sent = await publishPreviewed(browser, { ...form, org })
    expect(sent.headers.location).toContain('done=published')
    expect(await readHosted(file.domain)).toEqual(['Edited'])
  })
})

describe('a person without an organization', () => {
  const addAgent = (browser: TestBrowser, form: Record<string, string>) =>
    send(browser, '/dashboard/agents', { type: 'sales', visibility: 'private', ...form })

  test('adds an agent, and the form creates the organization', async () => {
    const browser = await enterAs('first@first.example')
    const url = 'https://sales.first.example/mcp'
    const page = await read(browser, `/dashboard/agents?${new URLSearchParams({ url })}`)
    expect(page('#url').val()).toBe(url)
    const added = await addAgent(browser, { url, organization_name: 'First' })
    expect(added.headers.location).toMatch(/^\/dashboard\/org\/[\w-]+\/agents\?done=enrolled$/)
    expect((await read(browser, '/dashboard'))('tbody').first().find('th').text()).toBe('First')
  })

  test('is told that a name is taken, and nothing else happens', async () => {
    const browser = await enterAs('late@late.example')
    const url = 'https://sales.late.example/mcp'
    const refused = await addAgent(browser, { url, organization_name: 'Acme' })
    const page = load(refused.body)
    expect([refused.statusCode, page('[role=alert]').text()]).toEqual([
      400,
      expect.stringContaining('already exists'),
    ])
    expect(page('#url').val()).toBe(url)
    expect((await read(browser, '/dashboard'))('tbody tr')).toHaveLength(0)
  })

  test('with an address at a provider of free mail gets a personal one', async () => {
    const browser = await enterAs('someone@gmail.com')
    expect((await read(browser, '/dashboard/verify'))('#organization_name').val()).toBe('')
    const form = { organization_name: 'Someone', domain: 'someone.example' }
    const begun = await send(browser, '/dashboard/verify', form)
    expect([begun.statusCode, load(begun.body)('h1').text()]).toEqual([
      201,
      'Verify someone.example',
    ])
    const [created] = registry.submitted.filter(({ op }) => op === 'organization.found').slice(-1)
    expect(created).toMatchObject({ name: 'Someone', is_personal: true })
  })
})

test.each([
  ['verify', { domain: 'kept.example' }],
  ['agents', { url: 'https://sales.kept.example/mcp', type: 'sales', visibility: 'private' }],
  [
    'publish',
    { domain: 'kept.example', kind: 'adagents.json', text: buildFile('Kept', 'kept.example') },
  ],
])(
  'whose mailbox is at a domain of others goes on from %s with a workspace',
  async (page, about) => {
    const nat = await enterAs(`${page}@acme.example`)
    const sendOn = (form: Record<string, string>) =>
      page === 'publish' ? publishPreviewed(nat, form) : send(nat, `/dashboard/${page}`, form)
    const form = { ...about, organization_name: `Nat, ${page}` }
    const refused = load((await sendOn(form)).body)
    expect(refused('[role=alert]').text()).toContain('uses acme.example, the domain of your email')
    const typed = Object.keys(form).map(name => refused(`main [name=${name}]`).val())
    expect(typed).toEqual(Object.values(form))
    const workspace = String(refused('main [name=workspace]').val())
    const { statusCode } = await sendOn({ ...form, workspace })
    expect(statusCode).toBe(page === 'agents' ? 303 : 201)
    const own = await read(nat, '/dashboard')
    expect(own('tbody').first().text()).toContain(`Nat, ${page}`)
    const org = own('tbody a').attr('href')!.split('/')[3]!
    const pending = await send(nat, '/dashboard/verify', { org, domain: 'kept.example' })
    expect(pending.statusCode).toBe(201)
  },
)

test('an agent on a foreign host leads to the proof of its domain, and back to the agent', async () => {
  const url = 'https://ads.elsewhere.example/mcp'
  const form = { org: acme, url, type: 'sales', visibility: 'private' }
  const page = load((await send(ann, '/dashboard/agents', form)).body)
  const proof = page('form[action="/dashboard/verify"]')
  expect(proof.find('button').text()).toBe('Verify elsewhere.example')
  const sent = Object.fromEntries(
    proof.serializeArray().map(({ name, value }) => [name, value] as [string, string]),
  )
  const begun = load((await send(ann, '/dashboard/verify', sent)).body)
  expect(begun('input[name=back]').val()).toBe(`/dashboard/agents?${new URLSearchParams({ url })}`)
  // The agent may be one that a publisher wants to sell for them.
  expect(page('form.panel .hint').first().text()).toContain('name it in your adagents.json instead')
})

test('a proof that was started stays in the list of domains until its token expires', async () => {
  const domain = 'awaited.example'
  const begun = load((await send(ann, '/dashboard/verify', { org: acme, domain })).body)
  const nonce = String(begun('input[name=nonce]').val())
  const pending = await read(ann, at(acme, '/domains'))
  const row = pending(`#pending tr:contains("${domain}")`)
  expect(row.find('th').text()).toBe(domain)
  expect(row.text()).toContain(`_proto-owner.${domain}`)
  expect(row.html()).not.toContain(nonce)
  expect(
    row
      .find('button')
      .toArray()
      .map(button => pending(button).text()),
  ).toEqual(['Verify now', 'Get a new token', 'Cancel'])
  expect((await read(bob, at(other, '/domains')))('#pending')).toHaveLength(0)
  const late = await send(bob, '/dashboard/verify/check', { org: other, domain })
  expect(load(late.body)('[role=alert]').text()).toBe('The token has expired. Get a new one.')
  registry.clock.tick(16 * 60_000)
  const later = await read(ann, at(acme, '/domains'))
  expect(later('#pending')).toHaveLength(0)
  const expired = later(`#expired tr:contains("${domain}")`)
  const again = expired.find('form').attr('action')!
  expect(expired.find('button').text()).toBe('Get a new token')
  expect((await send(ann, again, { domain, org: acme })).statusCode).toBe(201)
  expect((await read(ann, at(acme, '/domains')))('#expired').text()).not.toContain(domain)
  registry.clock.tick(16 * 60_000 + 24 * 3_600_000)
  expect((await read(ann, at(acme, '/domains')))('#expired')).toHaveLength(0)
})

test('a pending verification is canceled, and its token counts no longer', async () => {
  const form = { org: acme, domain: 'unwanted.example' }
  await send(ann, '/dashboard/verify', form)
  const sent = await send(ann, at(acme, '/domains/cancel'), form)
  expect(sent.headers.location).toBe(at(acme, '/domains?done=proof_canceled'))
  expect((await read(ann, at(acme, '/domains')))('#pending').text()).not.toContain(form.domain)
  const late = await send(ann, '/dashboard/verify/check', form)
  expect(load(late.body)('[role=alert]').text()).toBe('The token has expired. Get a new one.')
  const again = await send(ann, at(acme, '/domains/cancel'), form)
  expect(load(again.body)('[role=alert]').text()).toBe(
    'No verification of unwanted.example is pending.',
  )
})

test('a verified domain is removed once its person knows what stays: its hosted files', async () => {
  const domain = 'leaving.example'
  const added = { op: 'organization.domain.add', org: acme, domain, proof: 'http' }
  await registry.submit(added as never)
  const ask = async () => {
    const answer = await send(ann, at(acme, '/domains/remove'), { domain, subject: domain })
    const page = load(answer.body)
    return [page('h1').text(), page('main .lead').text()]
  }
  expect(await ask()).toEqual([
    `Remove ${domain}?`,
    expect.stringContaining('To host files for this domain later'),
  ])
  const settings = await read(ann, at(acme, '/settings'))
  const first = settings('#delete .notice')
  expect(first.text()).toMatch(/^Remove these first: .*domain/)
  expect(first.find('a').first().attr('href')).toBe(at(acme, '/domains'))
  expect(settings('#delete form')).toHaveLength(0)
  await publishPreviewed(ann, { org: acme, domain, text: buildFile('Stays', domain) })
  expect((await ask())[1]).toContain('Its hosted files stay online')
  expect((await read(ann, `/publisher/${domain}`))('main').text()).toContain('’s owner hosts')
  const sent = await send(ann, at(acme, '/domains/remove'), { domain, sure: 'yes' })
  expect(sent.headers.location).toBe(at(acme, '/domains?done=domain_removed'))
  expect((await read(ann, at(acme, '/domains')))('main').text()).not.toContain(domain)
  expect(await readHosted(domain)).toEqual(['Stays'])
  const shown = (await read(ann, `/publisher/${domain}`))('main .notice').text()
  expect(shown).toContain('is no longer the verified owner of the domain.')
  expect(shown).not.toContain('’s owner hosts')
  const refused = await send(ann, at(acme, '/entries/stop'), { domain, kind: 'adagents.json' })
  expect(load(refused.body)('main').text()).toMatch(new RegExp(`verify ${domain}`, 'i'))
  const audit = await read(ann, at(acme, '/audit'))
  expect(audit(`tr:contains("Removed a domain"):contains("${domain}")`)).toHaveLength(1)
  const former = await read(ann, at(acme, '/entries'))
  const row = former(`tr:contains("${domain}")`)
  expect(row.text()).toContain('No longer verified')
  expect(row.find('form').attr('action')).toBe('/dashboard/verify')
  const files = await read(ann, `${at(acme, '/entries')}?domain=${domain}`)
  const verify = files('.notice:contains("has to verify") form')
  expect(verify.attr('action')).toBe('/dashboard/verify')
  expect(verify.find('[name=domain]').val()).toBe(domain)
  expect(files('main a.button')).toHaveLength(0)
  expect(files('#properties .actions').text()).toBe('Check the hosted file')
  await registry.submit(added as never)
  const gone = { domain, sure: 'yes', stop: 'yes' }
  expect((await send(ann, at(acme, '/domains/remove'), gone)).statusCode).toBe(303)
  const url = `/publisher/${domain}/.well-known/adagents.json`
  expect((await registry.app.inject(url)).statusCode).toBe(404)
  expect((await read(ann, at(acme, '/entries')))('main').text()).not.toContain(domain)
})

test('an organization is told that another one has verified the domain of its mailbox', async () => {
  const domain = 'mailed.example'
  const fay = await enterAs(`fay@${domain}`)
  const org = await found(fay, 'Mailed')
  const readPage = () => read(fay, at(org, '/domains'))
  expect((await readPage())('tbody').text()).toContain(domain)
  await proveOwnership(registry, 'Acme', domain)
  const page = await readPage()
  expect(page('main .notice').text()).toContain(`Another organization has verified ${domain}`)
  expect(page('tbody')).toHaveLength(0)
  await proveOwnership(registry, 'Mailed', domain)
  expect((await readPage())('main .notice')).toHaveLength(0)
})

test('an organization becomes a member once its person has read what that means', async () => {
  const carl = await enterAs('carl@joining.example')
  const org = await found(carl, 'Joining')
  const path = at(org, '/member')
  expect((await read(carl, '/dashboard'))(`form[action="${path}"]`)).toHaveLength(1)
  const question = load((await send(carl, path)).body)
  expect(question('h1').text()).toBe('Become a member?')
  expect(question('.lead').text()).toContain('nothing about it is shown publicly')
  expect(question('.lead').text()).toContain('You can’t undo this')
  const sent = await send(carl, path, { sure: 'yes' })
  expect(sent.headers.location).toBe('/dashboard?done=member')
  expect((await read(carl, '/dashboard'))('form[action$="/member"]')).toHaveLength(0)
  expect((await send(carl, path, { sure: 'yes' })).statusCode).toBe(400)
})

test.each([
  [undefined, ''],
  ['/dashboard/publish?domain=acme.example', 'host your file for acme.example. Your draft is kept'],
  ['/dashboard/publish', 'host your file. Your draft is kept'],
  ['/dashboard/verify?domain=acme.example', 'verify acme.example'],
  ['/dashboard/crawl?domain=acme.example', 'crawl acme.example'],
  ['/dashboard/agents?url=https%3A%2F%2Fa.example', 'add an agent'],
  ['/dashboard/watches?brand=acme.example', 'watch acme.example'],
  ['/dashboard/watches', ''],
  [
    `/dashboard/join?token=${'a'.repeat(43)}`,
    'accept your invitation, with the address that it was sent to',
  ],
])('the sign-in for %s is to %s', (path, purpose) => {
  expect(path === undefined ? path : parseWayBack(path)).toBe(path)
  expect(describePurpose(path)).toBe(purpose)
})

test('the page on which a domain is verified leads its owner to its files', async () => {
  const owner = await ann.get('/dashboard/verify?domain=handed.example')
  expect(owner.headers.location).toBe(at(acme, '/entries?domain=handed.example'))
  expect((await bob.get('/dashboard/verify?domain=handed.example')).statusCode).toBe(200)
})

test('a rollback brings the earlier content back into what the registry answers', async () => {
  const publish = (name: string) =>
    publishPreviewed(ann, { org: acme, domain: 'handed.example', text: buildFile(name) })
  await publish('Before')
  await publish('After')
  expect(await readHosted('handed.example')).toEqual(['After'])
  const page = await read(ann, at(acme, '/entries?domain=handed.example'))
  expect(page('#properties tbody tr').first().find('td').eq(1).text()).toMatch(/^Acmeann@/)
  const version = page('#properties tbody tr').eq(1).find('th a').attr('href')!
  expect(page('#properties tbody tr').eq(1).find('td a').attr('href')).toBe(version)
  const shown = await read(ann, version)
  expect(JSON.parse(shown('#file pre').text())).toMatchObject({
    authorized_agents: [],
    properties: [{ name: 'Before' }],
  })
  expect(shown('#change').text()).toMatch(/After.*Before/)
  const current = page('#properties tbody tr').eq(0).find('th a').attr('href')!
  const now = await read(ann, current)
  expect(now('main .lead').text()).toContain('This is what is served now.')
  expect(now('#change, input[name=to_revision]')).toHaveLength(0)
  const earlier = shown('input[name=to_revision]').val() as string
  const form = { domain: 'handed.example', kind: 'property', to_revision: earlier }
  const answer = await send(ann, at(acme, '/entries/roll-back'), form)
  expect(load(answer.body)('[role=alert]').text()).toBe('')
  expect(answer.headers.location).toContain('done=rolled_back')
  expect(await readHosted('handed.example')).toEqual(['Before'])
  const { properties } = (
    await registry.app.inject('/api/properties/resolve?domain=handed.example')
  ).json()
  expect(properties.map(({ name }: { name: string }) => name)).toEqual(['Before'])
})

test('a hosted file is edited from what is served, and no longer hosted once that is confirmed', async () => {
  const domain = 'handed.example'
  const file = { org: acme, domain, text: buildFile('Kept a while') }
  await publishPreviewed(ann, file)
  const entry = await read(ann, at(acme, `/entries?domain=${domain}`))
  const links = entry('#properties .actions a').toArray()
  const checked = entry('#properties .actions a').last()
  expect(checked.text()).toBe('Check the hosted file')
  const workshop = load((await registry.app.inject(checked.attr('href')!)).body)
  expect(workshop('main').text()).toContain(`adagents.json of ${domain} as it is hosted here`)
  const [edit, stop] = links.map(({ attribs }) => attribs.href!) as [string, string]
  const editor = await read(ann, edit)
  expect(JSON.parse(editor('textarea').text()).properties).toMatchObject([{ name: 'Kept a while' }])
  const question = await read(ann, stop)
  expect(question('h1').text()).toBe(`Stop hosting the adagents.json of ${domain}?`)
  expect(question('main').text()).toContain('You can restore any version later')
  const asked = { domain, kind: 'adagents.json' }
  const path = question('main form.row').attr('action')!
  expect((await send(bob, at(other, '/entries/stop'), asked)).statusCode).toBe(400)
  expect(await readHosted(domain)).toEqual(['Kept a while'])
  const answer = await send(ann, path, asked)
  expect(answer.headers.location).toBe(at(acme, `/entries?domain=${domain}&done=withdrawn`))
  const url = `/publisher/${domain}/.well-known/adagents.json`
  expect((await registry.app.inject(url)).statusCode).toBe(404)
  const after = await read(ann, at(acme, `/entries?domain=${domain}`))
  expect(after('#properties').text()).toContain('No adagents.json is hosted here')
  expect(after('#properties tbody tr').first().text()).toContain('Stopped hosting')
  const gone = load((await registry.app.inject(`/publisher/${domain}`)).body)
  expect(gone('#history').text()).toContain('Stopped hosting')
  expect(gone('main a[href^="/dashboard/verify"]').text()).toBe('Verify or manage it')
  expect(after('#properties tbody tr').first().find('td').last().text()).toBe('Not hosted')
  expect((await read(ann, at(acme, '/audit')))('tbody tr').first().text()).toContain(
    'Stopped hosting a file',
  )
  expect((await send(ann, path, asked)).statusCode).toBe(400)
  const restore = after('#properties .actions form')
  const to_revision = String(restore.find('input[name=to_revision]').val())
  expect(restore.text()).toBe(`Restore version ${to_revision}`)
  const version = `/entries/version?domain=${domain}&kind=property&number=${to_revision}`
  expect((await read(ann, at(acme, version)))('#file').text()).toContain('Kept a while')
  const foreign = await read(bob, at(other, version))
  expect(foreign('main').text()).toContain('Only those who can change this file see the content')
  expect(foreign('#file, input[name=to_revision]')).toHaveLength(0)
  const restored = { domain, kind: 'property', to_revision }
  expect((await send(bob, restore.attr('action')!, restored)).statusCode).toBe(404)
  expect((await send(ann, restore.attr('action')!, restored)).statusCode).toBe(303)
  expect(await readHosted(domain)).toEqual(['Kept a while'])
  const again = await read(ann, at(acme, `/entries?domain=${domain}`))
  const changes = again('#properties tbody td:nth-child(5), #properties tbody td:nth-child(4)')
  expect(changes.text()).toContain(`Restored version ${to_revision}`)
})

test('a version is shown with the contact that it is served with', async () => {
  const domain = 'handed.example'
  const contact = { name: 'Inventory desk', email: 'desk@handed.example' }
  const plain = JSON.parse(buildFile('With a contact'))
  const publish = (file: object) =>
    publishPreviewed(ann, { org: acme, domain, text: JSON.stringify(file) })
  await publish({ ...plain, contact })
  const history = await registry.app.inject(`/api/properties/history?domain=${domain}`)
  const number = history.json().total
  const path = `/entries/version?domain=${domain}&kind=property&number=${number}`
  const served = await read(ann, at(acme, path))
  expect(served('.lead').text()).toContain('This is what is served now.')
  expect(JSON.parse(served('#file pre').text()).contact).toEqual(contact)
  await publish(plain)
  const later = await read(ann, at(acme, path.replace(/\d+$/, String(number + 1))))
  expect(later('.lead').text()).toContain('This is what is served now.')
  expect(later('#file pre').text()).not.toContain('Inventory desk')
  const before = await read(ann, at(acme, path))
  expect(before('#change').text()).toContain('Inventory desk')
  await publish({ ...plain, contact })
  const same = await read(ann, at(acme, path))
  expect(same('.lead').text()).toContain('It has the same content as what is served now.')
  const { created_at } = history.json().revisions[0]
  expect(JSON.parse(same('#file pre').text()).last_updated).toBe(created_at)
  const foreign = await read(bob, at(other, path))
  expect(foreign('main').text()).not.toContain('Inventory desk')
})

test('versions say how many properties they added, changed and removed', async () => {
  const domain = 'handed.example'
  const site = (name: string, host = domain) => ({
    property_type: 'website',
    name,
    identifiers: [{ type: 'domain', value: host }],
  })
  const publish = (...properties: object[]) => {
    const file = { authorized_agents: [], properties, last_updated: '2026-01-01T00:00:00Z' }
    return publishPreviewed(ann, { org: acme, domain, text: JSON.stringify(file) })
  }
  await publish(site('Main'))
  await publish(site('Renamed'), site('News', `news.${domain}`))
  await publish(site('Renamed'))
  await publish(site('Renamed'))
  const page = await read(ann, at(acme, `/entries?domain=${domain}`))
  const rows = page('#properties tbody tr').toArray().slice(0, 3)
  expect(rows.map(row => page(row).find('td').eq(2).text())).toEqual([
    'Saved with the same properties',
    'Properties: 1 removed',
    'Properties: 1 added, 1 changed',
  ])
})

test('a file that nobody can use is named on the pages of its domain, with the way to its issues', async () => {
  const domain = 'truncated.example'
  const now = registry.clock.now()
  const kinds = ['adagents.json', 'brand.json'] as const
  await registry.observe(...kinds.map(kind => observeFile(kind, domain, '{"cut', now)))
  await registry.submit({
    op: 'organization.domain.add',
    org: acme,
    domain,
    proof: 'operator',
  } as never)
  const entry = await read(ann, at(acme, `/entries?domain=${domain}`))
  const domains = await read(ann, at(acme, '/domains'))
  for (const kind of kinds) {
    const issues = `a[href="/workshop?domain=${domain}&kind=${kind}"]`
    const editor = await read(ann, at(acme, `/entries/edit?domain=${domain}&kind=${kind}`))
    for (const page of [entry, editor]) {
      expect(page(`.notice:contains("${kind} that isn’t valid") ${issues}`).text()).toBe(
        'See what’s wrong with it',
      )
    }
    expect(domains(issues).text()).toBe('See what’s wrong')
  }
  expect(entry('main').text()).not.toContain('is hosted here for this domain')
})

test('that a domain publishes its own file is said before anything is pasted', async () => {
  const domain = 'speaking.example'
  await registry.observe(
    observePublisherFile(domain, { sites: [domain], agents: [] }),
    observeBrandFile(domain, 'Speaking'),
  )
  for (const kind of ['adagents.json', 'brand.json']) {
    const editor = await read(ann, at(acme, `/entries/edit?domain=${domain}&kind=${kind}`))
    expect(editor('.notice').text()).toContain(`${domain} publishes its own ${kind}`)
    const unknown = await read(ann, at(acme, `/entries/edit?domain=silent.example&kind=${kind}`))
    expect(unknown('.notice')).toHaveLength(0)
  }
  const entry = await read(ann, at(acme, `/entries?domain=${domain}`))
  expect(entry('main').text()).not.toContain('Host a')
  const form = { org: acme, kind: 'adagents.json', domain, text: buildFile('Twice') }
  const preview = load((await send(ann, '/dashboard/publish', form)).body)
  expect(preview('.notice').text()).toContain('publishes its own adagents.json')
  expect([preview('#served').length, preview('form.editor button').text()]).toEqual([0, 'Review'])
  for (const [kind, own] of [
    ['adagents.json', domain],
    ['brand.json', domain],
    ['adagents.json', 'silent.example'],
  ] as const) {
    const sent = await ann.post('/workshop', { kind, domain: own, text: '{}' }, SAME_SITE)
    const page = load(sent.body)
    const isOwn = own === domain
    expect(page('button[value=publish]')).toHaveLength(isOwn ? 0 : 1)
    expect(page('form .hint').text()).toContain(
      isOwn ? 'serves its own' : 'To host it here, sign in',
    )
  }
})

test('each domain has a line with the state of its files, also on the first page', async () => {
  const [served, hosted, empty] = ['own-file.example', 'hosted-file.example', 'no-file.example']
  const eve = await enterAs(`eve@lines.example`)
  const org = await found(eve, 'Lines')
  for (const domain of [served, hosted, empty]) await proveOwnership(registry, 'Lines', domain)
  const agents = ['https://ads.lines.example/mcp']
  await registry.observe(
    observePublisherFile(served, { sites: [served], agents }),
    observeBrandFile(served, 'Lines'),
  )
  await publishPreviewed(eve, { org, domain: hosted, text: buildFile('Here', hosted) })
  const editor = { kind: 'key', id: randomUUID(), org_id: org }
  const save = { op: 'brand.save', revision_id: randomUUID(), domain: hosted, brand_name: 'Here' }
  const [saved] = await registry.submit(Operation.parse({ ...save, editor }))
  expect(saved).not.toHaveProperty('refused')
  for (const path of ['/dashboard', at(org, '/domains')]) {
    const page = await read(eve, path)
    const readLine = (domain: string) => {
      const row = page(`#files tr:contains("${domain}")`)
      expect(row.find('a').attr('href')).toBe(`/publisher/${domain}`)
      return row
        .find('td')
        .toArray()
        .map(cell => page(cell).text())
    }
    const [adagents, brand] = readLine(served)
    expect(adagents).toMatch(/^(Valid|Usable) .*1 agent.*Last read/)
    expect(brand).toMatch(/^(Valid|Usable) .*Last read/)
    expect(readLine(hosted)).toEqual(['Hosted here ', 'Hosted here '])
    expect(readLine(empty)).toEqual(['Never crawled ', 'Never crawled '])
  }
  const kinds = ['adagents.json', 'brand.json'] as const
  const now = registry.clock.now()
  await registry.observe(...kinds.map(kind => observeOutcome('absent', kind, hosted, now)))
  const crawled = await read(eve, '/dashboard')
  const states = crawled(`#files tr:contains("${hosted}") td`)
  expect(states.toArray().map(cell => crawled(cell).text())).toEqual(
    kinds.map(() => 'Hosted here not linked from the domain'),
  )
  const first = await read(eve, '/dashboard')
  expect(first('button.plain').text()).toContain('Create organization')
})

test('a search for a domain without files offers to verify it, before a crawl and after it', async () => {
  const domain = 'fileless.example'
  const readNotice = async () => (await read(ann, `/search?q=${domain}`))('main .notice')
  expect((await readNotice()).text()).toContain('isn’t in the registry yet')
  await registry.observe(observeOutcome('absent', 'adagents.json', domain, registry.clock.now()))
  const after = await readNotice()
  expect(after.text()).toContain('no files were found. See the last fetch or, if it is yours,')
  expect(after.find('a').last().text()).toBe('verify the domain')
})

test.each<[FileKind, Outcome, string, string]>([
  [
    'adagents.json',
    'not_json',
    'is invalid: the response isn’t valid JSON. See the error',
    'publisher',
  ],
  ['adagents.json', 'unusable', 'is invalid: the JSON has nothing that', 'publisher'],
  ['brand.json', 'not_json', 'is invalid: the response isn’t valid JSON. See the error', 'brand'],
  ['adagents.json', 'too_large', 'is invalid: the body exceeds the size limit', 'publisher'],
  ['adagents.json', 'timeout', 'couldn’t be read: timed out. See the last fetch', 'publisher'],
  ['brand.json', 'denied', 'couldn’t be read: access denied', 'brand'],
])(
  'a search for a domain whose %s is found to be %s says so, with the way there',
  async (kind, outcome, words, page) => {
    const domain = `${outcome.replace('_', '-')}.${kind.replace('.json', '')}.example`
    await registry.observe(observeOutcome(outcome, kind, domain, registry.clock.now()))
    const notice = (await read(ann, `/search?q=${domain}`))('main .notice')
    expect(notice.text()).toContain(`The ${kind} of ${domain} ${words}`)
    expect(notice.text()).not.toContain('no files were found')
    expect(notice.find('a').first().attr('href')).toBe(`/${page}/${domain}`)
  },
)

test('the preview of a file is what is served once it is published, and says what is not', async () => {
  const text = JSON.stringify({
    authorized_agents: [
      {
        url: 'https://sales.acme.example/mcp',
        authorized_for: 'All display',
        authorization_type: 'property_ids',
        property_ids: ['site'],
      },
    ],
    properties: ['handed.example', 'foreign.example'].map(value => ({
      property_id: value === 'handed.example' ? 'site' : 'other',
      property_type: 'website',
      name: `Previewed ${value}`,
      identifiers: [{ type: 'domain', value }],
      tags: ['news', 'news'],
      publisher_domain: value,
      supported_channels: ['display'],
    })),
    contact: { name: 'Ads', email: 'ads@handed.example', domain: 'handed.example' },
    catalog_etag: 'v1',
  })
  const form = { org: acme, kind: 'adagents.json', domain: 'handed.example', text }
  const page = load((await send(ann, '/dashboard/publish', form)).body)
  const { last_updated: _, ...shown } = JSON.parse(page('#served pre').text())
  expect(page('#left-out').text()).toContain('1 authorized agent: only the file that')
  expect(page('#left-out').text()).toContain('1 property of other domains')
  expect(page('#left-out li').last().text()).toBe(
    'These fields: catalog_etag, contact.domain, properties[].supported_channels.',
  )
  expect(shown.contact).toEqual({ name: 'Ads', email: 'ads@handed.example' })
  expect(page('h1').text()).toBe('Review your change to the adagents.json of handed.example')
  expect(page('#change').text()).toContain('+ "Previewed handed.example"')
  expect(page('input#domain, select#org')).toHaveLength(0)
  const unhosted = buildFile('Fresh', 'fresh.example')
  const fresh = await send(ann, '/dashboard/publish', {
    ...form,
    domain: 'fresh.example',
    text: unhosted,
  })
  // A registry without a public https address has no pointer to offer before the file is hosted.
  expect(load(fresh.body)('#served, #pointer')).toHaveLength(1)
  const edited = { ...form, text: text.replace('Previewed', 'Edited') }
  const previewed = String(page('input[name=previewed]').val())
  const compared = String(page('input[name=compared]').val())
  const again = await send(ann, '/dashboard/publish', { ...edited, previewed, compared })
  expect([again.statusCode, load(again.body)('#served pre').text()]).toEqual([
    200,
    expect.stringContaining('Edited'),
  ])
  const saved = await send(ann, '/dashboard/publish', { ...form, previewed, compared })
  expect(saved.headers.location).toContain('done=saved')
  // Whoever reviewed a change of the file before sees what theirs would change now.
  const outdated = await send(ann, '/dashboard/publish', { ...form, previewed, compared })
  expect(load(outdated.body)('[role=alert]').text()).toContain('has changed since you opened it')
  const unchanged = load((await send(ann, '/dashboard/publish', form)).body)
  expect(unchanged('#change').text()).toContain('No changes: this version is already being served')
  expect(unchanged('form.editor > .row button')).toHaveLength(0)
  const url = '/publisher/handed.example/.well-known/adagents.json'
  const { last_updated: __, ...served } = (await registry.app.inject(url)).json()
  expect(served).toEqual(shown)
})

test('an edit of a hosted file that changed meanwhile says so in its review', async () => {
  const domain = 'handed.example'
  const edit = at(acme, `/entries/edit?domain=${domain}&kind=adagents.json`)
  const compared = String((await read(ann, edit))('input[name=compared]').val())
  await publishPreviewed(ann, { org: acme, domain, text: buildFile('Of somebody else') })
  const form = { org: acme, kind: 'adagents.json', domain, text: buildFile('Stale'), compared }
  const review = load((await send(ann, '/dashboard/publish', form)).body)
  expect(review('[role=alert]').text()).toContain('has changed since you opened it')
  expect(review('#change').text()).toMatch(/Of somebody else.*Stale/s)
  const now = String(review('input[name=compared]').val())
  const again = await send(ann, '/dashboard/publish', { ...form, compared: now })
  expect(load(again.body)('[role=alert]')).toHaveLength(0)
})

test('a review begins with a sentence, and warns of nothing that will not be served', async () => {
  const domain = 'handed.example'
  const { properties, ...file } = JSON.parse(buildFile('Tagged'))
  const text = JSON.stringify({
    ...file,
    authorized_agents: [
      {
        url: 'https://sales.handed.example/mcp',
        authorized_for: 'Sales',
        authorization_type: 'property_tags',
        property_tags: ['sport'],
      },
    ],
    properties: properties.map((property: object) => ({ ...property, tags: ['sport'] })),
  })
  const form = { org: acme, kind: 'adagents.json', domain, text }
  const review = load((await send(ann, '/dashboard/publish', form)).body)
  expect(review('h1').next().text()).toContain('Nothing is published yet')
  expect(review('#marked')).toHaveLength(0)
  await publishPreviewed(ann, form)
  const checked = await registry.app.inject(`/workshop?domain=${domain}&kind=adagents.json`)
  expect(load(checked.body)('main').text()).not.toContain('has no entry for')
})

test('a crawl is requested by a button, and its page renews itself until it has ended', async () => {
  const form = await read(ann, '/dashboard/crawl?domain=handed.example')
  expect(form('#domain').val()).toBe('handed.example')
  expect(form('form[data-send]')).toHaveLength(0)
  // A link of the registry asks for the crawl itself, so that its form is sent at once.
  const followed = await ann.get('/dashboard/crawl?domain=handed.example', {
    'sec-fetch-site': 'same-origin',
  })
  expect(load(followed.body)('form[data-send] #domain').val()).toBe('handed.example')
  const sent = await send(ann, '/dashboard/crawl', { domain: 'handed.example' })
  const at = String(sent.headers.location)
  expect(at).toMatch(/^\/dashboard\/crawl\/[\da-f-]{36}$/)
  const shown = await ann.get(at)
  expect([shown.statusCode, shown.headers.refresh]).toEqual([200, '2'])
  expect(load(shown.body)('[role=status]').text()).toContain('about to start')
  expect(load(shown.body)('main table').text()).not.toContain('/ads.txt')
  expect((await bob.get(at)).statusCode).toBe(404)
  const again = await send(ann, '/dashboard/crawl', { domain: 'handed.example' })
  expect([again.statusCode, load(again.body)('.notice.fair[role=alert]').text()]).toEqual([
    429,
    expect.stringMatching(/was requested a moment ago.*minute/),
  ])
  expect(load(again.body)('[role=alert] a').attr('href')).toBe(at)
  // The second one fetches the ads.txt, which may name a manager in place of a missing file.
  await crawlDue(registry, {})
  await crawlDue(registry, {})
  const ended = await read(ann, at)
  expect(ended('main').text()).toContain('The adagents.json of handed.example is hosted here. ')
  expect(ended('main table').text()).toContain('/ads.txt')
  expect(ended('.notice a').attr('href')).toMatch(/\/entries\?domain=handed.example$/)
  const refused = await send(ann, '/dashboard/crawl', { domain: 'handed.example' })
  expect(load(refused.body)('#last table').text()).toContain('/ads.txt')
})

test('a crawl of a domain with www. that finds nothing proposes the one without', async () => {
  const read = async (domain: string) => {
    const { location } = (await send(ann, '/dashboard/crawl', { domain })).headers
    for (let i = 0; i < 2; i++) await crawlDue(registry, {})
    return load((await ann.get(String(location))).body)('main .hint')
  }
  expect((await read('www.fileless.example')).find('a').attr('href')).toBe(
    '/dashboard/crawl?domain=fileless.example',
  )
  expect(await read('fileless.example')).toHaveLength(0)
})

test('a check of a domain whose file was never read leads to its crawl', async () => {
  const note = (await read(ann, '/workshop?domain=unread.example'))('main > .notice')
  expect(note.text()).toContain('Paste yours, or crawl the domain now.')
  expect(note.find('a').attr('href')).toBe('/dashboard/crawl?domain=unread.example')
})
