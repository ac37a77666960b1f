import { toAgentUrlKey } from '../core/agent-url.ts'
import { Cached, type FetchJson, findInKeySet } from './key-set.ts'
import type { PublicJwk } from './keys.ts'

/** A key that a publisher's adagents.json pins to an agent. */
export interface PinnedKey extends PublicJwk {
  /** ISO 8601; what was signed from then on is not the agent's. */
  revoked_at?: string
}

export interface AgentKeysOptions {
  /** The agent as its caller knows it: never what a request says of itself. */
  agentUrl: string
  /** The domain whose brand.json declares the agent. */
  brandDomain: string
  fetchJson: FetchJson
  /** In seconds. */
  now: () => number
  /** `signing_keys` of the agent in a publisher's adagents.json; undefined where none are pinned. */
  fetchPins?: () => Promise<readonly PinnedKey[] | undefined>
}

/** Pointers that are followed from one brand.json to another. */
const MAX_POINTERS = 3

interface Brand {
  authoritative_location?: unknown
  house?: unknown
  brands?: unknown
  agents?: unknown
}

/**
 * The keys of an agent: its operator's brand.json declares it, with the address of its JWKS. Without
 * one the JWKS stands at the agent's own origin, which then must be that of the brand.json. Pinned
 * keys come before all others.
 */
export class AgentKeys {
  readonly #options: AgentKeysOptions
  readonly #jwksUri: Cached<string>
  #jwks: { uri: string; keys: Cached<unknown> } | undefined
  readonly #pins: Cached<readonly PinnedKey[]>

  constructor(options: AgentKeysOptions) {
    const { now, fetchPins } = options
    this.#options = options
    this.#jwksUri = new Cached(() => this.#discover(), now)
    this.#pins = new Cached(async () => ({ value: await fetchPins?.() }), now)
  }

  /** The key of a `keyid` for what was signed at `created`, in seconds; see `Verifier.findKey`. */
  async findKey(keyid: string, created: number): Promise<PublicJwk | undefined> {
    const pins = await this.#pins.get()
    if (pins) return findPinned(pins, keyid, created) ?? this.#findNewPin(keyid, created)
    const uri = await this.#jwksUri.get()
    const known = uri && (await this.#findAt(uri, keyid))
    if (known) return known
    const moved = await this.#jwksUri.get(true)
    return moved === undefined || moved === uri ? undefined : this.#findAt(moved, keyid)
  }

  /** A key of the JWKS at an address, which is fetched again where the key is not in it. */
  async #findAt(uri: string, keyid: string): Promise<PublicJwk | undefined> {
    if (this.#jwks?.uri !== uri) this.#jwks = { uri, keys: this.#cacheJwks(uri) }
    const { keys } = this.#jwks
    return findInKeySet(await keys.get(), keyid) ?? findInKeySet(await keys.get(true), keyid)
  }

  #cacheJwks(uri: string): Cached<unknown> {
    const { fetchJson, now } = this.#options
    return new Cached(
      async () => (await fetchJson(uri, { redirects: false })) ?? { value: undefined, maxAge: 0 },
      now,
    )
  }

  async #findNewPin(keyid: string, created: number): Promise<PublicJwk | undefined> {
    return findPinned((await this.#pins.get(true)) ?? [], keyid, created)
  }

  /** Finds the address of the agent's JWKS by the brand.json that declares it. */
  async #discover(): Promise<{ value: string | undefined; maxAge?: number | undefined }> {
    const { agentUrl, brandDomain } = this.#options
    const found = await this.#fetchBrand(`https://${brandDomain}/.well-known/brand.json`)
    const agents = found ? listAgents(found.brand, agentUrl) : []
    if (!found || agents.length !== 1) return { value: undefined, maxAge: 0 }
    const declared = agents[0]!.jwks_uri
    if (typeof declared === 'string') return { value: declared, maxAge: found.maxAge }
    const isSameOrigin = new URL(agentUrl).origin === new URL(found.url).origin
    const own = isSameOrigin ? new URL('/.well-known/jwks.json', agentUrl).href : undefined
    return { value: own, maxAge: found.maxAge }
  }

  /** A brand.json, or the one that it points to. */
  async #fetchBrand(
    url: string,
    visited: readonly string[] = [],
  ): Promise<{ brand: Brand; url: string; maxAge?: number } | undefined> {
    if (visited.includes(url) || visited.length > MAX_POINTERS) return undefined
    const fetched = await this.#options.fetchJson(url, { redirects: true })
    if (!fetched || typeof fetched.value !== 'object' || fetched.value === null) return undefined
    const brand = fetched.value as Brand
    const next = findPointer(brand)
    if (next !== undefined) return this.#fetchBrand(next, [...visited, url])
    const { maxAge } = fetched
    return { brand, url: fetched.url, ...(maxAge === undefined ? {} : { maxAge }) }
  }
}

function findPointer({ authoritative_location, house }: Brand): string | undefined {
  if (typeof authoritative_location === 'string') return authoritative_location
  return typeof house === 'string' ? `https://${house}/.well-known/brand.json` : undefined
}

/** The declarations of an agent in a brand.json: of a brand, of the house, or of the file itself. */
function listAgents({ brands, house, agents }: Brand, agentUrl: string): { jwks_uri?: unknown }[] {
  const wanted = toAgentUrlKey(agentUrl)
  const declaredBy = (part: unknown) => {
    const list = (part as { agents?: unknown } | null)?.agents
    return (Array.isArray(list) ? list : []).filter(
      agent => typeof agent?.url === 'string' && toAgentUrlKey(agent.url) === wanted,
    )
  }
  const ofBrands = (Array.isArray(brands) ? brands : []).flatMap(declaredBy)
  return [ofBrands, declaredBy(house), declaredBy({ agents })].find(list => list.length > 0) ?? []
}

function findPinned(
  pins: readonly PinnedKey[],
  keyid: string,
  created: number,
): PublicJwk | undefined {
  const pin = findInKeySet({ keys: pins }, keyid) as PinnedKey | undefined
  const revokedAt = pin?.revoked_at === undefined ? undefined : Date.parse(pin.revoked_at) / 1000
  return revokedAt === undefined || created < revokedAt ? pin : undefined
}
