/** Has caches of its own, which are dropped with it: a reader, a snapshot or an app. */
export interface CacheOwner {
  readonly caches: Caches
}

/** Holds the caches of one owner, each made when it is first used. */
export class Caches {
  readonly #caches = new Map<() => object, object>()

  get<Cache extends object>(create: () => Cache): Cache {
    const known = this.#caches.get(create)
    if (known !== undefined) return known as Cache
    const made = create()
    this.#caches.set(create, made)
    return made
  }
}

/**
 * Declares a cache. No module holds one: each owner has its own, and the kind of the cache says what
 * invalidates it.
 */
export function declareCache<Cache extends object>(
  create: () => Cache,
): (owner: CacheOwner) => Cache {
  return ({ caches }) => caches.get(create)
}
