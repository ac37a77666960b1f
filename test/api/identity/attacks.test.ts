import { hash, randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { REDIS_PREFIX } from '../../../jobs/redis.ts'
import {
  askToken,
  authorize,
  BASE,
  buildAuthorizeUrl,
  CALLBACK,
  createVerifier,
  follow,
  obtainTokens,
  openWithSignIn,
  register,
  signIn,
  TestBrowser,
} from '../../support/clients/signing-in.ts'
import { startRedis } from '../../support/processes/redis.ts'
import { openForAll } from '../../support/runner/open-for-all.ts'

const limits = { clientRegistrationsPerHour: 1_000, signInLinksPerCallerHour: 1_000 }
const redis = openForAll(startRedis)
const registry = openForAll(() => openWithSignIn({ redis: redis.redis, limits }))
let client_id: string

beforeAll(async () => {
  await registry.createKey('Acme')
  client_id = (await register(registry)).client_id!
})

let people = 0
/** Returns the address of a person who got no mail yet. */
const nextEmail = () => `person-${++people}@acme.example`
const { challenge } = createVerifier()
const begin = (query = {}) => buildAuthorizeUrl({ client_id, code_challenge: challenge, ...query })

/** Begins a sign-in in a browser of its own; `at` is the page on which it asks for an address. */
async function beginSignIn(query = {}) {
  const browser = new TestBrowser(registry)
  const { at, headers } = await follow(browser, await browser.get(begin(query)))
  return { browser, at: at!, headers }
}

async function askForLink(browser: TestBrowser, at: string, email = nextEmail()) {
  await browser.post(`${at}/link`, { email })
  const link = new URL(registry.links.at(-1)!)
  return { path: link.pathname, token: link.searchParams.get('token')!, url: link.href }
}

describe('PKCE', () => {
  test.each([
    ['without a challenge', { code_challenge: undefined, code_challenge_method: undefined }],
    ['with a plain challenge', { code_challenge_method: 'plain' }],
    ['with a challenge of no method, which would be plain', { code_challenge_method: undefined }],
  ])('cannot be left out or weakened: a request %s is refused', async (_, query) => {
    const answer = await new TestBrowser(registry).get(begin(query))
    const back = new URL(String(answer.headers.location))
    expect(back.searchParams.get('error')).toBe('invalid_request')
    expect(back.searchParams.get('code')).toBeNull()
  })

  test.each([
    ['without the verifier', { code_verifier: undefined }],
    ['with another verifier', { code_verifier: createVerifier().verifier }],
    ['with the challenge for a verifier', { code_verifier: challenge }],
    ['from another redirect address', { redirect_uri: `${CALLBACK}/other` }],
  ])('a stolen code is worth nothing %s', async (_, other) => {
    const { verifier, challenge: code_challenge } = createVerifier()
    const back = await authorize(registry, { client_id, code_challenge }, nextEmail())
    const form: Record<string, string | undefined> = {
      grant_type: 'authorization_code',
      code: back.searchParams.get('code')!,
      redirect_uri: CALLBACK,
      client_id,
      code_verifier: verifier,
      ...other,
    }
    const fields = Object.entries(form).filter(([, value]) => value !== undefined)
    const answer = await askToken(registry, Object.fromEntries(fields) as never)
    expect([answer.status, answer.error]).toEqual([400, 'invalid_grant'])
  })
})

describe('a code', () => {
  test('works once: using it again revokes what it was exchanged for', async () => {
    const { form, refresh_token, client_id: id } = await obtainTokens(registry, nextEmail())
    expect(await askToken(registry, form)).toMatchObject({ status: 400, error: 'invalid_grant' })
    const renewed = { grant_type: 'refresh_token', refresh_token, client_id: id }
    expect(await askToken(registry, renewed)).toMatchObject({ error: 'invalid_grant' })
  })

  test('works once of twenty concurrent attempts', async () => {
    const { verifier, challenge: code_challenge } = createVerifier()
    const back = await authorize(registry, { client_id, code_challenge }, nextEmail())
    const form = {
      grant_type: 'authorization_code',
      code: back.searchParams.get('code')!,
      redirect_uri: CALLBACK,
      client_id,
      code_verifier: verifier,
    }
    const answers = await Promise.all(Array.from({ length: 20 }, () => askToken(registry, form)))
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
  })

  test('of one application is worth nothing to another', async () => {
    const { client_id: other } = await register(registry)
    const { verifier, challenge: code_challenge } = createVerifier()
    const back = await authorize(registry, { client_id, code_challenge }, nextEmail())
    const answer = await askToken(registry, {
      grant_type: 'authorization_code',
      code: back.searchParams.get('code')!,
      redirect_uri: CALLBACK,
      client_id: other!,
      code_verifier: verifier,
    })
    expect([answer.status, answer.error]).toEqual([400, 'invalid_grant'])
  })
})

describe('a refresh token', () => {
  const renew = (refresh_token: string, id: string) =>
    askToken(registry, { grant_type: 'refresh_token', refresh_token, client_id: id })

  test('works once: using it again revokes the tokens that followed from it', async () => {
    const { refresh_token, client_id: id } = await obtainTokens(registry, nextEmail())
    const next = await renew(refresh_token, id)
    expect(next.status).toBe(200)
    expect((await renew(refresh_token, id)).error).toBe('invalid_grant')
    expect((await renew(next.refresh_token, id)).error).toBe('invalid_grant')
  })

  test('works once of twenty concurrent attempts', async () => {
    const { refresh_token, client_id: id } = await obtainTokens(registry, nextEmail())
    const answers = await Promise.all(Array.from({ length: 20 }, () => renew(refresh_token, id)))
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
  })

  test('of one application is worth nothing to another', async () => {
    const { refresh_token } = await obtainTokens(registry, nextEmail())
    expect((await renew(refresh_token, client_id)).error).toBe('invalid_grant')
  })

  test('is stored as a hash, as codes and links are', async () => {
    const { refresh_token, form } = await obtainTokens(registry, nextEmail())
    const keys = await redis.redis.keys('*')
    const texts = await Promise.all(
      keys.map(async key => [key, JSON.stringify(await redis.redis.dump(key))].join(' ')),
    )
    const token = new URL(registry.links.at(-1)!).searchParams.get('token')!
    for (const secret of [refresh_token, form.code, token]) {
      expect(texts.filter(text => text.includes(secret))).toEqual([])
    }
  })
})

/** Expects that a request is refused on a page of the registry's own. */
async function expectNowhere(url: string): Promise<void> {
  const answer = await new TestBrowser(registry).get(url)
  expect(answer.statusCode).toBe(400)
  expect(answer.headers.location).toBeUndefined()
  expect(answer.headers.refresh).toBeUndefined()
}

describe('a redirect address', () => {
  test.each([
    'http://127.0.0.1:7777/callback/../evil',
    'http://127.0.0.1:7777/callback?next=https://evil.example',
    'http://127.0.0.1:7777/other',
    'http://127.0.0.1.evil.example/callback',
    'http://evil.example@127.0.0.1:7777/callback',
    'http://127.0.0.1:7777@evil.example/callback',
    'https://evil.example/callback',
    '//evil.example/callback',
    'http://localhost:7777/callback',
    'javascript:alert(1)',
  ])('that was not registered, as %s, is never redirected to', async redirect_uri => {
    await expectNowhere(begin({ redirect_uri }))
  })

  test.each([
    ['a longer path', 'https://app.example/callback/more'],
    ['a path that begins alike', 'https://app.example/callbacks'],
    ['a path in other letters', 'https://app.example/Callback'],
    ['a path in percent signs', 'https://app.example/%63allback'],
    ['a path that leads back', 'https://app.example/callback/%2e%2e/evil'],
    ['a query', 'https://app.example/callback?to=evil'],
    ['a fragment', 'https://app.example/callback#evil'],
    ['another port', 'https://app.example:8443/callback'],
    ['no TLS', 'http://app.example/callback'],
    ['a name before it', 'https://evil@app.example/callback'],
    ['its name before another', 'https://app.example@evil.example/callback'],
    ['its name in another', 'https://app.example.evil.example/callback'],
    ['a name below it', 'https://evil.app.example/callback'],
    ['a backslash', 'https://app.example\\@evil.example/callback'],
    ['a tab', 'https://app.example/call\tback'],
  ])('with %s is never redirected to', async (_, redirect_uri) => {
    const { client_id: id } = await register(registry, {
      redirect_uris: ['https://app.example/callback'],
    })
    const asked = { client_id: id!, redirect_uri: 'https://app.example/callback' }
    expect((await new TestBrowser(registry).get(begin(asked))).statusCode).toBe(303)
    await expectNowhere(begin({ ...asked, redirect_uri }))
  })

  test('on a person’s own machine may name another port, and nothing else', async () => {
    const redirect_uri = CALLBACK.replace('7777', '8888')
    expect((await new TestBrowser(registry).get(begin({ redirect_uri }))).statusCode).toBe(303)
    await expectNowhere(begin({ redirect_uri: `${redirect_uri}/more` }))
  })

  test.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'http://evil.example/callback',
    'https://evil.example/callback#fragment',
    'file:///etc/passwd',
    'mailto:code@evil.example',
    'ms-msdt:/id',
    'intent://x#y',
    'chrome://settings',
    'smb://evil.example/x',
    'x:y',
    'callback',
  ])('as %s cannot be registered', async uri => {
    expect(await register(registry, { redirect_uris: [uri] })).toMatchObject({
      error: expect.stringMatching(/invalid_redirect_uri|invalid_client_metadata/),
    })
  })

  test.each([
    'cursor://anysphere.cursor-retrieval/oauth/callback',
    'vscode://vendor.extension/callback',
    'com.example.app:/callback',
  ])('of an application on a device, as %s, can be registered and is redirected to', async uri => {
    const { client_id: id } = await register(registry, { redirect_uris: [uri] })
    const query = { client_id: id!, code_challenge: challenge, redirect_uri: uri }
    const browser = new TestBrowser(registry)
    const consent = await signIn(registry, browser, begin(query), nextEmail())
    const first = await browser.post(`${consent}/consent`, {})
    const next = /url=(.*)$/.exec(String(first.headers.refresh))![1]!
    const { headers } = await browser.get(next)
    expect(String(headers.location)).toMatch(new RegExp(`^${uri}\\?code=`))
    expect((await new TestBrowser(registry).get(begin({ redirect_uri: uri }))).statusCode).toBe(400)
  })

  test('is the only other site that a sign-in page leads to', async () => {
    const { browser, at } = await beginSignIn()
    const { path, token } = await askForLink(browser, at)
    const more = '?returnTo=https://evil.example&redirect_uri=https://evil.example'
    const opened = await browser.post(path + more, { token, returnTo: '//evil.example' })
    expect(opened.headers.refresh).toMatch(new RegExp(`^0; url=${BASE}/authorize/`))
    expect(opened.body).not.toContain('evil.example')
  })
})

