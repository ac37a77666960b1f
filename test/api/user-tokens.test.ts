import { createHmac, randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { toUserId } from '../../pipeline/core/user-id.ts'
import { deriveId } from '../../pipeline/core/uuid-v7.ts'
import { observeBrandFile } from '../support/fixtures/documents.ts'
import { openAnotherApi, openRegistry, type TestRegistry } from '../support/registry/app.ts'
import { enrol } from '../support/registry/members.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { AUDIENCE, openIssuer, openWithIssuer } from '../support/servers/issuer.ts'
import { START } from '../support/worlds/clock.ts'

const MINUTE = 60_000

const issuer = openForAll(openIssuer)
let registry: TestRegistry

beforeEach(async () => {
  await issuer.rotate()
  issuer.asked.length = 0
  issuer.server = undefined
  registry = await openWithIssuer(issuer)
  await registry.observe(observeBrandFile('acme.example', 'Acme'))
})
afterEach(() => registry.close())

const ask = (
  token: string,
  url = '/api/registry/feed',
  of: { app: TestRegistry['app'] } = registry,
) => of.app.inject({ url, headers: { authorization: `Bearer ${token}` } })
const askStatus = async (token: string, url?: string) => (await ask(token, url)).statusCode
const readings = () => issuer.asked.filter(path => path === '/jwks').length
const inSeconds = (seconds: number) => START / 1_000 + seconds

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const claims = () => ({
  iss: issuer.url,
  aud: AUDIENCE,
  azp: 'console',
  sub: 'user_1',
  iat: inSeconds(0),
  exp: inSeconds(600),
})

describe('a user token', () => {
  test('is accepted, and the issuer’s keys are fetched once', async () => {
    const token = await issuer.token()
    expect(await askStatus(token)).toBe(200)
    expect(await askStatus(token)).toBe(200)
    expect(readings()).toBe(1)
  })

  test.each(['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA'])('may be signed with %s', async alg => {
    await issuer.rotate(alg)
    expect(await askStatus(await issuer.token())).toBe(200)
  })

  const refused: [string, () => Promise<string>][] = [
    ['that is over', () => issuer.token({ exp: inSeconds(-6) })],
    ['that never ends', () => issuer.token({ exp: undefined as never })],
    ['that does not count yet', () => issuer.token({ nbf: inSeconds(60) })],
    ['for somebody else', () => issuer.token({ aud: 'https://other.example' })],
    ['for nobody', () => issuer.token({ aud: undefined as never })],
    ['of another application', () => issuer.token({ azp: 'other' })],
    [
      'of another application, in the other claim',
      () => issuer.token({ azp: undefined as never, client_id: 'other' }),
    ],
    ['of no application', () => issuer.token({ azp: undefined as never })],
    ['of another issuer', () => issuer.token({ iss: 'https://issuer.example' })],
    ['of the same issuer, spelled otherwise', () => issuer.token({ iss: `${issuer.url}/` })],
    ['about nobody', () => issuer.token({ sub: '' })],
    ['without a subject', () => issuer.token({ sub: undefined as never })],
    ['of a machine, by its grant', () => issuer.token({ grant_type: 'client_credentials' })],
    ['of a machine, by its grant elsewhere', () => issuer.token({ gty: 'client-credentials' })],
    ['of a machine, by its subject', () => issuer.token({ sub: 'client_01ABC' })],
    ['that is a logout notice', () => issuer.token({}, { typ: 'logout+jwt' })],
    ['that names the encryption key', () => issuer.token({}, { kid: 'enc' })],
    [
      'without a signature',
      async () => {
        const [header, payload] = (await issuer.token()).split('.')
        return `${header}.${payload}.`
      },
    ],
    [
      'that says that it needs no signature',
      async () => `${part({ alg: 'none' })}.${part(claims())}.`,
    ],
    [
      'that says so, and has one',
      async () => `${part({ alg: 'none', kid: issuer.key().kid })}.${part(claims())}.AAAA`,
    ],
    [
      'whose claims were changed',
      async () => {
        const [header, , signature] = (await issuer.token()).split('.')
        return `${header}.${part({ ...claims(), sub: 'user_2' })}.${signature}`
      },
    ],
  ]
  test.each(refused)('%s is refused', async (_, make) => {
    expect(await askStatus(await issuer.token())).toBe(200)
    expect(await askStatus(await make())).toBe(401)
  })

  test.each(['spki', 'modulus'])(
    'signed with the public key as a secret is refused (%s)',
    async as => {
      await issuer.rotate('RS256')
      expect(await askStatus(await issuer.token())).toBe(200)
      const { kid, spki, public: jwk } = issuer.key()
      const secret = as === 'spki' ? spki : Buffer.from(jwk.n!, 'base64url')
      const signed = `${part({ alg: 'HS256', kid })}.${part(claims())}`
      const signature = createHmac('sha256', secret).update(signed).digest('base64url')
      expect(await askStatus(`${signed}.${signature}`)).toBe(401)
    },
  )

  test('signed by a key that it contains is refused', async () => {
    const other = await openIssuer()
    const { alg, private: key, public: jwk } = other.key()
    const { kid } = issuer.key()
    const token = await new SignJWT(claims())
      .setProtectedHeader({ alg, kid, jwk: jwk as never, jku: `${other.url}/jwks` })
      .sign(key)
    expect(await askStatus(token)).toBe(401)
    expect(other.asked).toEqual([])
    await other.close()
  })

  test('may carry the application in client_id, and be slightly late', async () => {
    const late = { exp: inSeconds(-4), azp: undefined as never, client_id: 'console' }
    expect(await askStatus(await issuer.token(late, { typ: 'at+jwt' }))).toBe(200)
  })

  test('is refused without a configured issuer', async () => {
    const plain = await openRegistry()
    const answer = await ask(await issuer.token(), '/api/registry/feed', plain)
    expect(answer.statusCode).toBe(401)
    await plain.close()
  })
})

describe('changed keys', () => {
  test('a token of a new key has them fetched again, and the old key is refused then', async () => {
    const old = await issuer.token()
    expect(await askStatus(old)).toBe(200)
    await issuer.rotate()
    registry.clock.tick(MINUTE)
    expect(await askStatus(await issuer.token())).toBe(200)
    expect(await askStatus(old)).toBe(401)
    expect(readings()).toBe(2)
  })

  test('unknown keys cause at most one fetch a minute', async () => {
    expect(await askStatus(await issuer.token())).toBe(200)
    await issuer.rotate()
    const early = await Promise.all([1, 2, 3].map(async () => askStatus(await issuer.token())))
    expect(early).toEqual([401, 401, 401])
    expect(readings()).toBe(1)
    registry.clock.tick(MINUTE)
    const later = await Promise.all([1, 2, 3].map(async () => askStatus(await issuer.token())))
    expect(later).toEqual([200, 200, 200])
    expect(readings()).toBe(2)
  })

  test('unchanged keys are not written again', async () => {
    issuer.server = {
      issuer: issuer.url,
      authorization_endpoint: `${issuer.url}/start`,
      token_endpoint: `${issuer.url}/token`,
    }
    expect(await askStatus(await issuer.token())).toBe(200)
    registry.clock.tick(MINUTE)
    expect(await askStatus(await issuer.token({}, { kid: 'strange' }))).toBe(401)
    expect(readings()).toBe(2)
    expect(registry.submitted.filter(({ op }) => op === 'issuer.set')).toHaveLength(1)
  })

  test('are known to other processes and after a restart, without a fetch', async () => {
    const token = await issuer.token()
    expect(await askStatus(token)).toBe(200)
    await registry.restart()
    const other = await openAnotherApi(registry)
    expect((await ask(token, '/api/registry/feed', other)).statusCode).toBe(200)
    expect(readings()).toBe(1)
    await other.close()
  })

  test('an unreachable issuer leaves the known keys in force', async () => {
    const away = await openIssuer()
    const offline = await openWithIssuer(away)
    const token = await away.token()
    const status = async () => (await ask(token, '/api/registry/feed', offline)).statusCode
    expect(await status()).toBe(200)
    await away.close()
    offline.clock.tick(2 * MINUTE)
    const strange = await away.token({}, { kid: 'strange' })
    expect((await ask(strange, '/api/registry/feed', offline)).statusCode).toBe(401)
    expect(await status()).toBe(200)
    await offline.close()
  })

  test('the address of the keys comes from the settings alone, and only that host may be private', async () => {
    const AUTH_ISSUER = issuer.url.replace('127.0.0.1', 'localhost')
    const elsewhere = await openWithIssuer(issuer, { settings: { AUTH_ISSUER } })
    const token = await issuer.token({ iss: AUTH_ISSUER })
    const answer = await ask(token, '/api/registry/feed', elsewhere)
    expect(answer.statusCode).toBe(401)
    expect(readings()).toBe(0)
    await elsewhere.close()
  })
})

describe('a person', () => {
  const join = (org: string, role = 'member', user_id = 'user_1') =>
    registry.submit({ op: 'membership.set', org, user_id, role: role as never })

  test('sees what their organization may see from the commit in which they join it', async () => {
    const agent = 'https://agent.acme.example/mcp'
    await enrol(registry, {
      org: 'Acme',
      tier: 'company_leader',
      domains: ['acme.example'],
      agents: [{ url: agent, visibility: 'private' }],
    })
    await registry.publish()
    const token = await issuer.token()
    const readPerson = async () => {
      const answer = await ask(token, '/api/registry/operator?domain=acme.example')
      return answer.json().agents.map(({ url }: { url: string }) => url)
    }
    // Read once where a credential is needed, so that the keys are known.
    expect(await askStatus(token)).toBe(200)
    expect(await readPerson()).toEqual([])
    await join('Acme')
    expect(await readPerson()).toEqual([agent])
    await registry.submit({ op: 'membership.remove', org: 'Acme', user_id: 'user_1' })
    expect(await readPerson()).toEqual([])
  })

  test('sees the progress of a colleague’s crawl, and of nobody else’s', async () => {
    await registry.createKey('Acme')
    await join('Acme')
    await join('Acme', 'member', 'user_2')
    const id = randomUUID()
    await registry.submit({
      op: 'crawl.request',
      crawl_request_id: id,
      scope: 'domain',
      domain: 'acme.example' as never,
      requested_by: 'user_2',
      org_id: (await findOrgId('Acme'))!,
    })
    const url = `/api/registry/crawl-request/${id}`
    expect(await askStatus(await issuer.token(), url)).toBe(200)
    expect(await askStatus(await issuer.token({ sub: 'user_3' }), url)).toBe(404)
  })

  test('with an address as subject is known by its hash', async () => {
    await registry.createKey('Acme')
    const token = await issuer.token({ sub: 'ann@acme.example' })
    const keys = async () => (await ask(token, '/api/me/api-keys')).statusCode
    expect(await keys()).toBe(400)
    await join('Acme', 'owner', 'ann@acme.example')
    expect(await keys(), 'the address itself is nobody').toBe(400)
    await join('Acme', 'owner', toUserId('Ann@acme.example'))
    expect(await keys()).toBe(200)
  })
})

async function findOrgId(name: string): Promise<string | undefined> {
  const row = await registry.sequencer.accounts.db.one<{ org_id: string }>(
    'select org_id from organizations where name = $name',
    { name },
  )
  return row?.org_id
}

describe('public reads', () => {
  const url = '/api/brands/resolve?domain=acme.example'
  const optional = '/api/registry/agents'

  test.each([
    ['nonsense', 'x'],
    ['an unknown key', 'sk_nobody'],
    ['a token that nobody signed', `${part({ alg: 'none' })}.${part({})}.`],
    ['a forged token', `${part({ alg: 'RS256', kid: 'x' })}.${part({ sub: 'x' })}.AAAA`],
  ])('never fail because of %s', async (_, token) => {
    await registry.publish()
    for (const path of [url, optional]) expect(await askStatus(token, path)).toBe(200)
    expect(readings(), 'and send nobody to the issuer').toBe(0)
  })
})

describe('401', () => {
  const metadata = 'https://registry.example/.well-known/oauth-protected-resource'

  test('says where to learn how to authenticate', async () => {
    const answer = await registry.app.inject('/api/registry/feed')
    expect(answer.headers['www-authenticate']).toBe(`Bearer resource_metadata="${metadata}/api"`)
    const tried = await ask('sk_nobody')
    expect(tried.headers['www-authenticate']).toBe(
      `Bearer error="invalid_token", resource_metadata="${metadata}/api"`,
    )
  })

  test('says so for the tools as well', async () => {
    const call = (token: string) =>
      registry.send('POST', '/mcp', {
        key: token,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        payload: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      })
    const refused = await call(await issuer.token({ exp: inSeconds(-60) }))
    expect(refused.statusCode).toBe(401)
    expect(refused.headers['www-authenticate']).toContain(`resource_metadata="${metadata}/mcp"`)
    const names = (await call(await issuer.token())).json().result.tools
    expect(names.map(({ name }: { name: string }) => name)).toContain('read_feed')
  })
})

describe('metadata', () => {
  const get = async (path: string, of = registry) =>
    (await of.app.inject(`/.well-known/${path}`)).json()

  test('names the issuer byte for byte in both documents', async () => {
    const api = await get('oauth-protected-resource/api')
    const tools = await get('oauth-protected-resource/mcp')
    issuer.server = {
      issuer: issuer.url,
      authorization_endpoint: `${issuer.url}/start`,
      token_endpoint: `${issuer.url}/token`,
    }
    expect(await askStatus(await issuer.token())).toBe(200)
    const server = await get('oauth-authorization-server')
    expect(api).toMatchObject({
      resource: 'https://registry.example/api',
      authorization_servers: [issuer.url],
    })
    expect(tools.resource).toBe('https://registry.example/mcp')
    // What it does not say of itself is not said of it.
    expect(server).toEqual(issuer.server)
  })

  test('passes on the issuer’s own metadata, and not that of another one', async () => {
    const said = {
      issuer: issuer.url,
      authorization_endpoint: 'https://issuer.example/oauth2/start',
      token_endpoint: 'https://issuer.example/oauth2/token',
      registration_endpoint: 'https://issuer.example/oauth2/clients',
    }
    issuer.server = said
    expect(await askStatus(await issuer.token())).toBe(200)
    expect(await get('oauth-authorization-server')).toMatchObject(said)
    issuer.server = { ...said, issuer: 'https://evil.example' }
    await issuer.rotate()
    registry.clock.tick(MINUTE)
    expect(await askStatus(await issuer.token())).toBe(200)
    expect(await get('oauth-authorization-server')).toMatchObject({
      code: 'not_found',
      error: expect.stringContaining('publishes no metadata'),
    })
  })

  test('says that there is no issuer where none is configured', async () => {
    const plain = await openRegistry()
    expect(await get('oauth-protected-resource/api', plain)).toMatchObject({
      authorization_servers: [],
    })
    const answer = await plain.app.inject('/.well-known/oauth-authorization-server')
    expect(answer.statusCode).toBe(404)
    await plain.close()
  })
})

test('an organization with the name of another one’s id gets no rights of it', async () => {
  await registry.createKey('Acme')
  const org_id = (await findOrgId('Acme'))!
  const [answer] = await registry.submit({
    op: 'organization.create',
    org_id: deriveId('org', 'Evil'),
    name: org_id,
  })
  expect(answer).toMatchObject({ error: 'conflict' })
})
