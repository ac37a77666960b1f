import { LRUCache } from 'lru-cache'
import type { Clock } from './clock.ts'

/**
 * Creates a cache of at most `max` entries, each of which `set` gives its time to live: `{ ttl }`, in
 * milliseconds by this clock and more than 0. When it is full, the least recently used entry is evicted.
 */
export function createTtlCache<Value extends NonNullable<unknown>>(
  clock: Clock,
  max: number,
): LRUCache<string, Value> {
  // An entry that was set at 0 would never expire.
  return new LRUCache({ max, perf: { now: () => clock.now() + 1 }, ttlResolution: 0 })
}

export type { LRUCache }