test('each answer to an application names the issuer, so that it cannot be mistaken for another’s', async () => {
  const back = await authorize(registry, { client_id, code_challenge: challenge }, nextEmail())
  expect(back.searchParams.get('iss')).toBe(BASE)
  const { browser, at } = await beginSignIn()
  const refused = await follow(browser, await browser.post(`${at}/cancel`, {}))
  expect(new URL(refused.at!).searchParams.get('iss')).toBe(BASE)
  const { body } = await registry.app.inject('/.well-known/oauth-authorization-server')
  expect(JSON.parse(body).authorization_response_iss_parameter_supported).toBe(true)
})

describe('a form of sign-in', () => {
  test.each([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['another site of the same domain', { 'sec-fetch-site': 'same-site' }],
    ['another origin', { origin: 'https://evil.example' }],
    ['an origin that is hidden', { origin: 'null' }],
  ])('is refused from %s', async (_, headers) => {
    const { browser, at } = await beginSignIn()
    const before = registry.links.length
    const answer = await browser.post(`${at}/link`, { email: nextEmail() }, headers)
    expect(answer.statusCode).toBe(403)
    expect(registry.links.length).toBe(before)
  })

  test('has no effect in a browser that did not begin the sign-in, and none before its turn', async () => {
    const { browser, at } = await beginSignIn()
    const stranger = new TestBrowser(registry)
    for (const path of [at, `${at}/open`]) {
      expect((await stranger.get(path)).body).toContain('opened in another browser')
    }
    for (const step of ['link', 'open', 'consent', 'cancel']) {
      const answer = await stranger.post(`${at}/${step}`, { email: nextEmail(), token: 'x' })
      expect([step, answer.statusCode]).toEqual([step, 400])
    }
    expect((await browser.post(`${at}/consent`, {})).statusCode).toBe(400)
    // A cookie of one sign-in opens no other one.
    const other = await beginSignIn()
    browser.setCookie('registry_sign_in', other.browser.getCookie('registry_sign_in')!, at)
    expect((await browser.get(at)).statusCode).toBe(400)
  })

  test('and its cookies are out of reach of scripts and of other sites', async () => {
    const { headers } = await new TestBrowser(registry).get(begin())
    const cookies = [headers['set-cookie']].flat().map(String)
    expect(cookies.length).toBeGreaterThan(1)
    for (const cookie of cookies) expect(cookie).toMatch(/; samesite=lax; httponly/i)
  })
})

