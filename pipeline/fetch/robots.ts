import { type Clock, DAY, MINUTE } from '../core/clock.ts'
import { detach } from '../core/strings.ts'
import { createTtlCache, type LRUCache } from '../core/ttl-cache.ts'
import type { Failure } from './failures.ts'
import type { FetchOptions, FetchResult } from './fetched.ts'
import { isAllowed, parseRules, type Rule } from './robots-rules.ts'

type Verdict = { rules: readonly Rule[] } | { failure: Failure }

const CACHED_HOSTS_MAX = 5_000
const FAILURE_CACHE_MS = 5 * MINUTE
/** A host whose rules are longer than this is not crawled, since they would fill the memory. */
const RULE_CHARS = 64 * 1024
const disallowed: Failure = { outcome: 'disallowed', detail: 'robots.txt disallows this file' }

const ask: FetchOptions = {
  maxBytes: 512 * 1024,
  redirects: 'any',
  maxRedirects: 5,
  deadlineMs: 10_000,
  accept: 'text/plain, */*;q=0.1',
}

/**
 * Fetches the robots.txt of a host once a day. Without the file everything is allowed; while it
 * cannot be fetched nothing is, and the wanted file fails with the same outcome.
 */
export class Robots {
  readonly #product: string
  readonly #fetch: (url: string, ask: FetchOptions) => Promise<FetchResult>
  readonly #known: LRUCache<string, Verdict>
  readonly #pending = new Map<string, Promise<Verdict>>()

  constructor(
    product: string,
    clock: Clock,
    fetch: (url: string, ask: FetchOptions) => Promise<FetchResult>,
  ) {
    this.#product = product
    this.#fetch = fetch
    this.#known = createTtlCache(clock, CACHED_HOSTS_MAX)
  }

  /** Returns the failure to report instead of fetching a disallowed file. */
  async findFailure(url: URL): Promise<Failure | undefined> {
    const verdict = this.#known.get(url.origin) ?? (await this.#askOnce(url.origin))
    if ('failure' in verdict) return verdict.failure
    return isAllowed(verdict.rules, url) ? undefined : disallowed
  }

  #askOnce(origin: string): Promise<Verdict> {
    const underway = this.#pending.get(origin)
    if (underway) return underway
    const answer = this.#ask(origin).finally(() => this.#pending.delete(origin))
    this.#pending.set(origin, answer)
    return answer
  }

  async #ask(origin: string): Promise<Verdict> {
    const verdict = this.#judge(await this.#fetch(`${origin}/robots.txt`, ask))
    if ('failure' in verdict && verdict.failure.outcome === 'deferred') return verdict
    this.#known.set(origin, verdict, { ttl: 'failure' in verdict ? FAILURE_CACHE_MS : DAY })
    return verdict
  }

  #judge(fetched: FetchResult): Verdict {
    if (fetched.kind === 'unchanged') return { rules: [] }
    if (fetched.kind === 'failed') {
      const isMissing = ['absent', 'denied', 'http_error', 'bad_redirect', 'refused']
      if (isMissing.includes(fetched.outcome)) return { rules: [] }
      if (fetched.outcome === 'too_large') return { failure: disallowed }
      const { outcome, detail, retryAfterSeconds } = fetched
      return { failure: { outcome, detail: `robots.txt: ${detail}`, retryAfterSeconds } }
    }
    const rules = parseRules(this.#product, fetched.body.toString())
    const chars = rules.reduce((sum, { pattern }) => sum + pattern.length, 0)
    if (chars > RULE_CHARS) return { failure: disallowed }
    return { rules: rules.map(rule => ({ ...rule, pattern: detach(rule.pattern) })) }
  }
}
