import { type Clock, DAY, MINUTE } from '../core/clock.ts'
import { detach } from '../core/strings.ts'
import { createTtlCache, type LRUCache } from '../core/ttl-cache.ts'
import type { Failure } from './failures.ts'
import type { FetchOptions, FetchResult } from './fetch-result.ts'
import { isAllowed, parseRules, type Rule } from './robots-rules.ts'

type Verdict = { rules: readonly Rule[] } | { failure: Failure }

const CACHED_HOSTS_MAX = 5_000
const FAILURE_CACHE_MS = 5 * MINUTE
/** Characters of rules that are cached per host; a host with more counts as disallowed. */
const RULE_CHARS_MAX = 64 * 1024
const disallowed: Failure = { outcome: 'disallowed', detail: 'robots.txt disallows this file' }

const fetchOptions: FetchOptions = {
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
  readonly #fetch: (url: string, options: FetchOptions) => Promise<FetchResult>
  readonly #verdicts: LRUCache<string, Verdict>
  readonly #pending = new Map<string, Promise<Verdict>>()

  constructor(
    product: string,
    clock: Clock,
    fetch: (url: string, options: FetchOptions) => Promise<FetchResult>,
  ) {
    this.#product = product
    this.#fetch = fetch
    this.#verdicts = createTtlCache(clock, CACHED_HOSTS_MAX)
  }

  /** Finds the failure to report instead of fetching a file; undefined if it may be fetched. */
  async findFailure(url: URL): Promise<Failure | undefined> {
    const verdict = this.#verdicts.get(url.origin) ?? (await this.#fetchOnce(url.origin))
    if ('failure' in verdict) return verdict.failure
    return isAllowed(verdict.rules, url) ? undefined : disallowed
  }

  #fetchOnce(origin: string): Promise<Verdict> {
    const underway = this.#pending.get(origin)
    if (underway) return underway
    const answer = this.#fetchVerdict(origin).finally(() => this.#pending.delete(origin))
    this.#pending.set(origin, answer)
    return answer
  }

  async #fetchVerdict(origin: string): Promise<Verdict> {
    const verdict = this.#toVerdict(await this.#fetch(`${origin}/robots.txt`, fetchOptions))
    // Our own rate limit says nothing about the host.
    if ('failure' in verdict && verdict.failure.outcome === 'deferred') return verdict
    this.#verdicts.set(origin, verdict, { ttl: 'failure' in verdict ? FAILURE_CACHE_MS : DAY })
    return verdict
  }

  #toVerdict(fetched: FetchResult): Verdict {
    if (fetched.kind === 'unchanged') return { rules: [] }
    if (fetched.kind === 'failed') {
      const meansNoFile = ['absent', 'denied', 'http_error', 'bad_redirect', 'refused']
      if (meansNoFile.includes(fetched.outcome)) return { rules: [] }
      if (fetched.outcome === 'too_large') return { failure: disallowed }
      const { outcome, detail, retryAfterSeconds } = fetched
      const failure: Failure = { outcome, detail: `robots.txt: ${detail}`, file: 'robots.txt' }
      return { failure: { ...failure, retryAfterSeconds } }
    }
    const rules = parseRules(this.#product, fetched.body.toString())
    const chars = rules.reduce((sum, { pattern }) => sum + pattern.length, 0)
    if (chars > RULE_CHARS_MAX) return { failure: disallowed }
    return { rules: rules.map(rule => ({ ...rule, pattern: detach(rule.pattern) })) }
  }
}
