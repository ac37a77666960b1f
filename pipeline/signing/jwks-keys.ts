import { Cached, type FetchJson, findInKeySet } from './key-set.ts'
import type { PublicJwk } from './keys.ts'

/** The keys of a signer whose JWKS has a known address, such as a registry's. */
export class JwksKeys {
  readonly #keys: Cached<unknown>

  /** Follows the JWKS at an address; `now` returns seconds. */
  constructor(jwksUri: string, fetchJson: FetchJson, now: () => number) {
    this.#keys = new Cached(
      async () =>
        (await fetchJson(jwksUri, { redirects: false })) ?? { value: undefined, maxAge: 0 },
      now,
    )
  }

  /** Finds the key of a `keyid`; where the JWKS does not have it, it is fetched again. */
  async findKey(keyid: string): Promise<PublicJwk | undefined> {
    const known = findInKeySet(await this.#keys.get(), keyid)
    return known ?? findInKeySet(await this.#keys.get(true), keyid)
  }
}
