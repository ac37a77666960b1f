import { MINUTE } from '../core/clock.ts'

/** Refill per minute, and capacity of a bucket. */
export interface Rate {
  perMinute: number
  burst: number
}

export interface TokenRequest {
  count: number
  /** Tokens that were spent before asking; the bucket is charged for them in any case. */
  overspent: number
}

export interface TokenGrant {
  granted: number
  /** Milliseconds until the next token, when fewer than requested were granted. */
  waitMs: number
}

/** Token buckets by name, in one process or shared by several. */
export interface TokenBuckets {
  take(bucket: string, request: TokenRequest, rate: Rate): Promise<TokenGrant>
  /**
   * Reserves the next `count` free tokens and returns in how many ms they are available. The caller
   * takes them then, in competition with all others.
   */
  reserve(bucket: string, count: number, rate: Rate): Promise<number>
}

/** Longest time ahead that can be reserved. */
export const RESERVATION_MAX_MS = 24 * 60 * MINUTE
const BUCKETS_MAX = 50_000

/** Returns how long one token takes to come. */
export function computeTokenMs({ perMinute }: Rate): number {
  return MINUTE / Math.max(perMinute, 1)
}

/**
 * Keeps buckets in the memory of this process. A bucket is one number, the time at which it is full
 * again (GCRA); full buckets are dropped.
 */
export function createLocalBuckets(now: () => number = () => performance.now()): TokenBuckets {
  const full = new Map<string, number>()
  const reserved = new Map<string, number>()
  const set = (map: Map<string, number>, name: string, at: number) => {
    if (map.size >= BUCKETS_MAX) for (const [key, end] of map) if (end <= now()) map.delete(key)
    map.set(name, at)
  }
  return {
    async take(bucket, { count, overspent }, rate) {
      const tokenMs = computeTokenMs(rate)
      const at = now()
      const before = Math.max(full.get(bucket) ?? 0, at) + overspent * tokenMs
      const available = Math.floor((at + rate.burst * tokenMs - before) / tokenMs + 1e-9)
      const granted = Math.min(count, Math.max(0, available))
      set(full, bucket, before + granted * tokenMs)
      const waitMs = granted === count ? 0 : before + (granted + 1 - rate.burst) * tokenMs - at
      return { granted, waitMs }
    },
    async reserve(bucket, count, rate) {
      const at = now()
      const from = Math.max(reserved.get(bucket) ?? 0, full.get(bucket) ?? 0, at)
      if (from - at > RESERVATION_MAX_MS) return RESERVATION_MAX_MS
      set(reserved, bucket, from + count * computeTokenMs(rate))
      return from - at
    },
  }
}
