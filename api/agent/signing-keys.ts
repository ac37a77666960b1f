import { createPrivateKey, generateKeyPairSync, type JsonWebKey, type KeyObject } from 'node:crypto'
import { DAY, type Instant } from '../../pipeline/core/clock.ts'
import { buildNamedFields } from './protocol-names.ts'
import type { AgentState } from './state/store.ts'

declare module './state/store.ts' {
  interface Records {
    key: StoredKey
  }
}

/** Purposes of this agent's keys; each has its own key. */
export const purposes = ['governance-signing', 'webhook-signing'] as const
export type Purpose = (typeof purposes)[number]

/** A stored private key: whoever can read the state can sign. */
export interface StoredKey {
  kid: string
  jwk: JsonWebKey
}

/** Keys practically never expire: signatures are verified much later. */
const KEY_LIFETIME_MS = 36_500 * DAY

/** Loads the key for a purpose; the first process that needs it creates it. */
export function loadSigningKey(
  state: AgentState,
  purpose: Purpose,
  now: Instant,
): { kid: string; privateKey: KeyObject } {
  const { kid, jwk } = loadKey(state, purpose, now)
  return { kid, privateKey: createPrivateKey({ key: jwk, format: 'jwk' }) }
}

/** Loads the key for a purpose, or creates it, which is the only case that writes. */
function loadKey(state: AgentState, purpose: Purpose, now: Instant): StoredKey {
  const known = state.get('key', '', purpose)
  return known ?? state.transact(now, () => findOrMake(state, purpose, now))
}

function findOrMake(state: AgentState, purpose: Purpose, now: Instant): StoredKey {
  const known = state.get('key', '', purpose)
  if (known) return known
  const jwk = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  const made = { kid: `${purpose}-1`, jwk }
  state.put('key', '', purpose, made, { now, lifetimeMs: KEY_LIFETIME_MS, isOwn: true })
  return made
}

/** Builds the JWKS with which others verify this agent's signatures. */
export function buildKeySet(state: AgentState, protocolName: string, now: Instant): object {
  const keys = purposes.map(purpose => {
    const { kid, jwk } = loadKey(state, purpose, now)
    const { kty, crv, x } = jwk
    const protocolUse = buildNamedFields(protocolName, name => ({ [`${name}_use`]: purpose }))
    return { kid, kty, crv, x, alg: 'EdDSA', use: 'sig', key_ops: ['verify'], ...protocolUse }
  })
  return { keys }
}
