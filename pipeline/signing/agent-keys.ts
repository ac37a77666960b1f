import { toAgentUrlKey } from '../core/agent-url.ts'
import { getFirst } from '../core/present.ts'
import { fetchBrandFile, listDeclaredAgents } from './brand-file.ts'
import { Cached, type FetchJson, findInKeySet } from './key-set.ts'
import type { PublicJwk } from './keys.ts'
import { findPinned, type PinnedKey } from './pins.ts'

export interface AgentKeysOptions {
  /** URL of the agent, from the verifier's own knowledge; never taken from the request. */
  agentUrl: string
  /** The domain whose brand.json declares the agent. */
  brandDomain: string
  fetchJson: FetchJson
  /** Returns the time in seconds. */
  now: () => number
  /** `signing_keys` of the agent in a publisher's adagents.json; undefined where none are pinned. */
  fetchPins?: () => Promise<readonly PinnedKey[] | undefined>
}

/**
 * Finds the keys of an agent: its operator's brand.json declares it, with the address of its JWKS. By
 * default the JWKS is at the agent's own origin, which then must be that of the brand.json. Pinned keys
 * come before all others.
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

  /** Finds the key of a `keyid` for a signature `created` at a time, in seconds; see `Verifier.findKey`. */
  async findKey(keyid: string, created: number): Promise<PublicJwk | undefined> {
    const pins = await this.#pins.get()
    if (pins) return findPinned(pins, keyid, created) ?? this.#findNewPin(keyid, created)
    const uri = await this.#jwksUri.get()
    const known = uri && (await this.#findAt(uri, keyid))
    if (known) return known
    const moved = await this.#jwksUri.get(true)
    return moved === undefined || moved === uri ? undefined : this.#findAt(moved, keyid)
  }

  /** Finds a key in the JWKS at an address, which is fetched again if it does not contain the key. */
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
    const found = await fetchBrandFile(brandDomain, this.#options.fetchJson)
    const wanted = toAgentUrlKey(agentUrl)
    const agents = found
      ? listDeclaredAgents(found.brand, ({ url }) => toAgentUrlKey(url) === wanted)
      : []
    if (!found || agents.length !== 1) return { value: undefined, maxAge: 0 }
    const declared = getFirst(agents).jwks_uri
    if (typeof declared === 'string') return { value: declared, maxAge: found.maxAge }
    const isSameOrigin = new URL(agentUrl).origin === new URL(found.url).origin
    const own = isSameOrigin ? new URL('/.well-known/jwks.json', agentUrl).href : undefined
    return { value: own, maxAge: found.maxAge }
  }
}
