import { toAgentUrlKey } from '../core/agent-url.ts'
import { type FetchJson, findInKeySet } from './key-set.ts'
import type { PublicJwk } from './keys.ts'

/** A key that a publisher's adagents.json pins to an agent. */
export interface PinnedKey extends PublicJwk {
  /** ISO 8601. Signatures made at that time or later are refused. */
  revoked_at?: string
}

/** Pinned keys by agent, whose URL is normalized. */
export type Pins = ReadonlyMap<string, readonly PinnedKey[]>

/** Entries that are read of one file. */
const ENTRIES_MAX = 1000

/**
 * Fetches the pins in the adagents.json of a domain, or in the file that it points to; undefined if that
 * fails.
 */
export async function fetchPins(domain: string, fetchJson: FetchJson): Promise<Pins | undefined> {
  const own = await fetchJson(`https://${domain}/.well-known/adagents.json`, { redirects: true })
  const pointer = (own?.value as { authoritative_location?: unknown } | null)
    ?.authoritative_location
  const file = typeof pointer === 'string' ? await fetchJson(pointer, { redirects: false }) : own
  return file && readPins(file.value)
}

/**
 * Reads the pins of an adagents.json. An agent that two entries pin gets no keys, since nothing says which
 * entry counts; so does one whose list is empty or none at all.
 */
export function readPins(adagents: unknown): Pins {
  const entries = (adagents as { authorized_agents?: unknown } | null)?.authorized_agents
  const pins = new Map<string, readonly PinnedKey[]>()
  for (const entry of Array.isArray(entries) ? entries.slice(0, ENTRIES_MAX) : []) {
    const { url, signing_keys: keys } = (entry ?? {}) as { url?: unknown; signing_keys?: unknown }
    const agent = toAgentUrlKey(url)
    if (agent === undefined || keys === undefined) continue
    pins.set(agent, pins.has(agent) || !Array.isArray(keys) ? [] : keys)
  }
  return pins
}

/**
 * Finds a pinned key for what was signed at `created`, in seconds; a revoked one signs nothing from then on.
 */
export function findPinned(
  pins: readonly PinnedKey[],
  keyid: string,
  created: number,
): PublicJwk | undefined {
  const pin = findInKeySet({ keys: pins }, keyid) as PinnedKey | undefined
  const revokedAt = pin?.revoked_at === undefined ? undefined : Date.parse(pin.revoked_at) / 1000
  return revokedAt === undefined || created < revokedAt ? pin : undefined
}
