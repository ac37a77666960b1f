import { createHmac, createPublicKey } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader, importJWK, type JWTPayload, SignJWT } from 'jose'
import { beforeAll, expect, test } from 'vitest'
import { readTokenKeys } from '../../../pipeline/core/keys/token-keys.ts'
import { NIL_UUID } from '../../../pipeline/core/uuid-v7.ts'
import { createKey, obtainTokens, openWithSignIn } from '../../support/clients/signing-in.ts'
import { openForAll } from '../../support/runner/open-for-all.ts'

const former = createKey()
const HOUR = 3_600_000

const registry = openForAll(() => openWithSignIn({}, [createKey(), former]))
let tokens: Awaited<ReturnType<typeof obtainTokens>>
let own: ReturnType<typeof readTokenKeys>

beforeAll(async () => {
  await registry.createKey('Acme')
  tokens = await obtainTokens(registry)
  own = readTokenKeys(registry.config)
})

const askStatus = async (token: string) => {
  const headers = { authorization: `Bearer ${token}` }
  return (await registry.app.inject({ url: '/api/registry/feed', headers })).statusCode
}

/** Signs what the registry would, with what is said otherwise. */
async function sign(claims: JWTPayload = {}, header: object = {}, index = 0): Promise<string> {
  const jwk = own!.private[index]!
  return new SignJWT({ ...decodeJwt(tokens.access_token), ...claims })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: jwk.kid, ...header })
    .sign(await importJWK({ ...jwk }, 'ES256'))
}

/** Signs what the registry would with a key of somebody else, which the token may bring along. */
async function buildForgery(header: object, bringsKey = false): Promise<string> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' }
  const pair = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const jwk = bringsKey && { jwk: await crypto.subtle.exportKey('jwk', pair.publicKey) }
  return new SignJWT(decodeJwt(tokens.access_token))
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', ...(jwk as object), ...header })
    .sign(pair.privateKey)
}

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

test('a token of the current key and one of a former key are valid', async () => {
  expect(decodeProtectedHeader(tokens.access_token).kid).toBe(own!.public[0]!.kid)
  expect(await askStatus(await sign())).toBe(200)
  expect(await askStatus(await sign({}, {}, 1))).toBe(200)
  const { keys } = (await registry.app.inject('/oauth/jwks')).json()
  expect(keys.map(({ kid }: { kid: string }) => kid)).toEqual(own!.public.map(({ kid }) => kid))
  expect(JSON.stringify(keys)).not.toMatch(/"d":/)
})

test.each<[string, () => Promise<string> | string]>([
  ['an ID token', () => tokens.id_token],
  ['a refresh token', () => tokens.refresh_token],
  [
    'a token that says that it needs no signature',
    () => `${part({ alg: 'none', typ: 'at+jwt' })}.${part(decodeJwt(tokens.access_token))}.`,
  ],
  ['a token without the type of an access token', () => sign({}, { typ: 'JWT' })],
  ['a token for another audience', () => sign({ aud: 'https://other.example' })],
  ['a token of another issuer', () => sign({ iss: 'https://other.example' })],
  ['a token of no application', () => sign({ client_id: undefined as never })],
  ['a token that never ends', () => sign({ exp: undefined as never })],
  ['a token that names no key', () => sign({}, { kid: undefined })],
  ['a token that names another key', () => sign({}, { kid: own!.public[1]!.kid })],
  ['a token that names a key by a path', () => sign({}, { kid: '../../../dev/null' })],
  ['a token of a key at an address', () => buildForgery({ jku: 'https://evil.example/jwks.json' })],
  ['a token of a key in a certificate', () => buildForgery({ x5c: ['MIIB'] })],
  [
    'a token of an unknown key under a known name',
    () => buildForgery({ kid: own!.public[0]!.kid }),
  ],
  ['a token of somebody who never signed in', () => sign({ sub: NIL_UUID })],
  ['a token of an application alone', () => sign({ sub: tokens.client_id })],
  [
    'a token signed with the public key as a secret',
    () => {
      const { kid, x, y } = own!.public[0]!
      const key = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
      const signed = `${part({ alg: 'HS256', typ: 'at+jwt', kid })}.${part(decodeJwt(tokens.access_token))}`
      const secret = key.export({ type: 'spki', format: 'pem' })
      return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
    },
  ],
  ['a token of a key that it brings along', () => buildForgery({}, true)],
])('%s is refused', async (_, make) => {
  expect(await askStatus(tokens.access_token)).toBe(200)
  expect(await askStatus(await make())).toBe(401)
})

test('an application cannot get a token for itself alone', async () => {
  const answer = await registry.send('POST', '/token', {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: `grant_type=client_credentials&client_id=${tokens.client_id}`,
  })
  expect([answer.statusCode, answer.json().error]).toEqual([400, 'unsupported_grant_type'])
})

test('a token expires', async () => {
  const { exp } = decodeJwt(tokens.access_token)
  registry.clock.tick(exp! * 1_000 - registry.clock.now() + HOUR)
  expect(await askStatus(tokens.access_token)).toBe(401)
})