describe('a session', () => {
  test('has its id nowhere in Redis, not even while a later sign-in waits', async () => {
    const browser = new TestBrowser(registry)
    await signIn(registry, browser, begin(), nextEmail())
    await follow(browser, await browser.get(begin({ prompt: 'login' })))
    const id = browser.getCookie('registry_session')!
    const keys = await redis.redis.keys(`${REDIS_PREFIX}:identity:*`)
    const stored = await Promise.all(
      keys.map(async key =>
        (await redis.redis.type(key)) === 'hash' ? redis.redis.hgetall(key) : [key],
      ),
    )
    expect(JSON.stringify(stored)).toContain('"payload"')
    expect([...keys, JSON.stringify(stored)].filter(text => text.includes(id))).toEqual([])
  })

  test('gets another id when its person signs in', async () => {
    const { browser, at } = await beginSignIn()
    const before = browser.getCookie('registry_session')
    const { path, token } = await askForLink(browser, at)
    await follow(browser, await browser.post(path, { token }))
    expect(browser.getCookie('registry_session')).toBeTruthy()
    expect(browser.getCookie('registry_session')).not.toBe(before)
  })

  test('that somebody else planted is not taken over', async () => {
    const planted = new TestBrowser(registry)
    await signIn(registry, planted, begin(), nextEmail())
    const id = planted.getCookie('registry_session')!
    const victim = new TestBrowser(registry)
    // Without the signature it counts as none.
    victim.setCookie('registry_session', id)
    const asked = await follow(victim, await victim.get(begin()))
    expect(asked.body).toContain('<h1>Sign in</h1>')
  })

  test('that somebody else planted with its signature is replaced when a person signs in on it', async () => {
    const planted = new TestBrowser(registry)
    await signIn(registry, planted, begin(), nextEmail())
    const victim = new TestBrowser(registry)
    for (const name of ['registry_session', 'registry_session.sig']) {
      victim.setCookie(name, planted.getCookie(name)!)
    }
    const email = nextEmail()
    const consent = await signIn(registry, victim, begin({ prompt: 'login' }), email)
    expect((await victim.get(consent)).body).toContain(email)
    expect((await victim.get('/dashboard')).body).toContain(email)
    expect(victim.getCookie('registry_session')).not.toBe(planted.getCookie('registry_session'))
    expect((await planted.get('/dashboard')).body).not.toContain(email)
  })

  test('of one person ends when another one signs in in the same browser', async () => {
    const browser = new TestBrowser(registry)
    await signIn(registry, browser, begin(), 'first@acme.example')
    const consent = await signIn(
      registry,
      browser,
      begin({ prompt: 'login' }),
      'second@acme.example',
    )
    expect((await browser.get(consent)).body).toContain('second@acme.example')
  })
})

