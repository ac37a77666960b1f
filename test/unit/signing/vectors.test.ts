import { createPrivateKey } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ProfileVersion } from '../../../pipeline/core/signing-profiles.ts'
import type { PublicJwk } from '../../../pipeline/signing/keys.ts'
import {
  buildRequestProfile,
  buildWebhookProfile,
  type SigningProfile,
  toErrorCode,
} from '../../../pipeline/signing/profile.ts'
import { MemoryReplayStore } from '../../../pipeline/signing/replay-store.ts'
import { checkRevocation, type RevocationList } from '../../../pipeline/signing/revocation-list.ts'
import { signRequest } from '../../../pipeline/signing/sign.ts'
import { buildSignatureBase, type SignedRequest } from '../../../pipeline/signing/signature-base.ts'
import { parseSignatureInputs } from '../../../pipeline/signing/structured-fields.ts'
import { hasAsciiAuthority, normalizeTargetUri } from '../../../pipeline/signing/target-uri.ts'
import { verifySignature } from '../../../pipeline/signing/verify-signature.ts'

const root = join(import.meta.dirname, '../../..')

interface Key extends PublicJwk {
  _private_d_for_test_only: string
}

interface Vector {
  name: string
  /** The version of the profile; 3.1 where a vector names none. */
  signing_profile_version?: ProfileVersion
  reference_now: number
  request: SignedRequest & { headers: Record<string, string> }
  jwks_ref?: string[]
  jwks_override?: { keys: PublicJwk[] } | Record<string, PublicJwk>
  verifier_capability?: { covers_content_digest: SigningProfile['digest']; required_for: string[] }
  test_harness_state?: {
    replay_cache_entries?: { keyid: string; nonce: string }[]
    replay_cache_per_keyid_cap_hit?: { keyid: string }
    per_keyid_cap_filled_for?: string
    revocation_list?: RevocationList
    revoked_kids?: string[]
    revocation_list_stale_seconds?: number
  }
  expected_signature_base?: string
  expected_outcome: { success: boolean; error_code?: string }
}

/** The vectors of a profile: those that the public client brings, and those that stand beside us. */
const places = {
  webhook: [
    join(root, 'node_modules/@adcp/sdk/compliance/cache/3.0.6/test-vectors/webhook-signing'),
    join(root, '../shared/vectors/webhook-signing'),
  ],
  request: [
    join(root, 'node_modules/@adcp/sdk/compliance/cache/3.0.6/test-vectors/request-signing'),
  ],
}

/**
 * A newer set of vectors lets a key for requests sign webhooks too, where this older one wants it
 * refused.
 */
const superseded = new Set(['Signing key has adcp_use=request-signing instead of webhook-signing'])

const json = (path: string) => JSON.parse(readFileSync(path, 'utf8'))

const vectors = Object.entries(places).flatMap(([kind, folders]) =>
  folders.filter(existsSync).flatMap(folder =>
    ['positive', 'negative'].flatMap(side =>
      readdirSync(join(folder, side)).map(file => {
        const keys: Key[] = json(join(folder, 'keys.json')).keys
        const vector: Vector = json(join(folder, side, file))
        return {
          title: `${kind} ${side}/${file} of ${folder.replace(`${root}/`, '')}`,
          kind,
          vector,
          keys,
        }
      }),
    ),
  ),
)

function buildProfile(kind: string, vector: Vector): SigningProfile {
  const { verifier_capability, signing_profile_version: version } = vector
  if (kind === 'webhook') return buildWebhookProfile('adcp', version)
  return buildRequestProfile('adcp', verifier_capability?.covers_content_digest, version)
}

/** Lists the keys that a verifier finds for a vector. */
function listKeys({ jwks_ref, jwks_override }: Vector, keys: Key[]): PublicJwk[] {
  if (!jwks_override) return keys.filter(({ kid }) => jwks_ref?.includes(kid))
  return Array.isArray(jwks_override.keys)
    ? jwks_override.keys
    : Object.values(jwks_override as Record<string, PublicJwk>)
}

