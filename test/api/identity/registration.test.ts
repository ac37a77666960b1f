import { beforeAll, expect, test } from 'vitest'
import { registrations } from '../../support/clients/mcp-clients.ts'
import {
  buildAuthorizeUrl,
  CALLBACK,
  createVerifier,
  follow,
  openWithSignIn,
  signIn,
  TestBrowser,
} from '../../support/clients/signing-in.ts'
import { openForAll } from '../../support/runner/open-for-all.ts'

const registry = openForAll(() => openWithSignIn({ limits: { clientRegistrationsPerHour: 1_000 } }))
beforeAll(async () => {
  await registry.createKey('Acme')
})

const register = (payload: object) =>
  registry.app.inject({ method: 'POST', url: '/register', payload })

test.each(
  Object.entries(registrations).map(([name, { asked, kept }]) => [name, asked, kept] as const),
)(
  '%s is registered with what there is of its wishes, and the answer says so',
  async (_, asked, kept = {}) => {
    const answer = await register(asked)
    expect(answer.statusCode, answer.body).toBe(201)
    const expected = { ...asked, ...kept } as Record<string, unknown>
    for (const [name, value] of Object.entries(expected)) {
      expect([name, answer.json()[name]]).toEqual([name, value])
    }
    const { client_id, scope, redirect_uris, token_endpoint_auth_method } = answer.json()
    expect(typeof scope).toBe('string')
    expect('client_secret' in answer.json()).toBe(token_endpoint_auth_method !== 'none')
    // What it asked for at first is no reason to refuse its person either.
    const begun = await registry.app.inject(
      buildAuthorizeUrl({
        client_id,
        redirect_uri: redirect_uris[0],
        code_challenge: createVerifier().challenge,
        scope: String(expected.scope === scope ? scope : 'claudeai offline_access'),
      }),
    )
    expect([begun.statusCode, begun.headers.location]).toEqual([
      303,
      expect.stringMatching(/^\/sign-in\//),
    ])
  },
)

const redirect_uris = ['https://editor.example/redirect']
test.each([
  ['only an unsupported grant', { grant_types: ['urn:ietf:params:oauth:grant-type:device_code'] }],
  ['only client credentials', { grant_types: ['client_credentials'] }],
  ['only an unsupported type of response', { response_types: ['token'] }],
  ['no address to return to', { redirect_uris: [] }],
  ['only addresses that nobody may return to', { redirect_uris: ['http://evil.example/'] }],
  ['addresses that are no texts', { redirect_uris: [7, null] }],
  [
    'more than is stored of an application',
    {
      redirect_uris: Array(900)
        .fill(0)
        .map((_, i) => `https://editor.example/${i}`),
    },
  ],
])('a registration with %s is refused at once, in words', async (_, metadata) => {
  const answer = await register({ client_name: 'An editor', redirect_uris, ...metadata })
  expect([answer.statusCode, answer.json()]).toEqual([
    400,
    {
      error: expect.stringMatching(/^invalid_(client_metadata|redirect_uri)$/),
      error_description: expect.any(String),
    },
  ])
})

test('an application no longer gives way to others once a person has consented to it', async () => {
  const { db } = registry.sequencer.accounts
  const isUnused = (key: string) =>
    db.one("select 1 from stranger_items where kind = 'client' and key = $key", { key }) !==
    undefined
  const client_id = (await register({ redirect_uris: [CALLBACK] })).json().client_id
  const { challenge } = createVerifier()
  const url = buildAuthorizeUrl({ client_id, code_challenge: challenge })
  const browser = new TestBrowser(registry)
  const consent = await signIn(registry, browser, url, 'ann@acme.example')
  expect(isUnused(client_id)).toBe(true)
  await follow(browser, await browser.post(`${consent}/consent`, {}))
  expect(isUnused(client_id)).toBe(false)
})

test.each([
  ['the page that is asked', undefined, 303, /^\/sign-in\//],
  ['another site, as a GET that brings the cookies', 'cross-site', 303, /^\/authorize\?/],
])(
  'an authorization request by a form of %s is answered as one by GET',
  async (_, site, status, to) => {
    const { client_id } = (await register({ redirect_uris: [CALLBACK] })).json()
    const { challenge } = createVerifier()
    const payload = buildAuthorizeUrl({ client_id, code_challenge: challenge }).split('?')[1]!
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    const headers = { ...type, ...(site && { 'sec-fetch-site': site }) }
    const answer = await registry.send('POST', '/authorize', { headers, payload })
    expect([answer.statusCode, answer.headers.location]).toEqual([
      status,
      expect.stringMatching(to),
    ])
  },
)

test('a name of any length is cut, and nothing else of a registration is stored', async () => {
  const answer = await register({
    client_name: 'x'.repeat(16_384),
    redirect_uris,
    client_id: 'mine',
    client_secret: 'known to others',
    unknown: 'x'.repeat(16_384),
  })
  expect([answer.statusCode, answer.json().client_name]).toEqual([201, 'x'.repeat(200)])
  expect(answer.json().client_id).not.toBe('mine')
  expect(answer.body).not.toContain('known to others')
})
