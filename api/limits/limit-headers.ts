export type LimitHeaders = Readonly<Record<string, string>>

/** The state of a window in which a number of requests is allowed. */
export interface WindowState {
  max: number
  windowSeconds: number
  remaining: number
  /** Seconds until another request is allowed. */
  resetSeconds: number
}

/** Builds the `RateLimit` headers of a response (draft-ietf-httpapi-ratelimit-headers-06). */
export function buildLimitHeaders(state: WindowState): LimitHeaders {
  return {
    'ratelimit-policy': `${state.max};w=${state.windowSeconds}`,
    'ratelimit-limit': String(state.max),
    'ratelimit-remaining': String(state.remaining),
    'ratelimit-reset': String(state.resetSeconds),
  }
}

/** Converts milliseconds to whole seconds for `Retry-After`: never 0, which would mean at once. */
export function toRetrySeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1_000))
}
