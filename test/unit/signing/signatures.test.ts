import { generateKeyPairSync } from 'node:crypto'
import { createWebhookVerifier, StaticJwksResolver, signWebhook } from '@adcp/sdk/signing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Algorithm, PublicJwk } from '../../../pipeline/signing/keys.ts'
import { buildWebhookProfile } from '../../../pipeline/signing/profile.ts'
import { MemoryReplayStore } from '../../../pipeline/signing/replay-store.ts'
import { signRequest } from '../../../pipeline/signing/sign.ts'
import type { SignedRequest } from '../../../pipeline/signing/signature-base.ts'
import {
  parseByteDictionary,
  parseSignatureInputs,
} from '../../../pipeline/signing/structured-fields.ts'
import { type Verifier, verifySignature } from '../../../pipeline/signing/verify-signature.ts'

const NOW = 1_790_000_000
const profile = buildWebhookProfile('proto')

function createKey(alg: Algorithm, keyid = 'k1') {
  const pair =
    alg === 'ed25519'
      ? generateKeyPairSync('ed25519')
      : generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwk = {
    ...pair.publicKey.export({ format: 'jwk' }),
    kid: keyid,
    alg: alg === 'ed25519' ? 'EdDSA' : 'ES256',
    use: 'sig',
    key_ops: ['verify'],
    proto_use: 'webhook-signing',
    adcp_use: 'webhook-signing',
  } as PublicJwk
  return { jwk, signing: { keyid, alg, privateKey: pair.privateKey }, privateKey: pair.privateKey }
}

const keys = { ed25519: createKey('ed25519'), 'ecdsa-p256-sha256': createKey('ecdsa-p256-sha256') }

function createVerifier(jwk: PublicJwk, replays = new MemoryReplayStore()): Verifier {
  return { profile, findKey: keyid => (keyid === jwk.kid ? jwk : undefined), replays }
}

function post(body: string, url = 'https://buyer.example/hooks/1?b=2&a=1'): SignedRequest {
  return { method: 'POST', url, headers: { 'Content-Type': 'application/json' }, body }
}

function sign(request: SignedRequest, alg: Algorithm = 'ed25519', now = NOW): SignedRequest {
  const headers = signRequest(request, keys[alg].signing, profile, { now })
  return { ...request, headers: { ...request.headers, ...headers } }
}

const algorithms = fc.constantFrom<Algorithm>('ed25519', 'ecdsa-p256-sha256')
const paths = fc.webUrl({ withQueryParameters: true, validSchemes: ['https'] })

describe('a signature', () => {
  test('is valid for what was signed, whatever the address and the body', async () => {
    await fc.assert(
      fc.asyncProperty(paths, fc.string(), algorithms, async (url, body, alg) => {
        const request = sign(post(body, url), alg)
        const outcome = await verifySignature(request, createVerifier(keys[alg].jwk), NOW)
        expect(outcome).toEqual({ outcome: 'verified', keyid: 'k1' })
      }),
      { numRuns: 100 },
    )
  })

  test.each<[string, (request: SignedRequest) => SignedRequest, string]>([
    ['another body', request => ({ ...request, body: '{"a":2}' }), 'digest_mismatch'],
    ['another method', request => ({ ...request, method: 'PUT' }), 'invalid'],
    ['another path', request => ({ ...request, url: 'https://buyer.example/hooks/2' }), 'invalid'],
    [
      'another order of the query',
      request => ({ ...request, url: 'https://buyer.example/hooks/1?a=1&b=2' }),
      'invalid',
    ],
    ['another host', request => ({ ...request, url: 'https://evil.example/hooks/1' }), 'invalid'],
    [
      'another content type',
      request => ({ ...request, headers: { ...request.headers, 'Content-Type': 'text/plain' } }),
      'invalid',
    ],
    [
      'no content type',
      ({ headers: { 'Content-Type': _, ...headers }, ...request }) => ({ ...request, headers }),
      'components_incomplete',
    ],
    [
      'no digest',
      ({ headers: { 'Content-Digest': _, ...headers }, ...request }) => ({ ...request, headers }),
      'components_incomplete',
    ],
    [
      'a plain http address',
      request => ({ ...request, url: 'http://buyer.example/hooks/1' }),
      'target_uri_malformed',
    ],
    [
      'another nonce',
      request => ({
        ...request,
        headers: {
          ...request.headers,
          'Signature-Input': String(request.headers['Signature-Input']).replace(
            /nonce="[^"]*"/,
            'nonce="AAAAAAAAAAAAAAAAAAAAAA"',
          ),
        },
      }),
      'invalid',
    ],
  ])('does not hold for %s', async (_title, change, refusal) => {
    const request = change(sign(post('{"a":1}')))
    const outcome = await verifySignature(request, createVerifier(keys.ed25519.jwk), NOW)
    expect(outcome).toEqual({ outcome: 'refused', refusal })
  })

  test('is valid once, from a minute before it was made until a minute after it expires', async () => {
    const request = sign(post('{}'))
    const at = (now: number) => verifySignature(request, createVerifier(keys.ed25519.jwk), now)
    expect(await at(NOW - 61)).toEqual({ outcome: 'refused', refusal: 'window_invalid' })
    expect(await at(NOW - 60)).toMatchObject({ outcome: 'verified' })
    expect(await at(NOW + 360)).toMatchObject({ outcome: 'verified' })
    expect(await at(NOW + 361)).toEqual({ outcome: 'refused', refusal: 'window_invalid' })
    const verifier = createVerifier(keys.ed25519.jwk)
    expect(await verifySignature(request, verifier, NOW - 60)).toMatchObject({
      outcome: 'verified',
    })
    expect(await verifySignature(request, verifier, NOW + 360)).toEqual({
      outcome: 'refused',
      refusal: 'replayed',
    })
  })

  test('that is refused does not use up its nonce', async () => {
    const verifier = createVerifier(keys.ed25519.jwk)
    const request = sign(post('{"a":1}'))
    await verifySignature({ ...request, body: '{}' }, verifier, NOW)
    expect(await verifySignature(request, verifier, NOW)).toMatchObject({ outcome: 'verified' })
  })

  test('is valid once among many with one nonce at the same time', async () => {
    const verifier = createVerifier(keys.ed25519.jwk)
    const request = sign(post('{}'))
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => verifySignature(request, verifier, NOW)),
    )
    expect(outcomes.filter(({ outcome }) => outcome === 'verified')).toHaveLength(1)
  })

  test('cannot be made for an invalid address, or without a covered header', () => {
    const { signing } = keys.ed25519
    expect(() => signRequest(post('{}', 'ftp://x'), signing, profile, { now: NOW })).toThrow(
      TypeError,
    )
    expect(() =>
      signRequest({ ...post('{}'), headers: {} }, signing, profile, { now: NOW }),
    ).toThrow(/header/)
  })
})