/** Fills the replay store: nonces that were used, or so many that a key has no more. */
function fillReplays({ request, test_harness_state: state, reference_now }: Vector) {
  const filled = state?.replay_cache_per_keyid_cap_hit?.keyid ?? state?.per_keyid_cap_filled_for
  const replays = new MemoryReplayStore(filled ? 3 : undefined)
  const { uri } = normalizeTargetUri(request.url) ?? { uri: '' }
  for (const { keyid, nonce } of state?.replay_cache_entries ?? []) {
    replays.add({ keyid, uri, nonce }, reference_now)
  }
  for (const nonce of filled ? ['1', '2', '3'] : []) {
    replays.add({ keyid: filled!, uri, nonce }, reference_now)
  }
  return replays
}

function listRevoked({ test_harness_state: state, reference_now }: Vector): RevocationList {
  const iso = (seconds: number) => new Date(seconds * 1000).toISOString()
  const stale = state?.revocation_list_stale_seconds ?? -900
  return (
    state?.revocation_list ?? {
      issuer: 'https://issuer.example',
      updated: iso(reference_now - 900),
      next_update: iso(reference_now - stale),
      revoked_kids: state?.revoked_kids ?? [],
    }
  )
}

describe('a verifier answers as the public vectors require', () => {
  test.each(vectors.filter(({ vector }) => !superseded.has(vector.name)))(
    '$title',
    async ({ kind, vector, keys }) => {
      const profile = buildProfile(kind, vector)
      const known = listKeys(vector, keys)
      const revoked = listRevoked(vector)
      const outcome = await verifySignature(
        vector.request,
        {
          profile,
          findKey: keyid => known.find(({ kid }) => kid === keyid),
          checkRevocation: (keyid, now) => checkRevocation(revoked, keyid, now),
          replays: fillReplays(vector),
          isRequired: true,
        },
        vector.reference_now,
      )
      const { success, error_code } = vector.expected_outcome
      if (success) expect(outcome).toMatchObject({ outcome: 'verified' })
      else {
        expect(outcome.outcome).toBe('refused')
        expect(outcome.outcome === 'refused' && toErrorCode(profile, outcome.refusal)).toBe(
          error_code,
        )
      }
    },
  )
})

describe('a signer produces the very bytes of the public vectors', () => {
  const positive = vectors.filter(({ vector }) => vector.expected_outcome.success)

  test.each(positive)('$title', ({ kind, vector, keys }) => {
    const { request, expected_signature_base, reference_now } = vector
    const target = normalizeTargetUri(request.url)!
    const inputs = parseSignatureInputs(request.headers['Signature-Input']!)!
    const input = inputs.find(({ label }) => label === 'sig1')!
    const base = buildSignatureBase(request, target, input.components, input.raw)
    if (expected_signature_base) expect(base).toBe(expected_signature_base)
    const jwk = keys.find(({ kid }) => kid === input.params.get('keyid'))!
    if (jwk.crv !== 'Ed25519') return
    const privateKey = createPrivateKey({
      key: { kty: jwk.kty!, crv: jwk.crv, x: jwk.x!, d: jwk._private_d_for_test_only },
      format: 'jwk',
    })
    const { 'Content-Digest': _, ...headers } = request.headers
    const covers = input.components.includes('content-digest')
    const profile =
      kind === 'webhook'
        ? buildWebhookProfile('adcp')
        : buildRequestProfile('adcp', covers ? 'required' : 'forbidden')
    const signed = signRequest(
      { ...request, headers },
      { keyid: jwk.kid, alg: 'ed25519', privateKey },
      profile,
      { now: reference_now, nonce: input.params.get('nonce') as string },
    )
    expect(signed.Signature).toBe(request.headers.Signature!.split(', ')[0])
  })
})

describe('an address has one canonical form for signing', () => {
  const path = join(places.request[0]!, 'canonicalization.json')
  const cases: {
    name: string
    input_url: string
    reject?: boolean
    expected_target_uri?: string
    expected_authority?: string
  }[] = existsSync(path) ? json(path).cases : []

  test.each(cases)('$name', ({ input_url, reject, expected_target_uri, expected_authority }) => {
    const target = normalizeTargetUri(input_url)
    if (reject) expect(target).toBeUndefined()
    else expect(target).toEqual({ uri: expected_target_uri, authority: expected_authority })
  })

  test('a host with non-ASCII characters is detected', () => {
    expect(hasAsciiAuthority('https://bücher.example/p')).toBe(false)
    expect(hasAsciiAuthority('https://books.example/ü')).toBe(true)
  })
})