test('no sign-in page can be framed, runs scripts of others, or stays in a cache', async () => {
  const { browser, at } = await beginSignIn()
  const { path, token, url } = await askForLink(browser, at)
  const looked = [
    await browser.get(at),
    await browser.get(url),
    await browser.post(path, { token }),
  ]
  const wrong = await browser.get(begin({ client_id: 'nobody' }))
  const stranger = await new TestBrowser(registry).get(at)
  for (const { headers } of [...looked, wrong, stranger]) {
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
    expect(headers['content-security-policy']).not.toContain('unsafe')
    expect(headers['x-frame-options']).toBe('DENY')
    expect(headers['cache-control']).toContain('no-store')
  }
})

describe('a sign-in link', () => {
  test('works once, and loading it does not use it up', async () => {
    const { browser, at } = await beginSignIn()
    const { path, token, url } = await askForLink(browser, at)
    for (let i = 0; i < 3; i++) expect((await browser.get(url)).statusCode).toBe(200)
    expect((await browser.post(path, { token })).statusCode).toBe(200)
    expect((await browser.post(path, { token })).statusCode).toBe(400)
  })

  test('works only in the browser that requested it, and for that sign-in', async () => {
    const { browser, at } = await beginSignIn()
    const { path, token } = await askForLink(browser, at)
    expect((await new TestBrowser(registry).post(path, { token })).statusCode).toBe(400)
    const other = await beginSignIn()
    expect((await other.browser.post(`${other.at}/open`, { token })).statusCode).toBe(400)
  })

  test('ends by itself', async () => {
    const { browser, at } = await beginSignIn()
    const { token } = await askForLink(browser, at)
    const left = await redis.redis.ttl(
      `${REDIS_PREFIX}:identity:link:${hash('sha256', token, 'hex')}`,
    )
    expect(left).toBeGreaterThan(0)
    expect(left).toBeLessThanOrEqual(15 * 60)
  })

  test('is sent to one address five times an hour', async () => {
    const email = nextEmail()
    const { browser, at } = await beginSignIn()
    const before = registry.links.length
    for (let i = 0; i < 6; i++) await browser.post(`${at}/link`, { email })
    expect(registry.links.length - before).toBe(5)
  })

  test.each(['', 'nobody', 'a@b', 'a@b.example, c@d.example', 'a@b.example\nBcc: c@d.example'])(
    'is not sent to %j',
    async email => {
      const { browser, at } = await beginSignIn()
      const before = registry.links.length
      expect((await browser.post(`${at}/link`, { email })).statusCode).toBe(400)
      expect(registry.links.length).toBe(before)
    },
  )
})

