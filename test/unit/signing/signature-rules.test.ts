import { createHash, generateKeyPairSync } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { BinaryEncoding } from '../../../pipeline/signing/binary-encoding.ts'
import type { PublicJwk } from '../../../pipeline/signing/keys.ts'
import {
  buildRequestProfile,
  buildWebhookProfile,
  type SigningProfile,
  toErrorCode,
} from '../../../pipeline/signing/profile.ts'
import { MemoryReplayStore } from '../../../pipeline/signing/replay-store.ts'
import { signRequest } from '../../../pipeline/signing/sign.ts'
import type { SignedRequest } from '../../../pipeline/signing/signature-base.ts'
import { normalizeTargetUri } from '../../../pipeline/signing/target-uri.ts'
import { verifySignature } from '../../../pipeline/signing/verify-signature.ts'

const NOW = 1_790_000_000
const pair = generateKeyPairSync('ed25519')
const key = { keyid: 'k1', alg: 'ed25519', privateKey: pair.privateKey } as const
const jwk: PublicJwk = {
  ...pair.publicKey.export({ format: 'jwk' }),
  kid: 'k1',
  alg: 'EdDSA',
  key_ops: ['verify'],
  proto_use: 'request-signing',
}

const profiles: Record<string, SigningProfile> = {
  webhook: buildWebhookProfile('proto'),
  request: buildRequestProfile('proto', 'required'),
}
const kinds = Object.keys(profiles)

function post(body = '{"a":1}', url = 'https://buyer.example/hooks'): SignedRequest {
  return { method: 'POST', url, headers: { 'Content-Type': 'application/json' }, body }
}

function withHeaders(request: SignedRequest, headers: Record<string, string>): SignedRequest {
  return { ...request, headers: { ...request.headers, ...headers } }
}

/** Verifies a request, and returns `verified` or the code of the refusal. */
async function verify(request: SignedRequest, profile: SigningProfile, key = jwk): Promise<string> {
  const replays = new MemoryReplayStore()
  const verification = await verifySignature(request, { profile, findKey: () => key, replays }, NOW)
  if (verification.outcome !== 'refused') return verification.outcome
  return toErrorCode(profile, verification.refusal)
}

describe('a host with an empty label', () => {
  // One dot at the end is the root of the DNS; public cases of canonicalization refuse two.
  const urls = [
    'example.com..',
    'example..com',
    '.example.com',
    'example.com..:8443',
    '.',
    '..',
    'a.。',
  ]

  test.each(urls)('is neither signed nor verified: %s', async host => {
    const url = `https://${host}/p`
    expect(normalizeTargetUri(url)).toBeUndefined()
    expect(() => signRequest(post('{}', url), key, profiles.webhook!, { now: NOW })).toThrow()
    const signed = signRequest(post('{}'), key, profiles.webhook!, { now: NOW })
    const code = await verify(withHeaders(post('{}', url), signed), profiles.webhook!)
    expect(['webhook_target_uri_malformed', 'webhook_signature_header_malformed']).toContain(code)
  })

  test('is one however many dots there are, while one dot at the end is dropped', () => {
    const label = fc.stringMatching(/^[a-z]{1,8}$/)
    fc.assert(
      fc.property(fc.array(label, { minLength: 1, maxLength: 4 }), fc.nat(4), (labels, dots) => {
        const host = labels.join('.')
        const target = normalizeTargetUri(`https://${host}${'.'.repeat(dots)}/p`)
        expect(target?.authority).toBe(dots > 1 ? undefined : host)
      }),
    )
  })
})

describe('a nonce', () => {
  const sign = (profile: SigningProfile, nonce: string) => {
    const request = post()
    const signed = signRequest(request, key, profile, { now: NOW })
    const input = signed['Signature-Input']!.replace(/nonce="[^"]*"/, `nonce="${nonce}"`)
    return withHeaders(request, { ...signed, 'Signature-Input': input })
  }

  // The profile wants unpadded base64url of at least 16 bytes; these were all accepted.
  test.each([
    ['of 15 bytes', Buffer.alloc(15, 7).toString('base64url')],
    ['of 18 characters', 'REPLAYED_________A'],
    ['that is empty', ''],
    ['with padding', `${Buffer.alloc(16, 7).toString('base64url')}==`],
    ['of the other alphabet', Buffer.alloc(16, 0xfb).toString('base64')],
    ['with spaces', 'AAAAAAAAAAA AAAAAAAAAAA'],
    ['that no bytes have', 'A'.repeat(25)],
  ])('%s is refused', async (_title, nonce) => {
    for (const kind of kinds) {
      const profile = profiles[kind]!
      expect(await verify(sign(profile, nonce), profile)).toBe(
        `${kind}_signature_params_incomplete`,
      )
      expect(() => signRequest(post(), key, profile, { now: NOW, nonce })).toThrow(TypeError)
    }
  })

  test('of 16 bytes and more is accepted', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ minLength: 16, maxLength: 64 }),
        fc.constantFrom(...kinds),
        async (bytes, kind) => {
          const profile = profiles[kind]!
          const nonce = Buffer.from(bytes).toString('base64url')
          const signed = signRequest(post(), key, profile, { now: NOW, nonce })
          expect(await verify(withHeaders(post(), signed), profile)).toBe('verified')
        },
      ),
      { numRuns: 50 },
    )
  })
})

