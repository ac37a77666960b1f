import { type Clock, DAY, MINUTE } from '../core/clock.ts'
import { ownCopy } from '../core/own-copy.ts'
import type { Failure } from './failures.ts'
import type { Ask, Fetched } from './fetched.ts'
import { isAllowed, type Rule, rulesFor } from './robots-rules.ts'
import { TtlCache } from './ttl-cache.ts'

type Verdict = { rules: readonly Rule[] } | { failure: Failure }

const HOSTS_KEPT = 5_000
const FAILURE_KEPT_MS = 5 * MINUTE
/** A host that has more to say to us than this is left alone: it would fill the memory. */
const RULE_CHARS = 64 * 1024
const disallowed: Failure = { outcome: 'disallowed', detail: 'robots.txt disallows this file' }

const ask: Ask = {
  maxBytes: 512 * 1024,
  redirects: 'any',
  maxRedirects: 5,
  deadlineMs: 10_000,
  accept: 'text/plain, */*;q=0.1',
}

/**
 * What hosts allow the crawler, read from their robots.txt once a day. Without one everything is
 * allowed; while it cannot be had nothing is, and the file fails for the same reason.
 */
export class Robots {
  readonly #product: string
  readonly #fetch: (url: string, ask: Ask) => Promise<Fetched>
  readonly #known: TtlCache<Verdict>
  readonly #asked = new Map<string, Promise<Verdict>>()

  constructor(product: string, clock: Clock, fetch: (url: string, ask: Ask) => Promise<Fetched>) {
    this.#product = product
    this.#fetch = fetch
    this.#known = new TtlCache(clock, HOSTS_KEPT)
  }

  /** Why a file is not asked for, if so. */
  async failureOf(url: URL): Promise<Failure | undefined> {
    const verdict = this.#known.get(url.origin) ?? (await this.#askOnce(url.origin))
    if ('failure' in verdict) return verdict.failure
    return isAllowed(verdict.rules, url) ? undefined : disallowed
  }

  #askOnce(origin: string): Promise<Verdict> {
    const underway = this.#asked.get(origin)
    if (underway) return underway
    const answer = this.#ask(origin).finally(() => this.#asked.delete(origin))
    this.#asked.set(origin, answer)
    return answer
  }

  async #ask(origin: string): Promise<Verdict> {
    const verdict = this.#judge(await this.#fetch(`${origin}/robots.txt`, ask))
    this.#known.set(origin, verdict, 'failure' in verdict ? FAILURE_KEPT_MS : DAY)
    return verdict
  }

  #judge(fetched: Fetched): Verdict {
    if (fetched.kind === 'unchanged') return { rules: [] }
    if (fetched.kind === 'failed') {
      const isMissing = ['absent', 'denied', 'http_error', 'bad_redirect', 'refused']
      if (isMissing.includes(fetched.outcome)) return { rules: [] }
      if (fetched.outcome === 'too_large') return { failure: disallowed }
      const { outcome, detail, retryAfterSeconds } = fetched
      return { failure: { outcome, detail: `robots.txt: ${detail}`, retryAfterSeconds } }
    }
    const rules = rulesFor(this.#product, fetched.body.toString())
    const chars = rules.reduce((sum, { pattern }) => sum + pattern.length, 0)
    if (chars > RULE_CHARS) return { failure: disallowed }
    return { rules: rules.map(rule => ({ ...rule, pattern: ownCopy(rule.pattern) })) }
  }
}
