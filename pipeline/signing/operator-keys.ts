import { fetchBrandFile, listDeclaredAgents } from './brand-file.ts'
import { Cached, type FetchJson, findInKeySet } from './key-set.ts'
import type { PublicJwk } from './keys.ts'

/** Addresses of key sets that are read of one operator. */
const KEY_SETS_MAX = 8

/**
 * The keys of an operator: those of every agent that its brand.json declares. Who receives a request
 * knows for whom it is made, not which of the operator's agents makes it.
 */
export class OperatorKeys {
  readonly #fetchJson: FetchJson
  readonly #now: () => number
  readonly #uris: Cached<readonly string[]>
  readonly #sets = new Map<string, Cached<unknown>>()

  /** Creates the finder of operators' keys; `now` is in seconds. */
  constructor(domain: string, fetchJson: FetchJson, now: () => number) {
    this.#fetchJson = fetchJson
    this.#now = now
    this.#uris = new Cached(() => this.#discover(domain), now)
  }

  /** Finds the key of a `keyid`; key sets that do not have it are fetched again. */
  async findKey(keyid: string): Promise<PublicJwk | undefined> {
    for (const isRefresh of [false, true]) {
      for (const uri of (await this.#uris.get(isRefresh)) ?? []) {
        const key = findInKeySet(await this.#findSet(uri).get(isRefresh), keyid)
        if (key) return key
      }
    }
    return undefined
  }

  #findSet(uri: string): Cached<unknown> {
    const known = this.#sets.get(uri)
    if (known) return known
    const set = new Cached<unknown>(
      async () => (await this.#fetchJson(uri, { redirects: false })) ?? { value: undefined },
      this.#now,
    )
    if (this.#sets.size >= KEY_SETS_MAX) this.#sets.clear()
    this.#sets.set(uri, set)
    return set
  }

  async #discover(domain: string): Promise<{ value: string[]; maxAge?: number }> {
    const found = await fetchBrandFile(domain, this.#fetchJson)
    const agents = found ? listDeclaredAgents(found.brand, () => true) : []
    const uris = agents.flatMap(({ jwks_uri }) => (typeof jwks_uri === 'string' ? [jwks_uri] : []))
    const { maxAge } = found ?? {}
    const value = [...new Set(uris)].slice(0, KEY_SETS_MAX)
    return { value, ...(maxAge !== undefined && { maxAge }) }
  }
}