describe('any signature headers', () => {
  const noise = fc.oneof(
    fc.string(),
    fc.stringMatching(/^[a-z0-9=;:,"() \\@-]{0,200}$/),
    fc.constantFrom('sig1=', 'sig1=()', 'sig1=("a";b)', 'sig1=("a" "a")', '__proto__=::', '"'),
  )

  test('are parsed or refused, without an exception', async () => {
    await fc.assert(
      fc.asyncProperty(noise, noise, noise, async (input, signature, digest) => {
        const headers = {
          'content-type': 'application/json',
          'signature-input': input,
          signature,
          'content-digest': digest,
        }
        const outcome = await verifySignature(
          { ...post('{}'), headers },
          createVerifier(keys.ed25519.jwk),
          NOW,
        )
        expect(outcome.outcome).toBe('refused')
      }),
      { numRuns: 500 },
    )
  })

  test('take time linear in their length', () => {
    const long = `sig1=(${'"a" '.repeat(200_000)})`
    expect(parseSignatureInputs(long)).toBeUndefined()
    expect(parseSignatureInputs('"'.repeat(1_000_000))).toBeUndefined()
    expect(parseByteDictionary(`sig1=:${'A'.repeat(1_000_000)}`)).toBeUndefined()
  })
})

describe('nonces', () => {
  test('of one key are bounded, do not displace others, and expire after seven minutes', () => {
    const replays = new MemoryReplayStore(2)
    const nonce = (keyid: string, name: string) => ({
      keyid,
      uri: 'https://a.example/',
      nonce: name,
    })
    expect(replays.add(nonce('k', '1'), NOW)).toBe(true)
    expect(replays.add(nonce('k', '1'), NOW)).toBe(false)
    expect(replays.add(nonce('k', '2'), NOW)).toBe(true)
    expect(replays.isFull('k', NOW + 420)).toBe(true)
    expect(replays.isFull('other', NOW)).toBe(false)
    expect(replays.isFull('k', NOW + 421)).toBe(false)
    expect(replays.has(nonce('k', '1'), NOW + 421)).toBe(false)
  })
})

describe('the public client', () => {
  test('accepts our signatures', async () => {
    const { jwk, signing } = keys.ed25519
    const tag = 'adcp/webhook-signing/v1'
    const verify = createWebhookVerifier({
      jwks: new StaticJwksResolver([jwk as never]),
      requiredTag: tag,
      now: () => NOW,
    } as never)
    const request = post('{"idempotency_key":"0123456789abcdef"}')
    const headers = signRequest(request, signing, buildWebhookProfile('adcp'), { now: NOW })
    await expect(
      verify({ ...request, headers: { ...request.headers, ...headers } } as never),
    ).resolves.toMatchObject({ keyid: 'k1' })
  })

  test('makes signatures that we accept', async () => {
    const { jwk, privateKey } = keys.ed25519
    const request = post('{"idempotency_key":"0123456789abcdef"}')
    const { headers } = signWebhook(
      request as never,
      { keyid: 'k1', alg: 'ed25519', privateKey: privateKey.export({ format: 'jwk' }) } as never,
      { now: () => NOW } as never,
    )
    const outcome = await verifySignature(
      { ...request, headers: headers as never },
      { ...createVerifier(jwk), profile: buildWebhookProfile('adcp') },
      NOW,
    )
    expect(outcome).toEqual({ outcome: 'verified', keyid: 'k1' })
  })
})
