import { decodeJwt } from 'jose'
import { afterEach, describe, expect, test } from 'vitest'
import {
  askToken,
  BASE,
  buildAuthorizeUrl,
  CALLBACK,
  createVerifier,
  follow,
  register,
  sendForm,
  TestBrowser,
} from '../../support/clients/signing-in.ts'
import { startRedis } from '../../support/processes/redis.ts'
import { openForAll } from '../../support/runner/open-for-all.ts'
import {
  openWithUpstream,
  passProvider,
  startProvider,
} from '../../support/servers/upstream-provider.ts'

const redis = openForAll(startRedis)
const provider = openForAll(startProvider)
const registry = openForAll(() =>
  openWithUpstream(redis, provider.settings, {
    limits: { clientRegistrationsPerHour: 1_000, upstreamSignInsPerCallerHour: 1_000 },
  }),
)

afterEach(() => provider.resume())

const ownForm = { 'sec-fetch-site': 'same-origin' }

/** Begins a sign-in in a browser of its own; `at` is the page with the button to the provider. */
async function begin(browser = new TestBrowser(registry), url = '/dashboard') {
  const page = await follow(browser, await browser.get(url))
  return { browser, at: page.at!, body: page.body }
}

/** Uses the button, and returns the address at the provider. */
async function leave(browser: TestBrowser, at: string): Promise<string> {
  const answer = await browser.post(`${at}/upstream`, {}, ownForm)
  expect(answer.statusCode).toBe(200)
  return /url=(.*)$/.exec(String(answer.headers.refresh))![1]!
}

async function returnFromProvider(browser: TestBrowser, back: URL) {
  return follow(browser, await browser.get(back.pathname + back.search))
}

async function signInByProvider(login: string, browser = new TestBrowser(registry)) {
  const { at } = await begin(browser)
  const page = await returnFromProvider(
    browser,
    await passProvider(await leave(browser, at), login),
  )
  return { browser, page }
}

describe('where an OpenID provider is set, a person', () => {
  test('signs in there, and arrives at the dashboard', async () => {
    const { browser, at, body } = await begin()
    expect(body).toContain('Continue with Lantern accounts')
    expect(body).not.toContain('type="email"')
    expect(body).not.toContain('passkey')
    const address = await leave(browser, at)
    const asked = new URL(address).searchParams
    expect(asked.get('redirect_uri')).toBe(`${BASE}/sign-in/return`)
    expect(asked.get('code_challenge_method')).toBe('S256')
    const page = await returnFromProvider(browser, await passProvider(address, 'ann'))
    expect([page.statusCode, new URL(page.at!, BASE).pathname]).toEqual([200, '/dashboard'])
    expect(page.body).toContain('ann@lantern.example')
  })

  test('gets a token of the registry, which names them by an id of the registry', async () => {
    const { client_id } = await register(registry)
    const { verifier, challenge } = createVerifier()
    const browser = new TestBrowser(registry)
    const { at } = await begin(browser, buildAuthorizeUrl({ client_id, code_challenge: challenge }))
    const consent = await returnFromProvider(
      browser,
      await passProvider(await leave(browser, at), 'bo'),
    )
    expect(consent.body).toContain('bo@lantern.example')
    const done = await follow(browser, await browser.post(`${consent.at}/consent`, {}, ownForm))
    const tokens = await askToken(registry, {
      grant_type: 'authorization_code',
      code: new URL(done.at!).searchParams.get('code')!,
      redirect_uri: CALLBACK,
      client_id: client_id!,
      code_verifier: verifier,
    })
    expect(decodeJwt(tokens.id_token)).toMatchObject({ iss: BASE, email: 'bo@lantern.example' })
    expect(decodeJwt(tokens.id_token).sub).not.toBe('bo')
  })

  test('stays the same person under another address, and is another under another subject', async () => {
    provider.people.set('cy', { email: 'cy@first.example' })
    const first = await signInByProvider('cy')
    await sendForm(first.browser, '/dashboard/organizations', { name: 'Of Cy' })
    provider.people.set('cy', { email: 'cy@second.example' })
    const again = await signInByProvider('cy')
    expect(again.page.body).toContain('cy@second.example')
    expect(again.page.body).toContain('Of Cy')
    provider.people.set('dee', { email: 'cy@second.example' })
    expect((await signInByProvider('dee')).page.body).not.toContain('Of Cy')
  })

  test('does not become the person whom a link knew by the same address', async () => {
    const known = await registry.submit({
      op: 'person.enter',
      user_id: '0b7c4f4e-5b0e-4b5e-9b1a-0d8f3a3e9a11',
      provider: 'email',
      subject: 'eve@lantern.example',
      email: 'eve@lantern.example',
      email_verified: true,
      name: null,
    })
    expect(known).toMatchObject([{ done: {} }])
    await registry.createKey('Of the first Eve')
    await registry.submit({
      op: 'membership.set',
      org: 'Of the first Eve',
      user_id: '0b7c4f4e-5b0e-4b5e-9b1a-0d8f3a3e9a11',
      role: 'owner',
    })
    const { page } = await signInByProvider('eve')
    expect(page.body).toContain('eve@lantern.example')
    expect(page.body).not.toContain('Of the first Eve')
  })

  test('has no address here that the provider has not verified', async () => {
    for (const email_verified of [false, 'true', undefined]) {
      provider.people.set('fay', { email: 'boss@acme.example', email_verified })
      const { page } = await signInByProvider('fay')
      expect(new URL(page.at!, BASE).pathname).toBe('/dashboard')
      expect(page.body).not.toContain('boss@acme.example')
    }
  })

  test('reads why the provider did not sign them in', async () => {
    const { browser, at } = await begin()
    const address = new URL(await leave(browser, at))
    const state = address.searchParams.get('state')!
    const query = { state, error: 'access_denied', iss: provider.url, error_description: '<b>no' }
    const page = await returnFromProvider(
      browser,
      new URL(`${BASE}/sign-in/return?${new URLSearchParams(query)}`),
    )
    expect(page.statusCode).toBe(400)
    expect(page.body).toContain('didn’t sign you in: you declined')
    expect(page.body).toContain('Continue with Lantern accounts')
  })

  test('signs out of the registry, and is shown where to sign out of the provider', async () => {
    const { browser } = await signInByProvider('gil')
    const left = await follow(browser, await sendForm(browser, '/dashboard/sign-out', {}))
    expect(left.body).toContain(`${provider.url}/session/end?client_id=registry`)
    expect((await begin(browser)).body).toContain('Continue with')
  })
})