describe('an application', () => {
  test('is shown with its name as text, and with the site to which it leads', async () => {
    const hostile = '"><script>alert(1)</script>'
    const { client_id: id } = await register(registry, { client_name: hostile })
    const { browser, at } = await beginSignIn({ client_id: id })
    const { body } = await browser.get(at)
    expect(body).not.toContain('<script>alert')
    expect(body).toContain('&lt;script&gt;')
    expect(body).toContain('127.0.0.1:7777')
  })

  test('with a secret must show it; only its hash is stored', async () => {
    const application = await register(registry, {
      token_endpoint_auth_method: 'client_secret_post',
    })
    const { verifier, challenge: code_challenge } = createVerifier()
    const query = { client_id: application.client_id!, code_challenge }
    const back = await authorize(registry, query, nextEmail())
    const form = {
      grant_type: 'authorization_code',
      code: back.searchParams.get('code')!,
      redirect_uri: CALLBACK,
      client_id: application.client_id!,
      code_verifier: verifier,
    }
    for (const client_secret of ['x', hash('sha256', application.client_secret!, 'hex')]) {
      const answer = await askToken(registry, { ...form, client_secret })
      expect([answer.status, answer.error]).toEqual([401, 'invalid_client'])
    }
    expect(await askToken(registry, form)).toMatchObject({ error: 'invalid_client' })
    const client_secret = application.client_secret!
    expect(await askToken(registry, { ...form, client_secret })).toMatchObject({ status: 200 })
    const rows = await registry.sequencer.accounts.db.all('select * from oauth_clients')
    expect(JSON.stringify(rows)).not.toContain(client_secret)
  })

  test('makes the registry fetch nothing', async () => {
    const fetched = { sector_identifier_uri: 'https://evil.example/x', subject_type: 'pairwise' }
    const registered = await register(registry, fetched)
    expect(registered).toMatchObject({ subject_type: 'public' })
    expect(registered).not.toHaveProperty('sector_identifier_uri')
  })
})

