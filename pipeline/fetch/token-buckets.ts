import { MINUTE } from '../core/clock.ts'

/** Refill per minute, and capacity of a bucket. */
export interface Rate {
  perMinute: number
  burst: number
}

export interface TokenRequest {
  count: number
  /** Tokens that were spent without being taken; they are charged even if none is granted. */
  overspent: number
}

export interface TokenGrant {
  granted: number
  /** Milliseconds until the next token, when fewer than requested were granted. */
  waitMs: number
}

/** Rate limits as token buckets, by name: in the memory of a process, or shared through Redis. */
export interface TokenBuckets {
  /** Takes up to `count` tokens, at once and without waiting. */
  take(bucket: string, request: TokenRequest, rate: Rate): Promise<TokenGrant>
  /**
   * Reserves the next `count` free tokens and returns in how many ms they are available. The caller
   * takes them then, in competition with all others.
   */
  reserve(bucket: string, count: number, rate: Rate): Promise<number>
}

/** Furthest point in the future that can be reserved. */
export const RESERVATION_MAX_MS = 24 * 60 * MINUTE
const BUCKETS_MAX = 50_000

/** Computes the milliseconds in which a bucket gains one token. */
export function computeTokenMs({ perMinute }: Rate): number {
  return MINUTE / Math.max(perMinute, 1)
}

/** Tolerance for rounding errors, so that a token that is due exactly now counts. */
const ROUNDING = 1e-9

/**
 * Creates buckets in the memory of this process. A bucket is one number, the time at which it is full
 * again (the theoretical arrival time of GCRA), so a full bucket need not be stored.
 */
export function createLocalBuckets(now: () => number = () => performance.now()): TokenBuckets {
  const fullAt = new Map<string, number>()
  const reservedUntil = new Map<string, number>()
  const set = (map: Map<string, number>, name: string, fullTime: number) => {
    if (map.size >= BUCKETS_MAX) for (const [key, end] of map) if (end <= now()) map.delete(key)
    map.set(name, fullTime)
  }
  return {
    async take(bucket, { count, overspent }, rate) {
      const tokenMs = computeTokenMs(rate)
      const at = now()
      const before = Math.max(fullAt.get(bucket) ?? 0, at) + overspent * tokenMs
      const available = Math.floor((at + rate.burst * tokenMs - before) / tokenMs + ROUNDING)
      const granted = Math.min(count, Math.max(0, available))
      set(fullAt, bucket, before + granted * tokenMs)
      const waitMs = granted === count ? 0 : before + (granted + 1 - rate.burst) * tokenMs - at
      return { granted, waitMs }
    },
    async reserve(bucket, count, rate) {
      const at = now()
      const from = Math.max(reservedUntil.get(bucket) ?? 0, fullAt.get(bucket) ?? 0, at)
      if (from - at > RESERVATION_MAX_MS) return RESERVATION_MAX_MS
      set(reservedUntil, bucket, from + count * computeTokenMs(rate))
      return from - at
    },
  }
}