describe('a key', () => {
  test.each(['enc', 'SIG', '', 7 as unknown as string])(
    'whose JWK is for another use verifies nothing: %s',
    async use => {
      for (const kind of kinds) {
        const profile = profiles[kind]!
        const request = withHeaders(post(), signRequest(post(), key, profile, { now: NOW }))
        const code = `${kind}_signature_key_purpose_invalid`
        expect(await verify(request, profile, { ...jwk, use })).toBe(code)
      }
    },
  )

  test('verifies where its JWK names signatures as its use, or no use', async () => {
    for (const profile of Object.values(profiles)) {
      const request = withHeaders(post(), signRequest(post(), key, profile, { now: NOW }))
      expect(await verify(request, profile)).toBe('verified')
      expect(await verify(request, profile, { ...jwk, use: 'sig' })).toBe('verified')
    }
  })
})

describe('profile 3.2', () => {
  const later = {
    webhook: buildWebhookProfile('proto', '3.2'),
    request: buildRequestProfile('proto', 'either', '3.2'),
  }
  // Its hash and its signature contain characters that differ between the alphabets.
  const body = '{"a":1}'

  /** Signs with the two headers in the given encodings. */
  function signAs(signature: BinaryEncoding, digest: BinaryEncoding, profile: SigningProfile) {
    const signed = signRequest(
      post(body),
      key,
      { ...profile, encoding: { signature, digest } },
      { now: NOW },
    )
    return withHeaders(post(body), signed)
  }

  test('writes both headers in base64url without padding, and 3.1 stays the default', () => {
    const hash = createHash('sha256').update(body).digest()
    for (const profile of Object.values(later)) {
      const signed = signRequest(post(body), key, profile, { now: NOW })
      expect(signed.Signature).toMatch(/^sig1=:[A-Za-z0-9_-]{86}:$/)
      expect(signed['Content-Digest']).toBe(`sha-256=:${hash.toString('base64url')}:`)
    }
    const signed = signRequest(post(body), key, buildWebhookProfile('proto'), { now: NOW })
    expect(signed.Signature).toMatch(/^sig1=:[A-Za-z0-9_-]{86}:$/)
    expect(signed['Content-Digest']).toBe(`sha-256=:${hash.toString('base64')}:`)
  })

  // The public vectors of 3.2 have both in Base64 with padding, as RFC 8941 writes bytes.
  test.each<[BinaryEncoding, BinaryEncoding, boolean]>([
    ['base64url', 'base64url', true],
    ['base64', 'base64', true],
    ['base64url', 'base64', false],
    ['base64', 'base64url', false],
  ])('with Signature in %s and Content-Digest in %s', async (signature, digest, isAccepted) => {
    for (const [kind, profile] of Object.entries(later)) {
      expect(await verify(signAs(signature, digest, profile), profile)).toBe(
        isAccepted ? 'verified' : `${kind}_signature_header_malformed`,
      )
      expect(await verify(signAs(signature, digest, profile), profiles[kind]!)).toBe('verified')
    }
  })

  test('covers the body of every request', async () => {
    const bare = buildRequestProfile('proto', 'forbidden')
    const request = withHeaders(post(body), signRequest(post(body), key, bare, { now: NOW }))
    expect(await verify(request, buildRequestProfile('proto'))).toBe('verified')
    expect(await verify(request, later.request)).toBe('request_signature_components_incomplete')
    expect(() => buildRequestProfile('proto', 'forbidden', '3.2')).toThrow(TypeError)
  })

  test('and 3.1 refuse a value that mixes the alphabets', async () => {
    const refused = ['-+', '_/', '-', '_']
    for (const profile of [...Object.values(later), ...Object.values(profiles)]) {
      const signed = signAs('base64url', 'base64url', profile)
      for (const chars of refused) {
        // A single character of base64url contradicts the padding of the other alphabet.
        const Signature = `sig1=:${chars.padEnd(86, 'A')}==:`
        expect(await verify(withHeaders(signed, { Signature }), profile)).toBe(
          `${profile.kind}_signature_header_malformed`,
        )
      }
    }
  })

  test('reads any message that one encoding explains, and no other', async () => {
    const encoding = fc.constantFrom<BinaryEncoding>('base64', 'base64url')
    await fc.assert(
      fc.asyncProperty(encoding, encoding, fc.boolean(), async (signature, digest, isTrimmed) => {
        const signed = signAs(signature, digest, later.webhook)
        const trimmed = String(signed.headers.Signature).replace(/=+:$/, ':')
        const isUnpadded = isTrimmed && signature === 'base64'
        const request = isUnpadded ? withHeaders(signed, { Signature: trimmed }) : signed
        const isShared = signature === digest && !isUnpadded
        // Base64 without its padding reads as base64url where neither + nor / occurs.
        const isUrl = isUnpadded && digest === 'base64url' && !/[+/]/.test(trimmed.slice(5))
        expect((await verify(request, later.webhook)) === 'verified').toBe(isShared || isUrl)
      }),
      { numRuns: 40 },
    )
  })
})
