import { toAgentUrlKey } from '../core/agent-url.ts'
import { type DeclaredAgent, fetchBrandFile, listDeclaredAgents } from './brand-file.ts'
import { Cached, type FetchJson, findInKeySet } from './key-set.ts'
import type { PublicJwk } from './keys.ts'
import { fetchPins, findPinned, type Pins } from './pins.ts'

/** Agents of one operator whose keys are considered, and so key sets that are fetched. */
const AGENTS_MAX = 8

/**
 * The keys of an operator: those of every agent that its brand.json declares. Who receives a request
 * knows for whom it is made, not which of the operator's agents makes it. The keys that the operator's
 * adagents.json pins to an agent come before its key set.
 */
export class OperatorKeys {
  readonly #fetchJson: FetchJson
  readonly #now: () => number
  readonly #agents: Cached<readonly DeclaredAgent[]>
  readonly #pins: Cached<Pins>
  readonly #keySets = new Map<string, Cached<unknown>>()
  #lastPins: Pins = new Map()

  /** Creates the finder of operators' keys; `now` is in seconds. */
  constructor(domain: string, fetchJson: FetchJson, now: () => number) {
    this.#fetchJson = fetchJson
    this.#now = now
    this.#agents = new Cached(() => this.#discover(domain), now)
    this.#pins = new Cached(() => this.#fetchPins(domain), now)
  }

  /**
   * Finds the key of a `keyid` for what was signed at `created`, in seconds. Files that do not have it
   * are fetched again.
   */
  async findKey(keyid: string, created: number): Promise<PublicJwk | undefined> {
    for (const isRefresh of [false, true]) {
      const agents = (await this.#agents.get(isRefresh)) ?? []
      const pins = agents.length > 0 ? await this.#pins.get(isRefresh) : undefined
      for (const { url, jwks_uri } of agents) {
        const agent = toAgentUrlKey(url)
        const pinned = agent === undefined ? undefined : pins?.get(agent)
        const key = pinned
          ? findPinned(pinned, keyid, created)
          : typeof jwks_uri === 'string' &&
            findInKeySet(await this.#findSet(jwks_uri).get(isRefresh), keyid)
        if (key) return key
      }
    }
    return undefined
  }

  /**
   * Fetches the pins; while the file cannot be read the last ones stay in force, so that an outage unpins no
   * key.
   */
  async #fetchPins(domain: string): Promise<{ value: Pins }> {
    this.#lastPins = (await fetchPins(domain, this.#fetchJson)) ?? this.#lastPins
    return { value: this.#lastPins }
  }

  #findSet(uri: string): Cached<unknown> {
    const known = this.#keySets.get(uri)
    if (known) return known
    const set = new Cached<unknown>(
      async () => (await this.#fetchJson(uri, { redirects: false })) ?? { value: undefined },
      this.#now,
    )
    if (this.#keySets.size >= AGENTS_MAX) this.#keySets.clear()
    this.#keySets.set(uri, set)
    return set
  }

  async #discover(domain: string): Promise<{ value: DeclaredAgent[]; maxAge?: number }> {
    const found = await fetchBrandFile(domain, this.#fetchJson)
    const agents = found ? listDeclaredAgents(found.brand, () => true) : []
    const { maxAge } = found ?? {}
    return { value: agents.slice(0, AGENTS_MAX), ...(maxAge !== undefined && { maxAge }) }
  }
}
