import { createHmac, generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { enrol } from '../support/registry/members.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { AUDIENCE, openIssuer, openWithIssuer } from '../support/servers/issuer.ts'
import { START } from '../support/worlds/clock.ts'

const issuer = openForAll(openIssuer)
const registry = openForAll(() => openWithIssuer(issuer))
let key: string

beforeAll(async () => {
  key = await enrol(registry, { org: 'Acme' })
})

beforeEach(async () => {
  expect(await askStatus(`Bearer ${await issuer.token()}`), 'a good one is taken').toBe(200)
})

const askStatus = async (authorization: string) =>
  (await registry.app.inject({ url: '/api/registry/feed', headers: { authorization } })).statusCode

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const claims = () => ({
  iss: issuer.url,
  aud: AUDIENCE,
  azp: 'console',
  sub: 'user_1',
  iat: START / 1_000,
  exp: START / 1_000 + 600,
})

/** A token signed by a key of nobody, under a header that says what to make of it. */
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const jwk = publicKey.export({ format: 'jwk' })
function signToken(header: object, said: object = claims()): string {
  const text = `${part({ alg: 'RS256', kid: issuer.key().kid, ...header })}.${part(said)}`
  return `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`
}

describe('a token that could be read in another way', () => {
  test.each<[string, () => object]>([
    ['brings its key along', () => ({ jwk })],
    ['brings a certificate', () => ({ x5c: [publicKey.export({ format: 'pem', type: 'spki' })] })],
    ['says where its key is', () => ({ jku: 'https://evil.example/jwks' })],
    ['says where its certificate is', () => ({ x5u: 'https://evil.example/cert' })],
    ['names a key that is a path', () => ({ kid: '../../../../dev/null' })],
    ['names a key that is a question', () => ({ kid: `' or 1=1 --` })],
    ['names no key', () => ({ kid: undefined })],
    ['names a key of objects', () => ({ kid: '__proto__' })],
    ['asks for no signature', () => ({ alg: 'none' })],
    ['asks for none in other letters', () => ({ alg: 'nOnE' })],
    ['asks for another kind of signature', () => ({ alg: 'RS1' })],
    ['asks for an extension', () => ({ crit: ['exp'], exp: 0 })],
    ['asks for its claims to be taken unencoded', () => ({ b64: false, crit: ['b64'] })],
    ['asks to be unpacked', () => ({ zip: 'DEF' })],
  ])('and %s is refused, and leads nobody anywhere', async (_, header) => {
    issuer.asked.length = 0
    expect(await askStatus(`Bearer ${signToken(header())}`)).toBe(401)
    expect(issuer.asked.filter(path => path !== '/jwks')).toEqual([])
  })

  test.each(['HS256', 'HS384', 'HS512'])(
    'signed with the public key as a secret is refused (%s)',
    async alg => {
      const { kid, spki } = issuer.key()
      const text = `${part({ alg, kid })}.${part(claims())}`
      for (const secret of [spki, spki.trim(), JSON.stringify(issuer.key().public)]) {
        const hash = alg.replace('HS', 'sha')
        const signature = createHmac(hash, secret).update(text).digest('base64url')
        expect(await askStatus(`Bearer ${text}.${signature}`)).toBe(401)
      }
    },
  )

  test('with five parts, as one inside another, or too large is refused', async () => {
    const good = await issuer.token()
    const [header, payload, signature] = good.split('.')
    for (const token of [
      `${part({ alg: 'dir', enc: 'A256GCM' })}..${payload}.${signature}.AAAA`,
      `${header}.${payload}.${signature}.${signature}`,
      `${header}.${payload}.${signature}=`,
      `${header}.${Buffer.from(good).toString('base64url')}.${signature}`,
      `${header}..${signature}`,
      '..',
      signToken({}, { ...claims(), padding: 'x'.repeat(10_000) }),
    ]) {
      expect(await askStatus(`Bearer ${token}`), token.slice(0, 60)).toBe(401)
    }
  })

  test('with the claims of one and the signature of another is refused', async () => {
    const [mine, theirs] = [await issuer.token(), await issuer.token({ sub: 'user_2' })]
    const [header, , signature] = mine.split('.')
    expect(await askStatus(`Bearer ${header}.${theirs.split('.')[1]}.${signature}`)).toBe(401)
  })
})

describe('a credential of one kind', () => {
  test('does not count as one of another kind', async () => {
    const token = await issuer.token()
    for (const credential of [
      `Bearer sk_${token}`,
      `Bearer ${key}.${token.split('.').slice(1).join('.')}`,
      `Bearer ${key.replace('sk_', '')}`,
      `Bearer sk_${'a'.repeat(250)}`,
      `Basic ${key}`,
      `Bearer ${key} ${token}`,
      `Bearer ${key},Bearer ${token}`,
      'Bearer',
      'Bearer  ',
      key,
      `Bearer sk_${randomUUID()}`,
    ]) {
      expect(await askStatus(credential), credential.slice(0, 40)).toBe(401)
    }
    expect(await askStatus(`Bearer ${key}`)).toBe(200)
  })

  test('grants no rights by its claims: memberships are in the registry', async () => {
    const orgs = await registry.sequencer.accounts.db.all<{ org_id: string }>(
      'select org_id from organizations',
    )
    const { org_id } = orgs[0]!
    const token = await issuer.token({
      org_id,
      organization_id: org_id,
      role: 'owner',
      roles: ['admin', 'moderator'],
      permissions: ['admin:*'],
      scope: 'admin moderator',
      is_admin: true,
    })
    const headers = { authorization: `Bearer ${token}` }
    const asked = (url: string) => registry.app.inject({ url, headers })
    expect((await asked(`/api/me/api-keys?org=${org_id}`)).statusCode).toBe(403)
    expect((await asked(`/api/me/agents?org=${org_id}`)).statusCode).toBe(403)
    const queue = await asked('/api/registry/mirror-proposals?review_queue=true')
    expect(queue.statusCode).toBe(403)
  })
})