describe('an authorization request', () => {
  const post = (url: string, headers: Record<string, string> = {}) => {
    const [path, payload] = url.split('?') as [string, string]
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    return registry.send('POST', path, {
      headers: { accept: 'text/html', ...type, ...headers },
      payload,
    })
  }

  test.each([
    ['a person signs in', {}],
    ['nobody may be asked', { prompt: 'none' }],
    ['the application is unknown', { client_id: 'nobody' }],
    ['the redirect address is another', { redirect_uri: 'https://evil.example/' }],
    ['the challenge is missing', { code_challenge: undefined }],
    ['the state is too long', { state: 'x'.repeat(2_049) }],
    ['the nonce is too long', { nonce: 'x'.repeat(513) }],
  ])('as a form is answered as in a query (OpenID Connect Core 3.1.2.1): %s', async (_, query) => {
    const got = await registry.app.inject({ url: begin(query), headers: { accept: 'text/html' } })
    const posted = await post(begin(query))
    const hideIds = (text: unknown) => String(text).replace(/sign-in\/[\w-]+/, 'sign-in/…')
    const show = ({ statusCode, headers, body }: typeof got) => [
      statusCode,
      hideIds(headers.location),
      hideIds(body),
    ]
    expect(show(posted)).toEqual(show(got))
    expect([303, 400]).toContain(posted.statusCode)
  })

  test('as a form of another site comes again as a query, with the cookies of its browser', async () => {
    const posted = await post(begin(), { 'sec-fetch-site': 'cross-site' })
    expect([posted.statusCode, posted.headers.location]).toEqual([303, begin()])
  })

  test('with as much as an application may send reaches its person, and more is refused', async () => {
    const longest = { state: randomBytes(1_536).toString('base64url'), nonce: 'n'.repeat(512) }
    const back = await authorize(
      registry,
      { client_id, code_challenge: challenge, ...longest },
      nextEmail(),
    )
    expect(back.searchParams.get('state')).toBe(longest.state)
    const login_hint = randomBytes(2_000).toString('base64url')
    const refused = await new TestBrowser(registry).get(begin({ ...longest, login_hint }))
    const { searchParams } = new URL(String(refused.headers.location))
    expect(searchParams.get('error')).toBe('invalid_request')
  })

  test('completes once: a copy of its cookies signs nobody in again', async () => {
    const { browser, at } = await beginSignIn()
    const { path, token } = await askForLink(browser, at)
    const opened = await browser.post(path, { token })
    const resume = new URL(/url=(.*)$/.exec(String(opened.headers.refresh))![1]!).pathname
    const copy = new TestBrowser(registry)
    for (const name of ['registry_request', 'registry_resume', 'registry_resume.sig']) {
      copy.setCookie(name, browser.getCookie(name)!, resume)
    }
    expect((await browser.get(resume)).statusCode).toBe(303)
    expect((await copy.get(resume)).statusCode).toBe(400)
    expect((await copy.get('/dashboard')).statusCode).toBe(303)
  })

  test('cannot be made or changed by its browser, nor completed as another one', async () => {
    const [mine, other] = [await beginSignIn(), await beginSignIn()]
    const sealed = mine.browser.getCookie('registry_request')!
    for (const text of ['', 'v1.x', `${sealed.slice(0, -4)}AAAA`]) {
      mine.browser.setCookie('registry_request', text, mine.at)
      expect((await mine.browser.get(mine.at)).statusCode).toBe(400)
    }
    other.browser.setCookie('registry_request', sealed, other.at)
    expect((await other.browser.get(other.at)).statusCode).toBe(400)
    mine.browser.setCookie('registry_request', sealed, mine.at)
    expect((await mine.browser.get(mine.at)).statusCode).toBe(200)
  })
})
