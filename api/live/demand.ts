import type { WriterClient } from '../../jobs/api-client/enqueue.ts'
import { type Clock, HOUR } from '../../pipeline/core/clock.ts'
import { type Domain, parseDomain } from '../../pipeline/core/domain.ts'
import type { Limits } from '../../pipeline/core/limits.ts'
import type { Log } from '../../pipeline/core/log.ts'
import { canBePublic } from '../../pipeline/core/public-name.ts'
import { WindowCounter } from '../../pipeline/core/window-counter.ts'

const FLUSH_MS = 1_000
/**
 * Domains that were submitted lately; the whole set is cleared at its maximum, so that they are submitted
 * again now and then.
 */
const REMEMBERED = 10_000

/**
 * Collects domains that were looked up and never crawled, and submits them together once a second. Kept in
 * memory and bounded: what is lost is requested again by the next lookup.
 */
export class Demand {
  readonly #writer: Pick<WriterClient, 'submit'>
  readonly #limits: Limits
  readonly #log: Log
  readonly #clock: Clock
  readonly #handedIn = new Set<Domain>()
  readonly #unknown = new Set<Domain>()
  readonly #again = new Set<Domain>()
  readonly #byCaller = new WindowCounter(HOUR)
  #timer: NodeJS.Timeout | undefined

  constructor(
    writer: Pick<WriterClient, 'submit'>,
    limits: Limits,
    { log, clock }: { log: Log; clock: Clock },
  ) {
    this.#clock = clock
    this.#writer = writer
    this.#limits = limits
    this.#log = log
  }

  /**
   * Adds a domain that was never crawled. New names are limited per caller and hour, since names can be
   * invented; a later lookup adds the rest.
   */
  add(name: string, caller: () => string): void {
    const domain = parseDomain(name)
    if (domain === undefined || this.#handedIn.has(domain) || this.#unknown.has(domain)) return
    if (!this.#hasRoom(this.#unknown, domain)) return
    const { namesPerCallerHour } = this.#limits
    if (!this.#byCaller.take(caller(), namesPerCallerHour, this.#clock.now())) return
    this.#put(this.#unknown, domain)
  }

  /** Requests another crawl of a domain, known or not. */
  renew(domain: Domain): void {
    this.#put(this.#again, domain)
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#unknown.clear()
    this.#again.clear()
  }

  #hasRoom(set: ReadonlySet<Domain>, domain: Domain): boolean {
    return set.size < this.#limits.demandedDomains && canBePublic(domain)
  }

  #put(set: Set<Domain>, domain: Domain): void {
    if (!this.#hasRoom(set, domain)) return
    set.add(domain)
    this.#timer ??= setTimeout(() => this.#flush(), FLUSH_MS).unref()
  }

  async #flush(): Promise<void> {
    const [unknown, again] = [[...this.#unknown], [...this.#again]]
    this.#unknown.clear()
    this.#again.clear()
    try {
      if (unknown.length > 0) await this.#handIn(unknown, false)
      if (again.length > 0) await this.#handIn(again, true)
    } catch (error) {
      this.#log.debug({ error }, 'could not submit demanded domains')
    }
    this.#timer = undefined
    if (this.#unknown.size + this.#again.size > 0) {
      this.#timer = setTimeout(() => this.#flush(), FLUSH_MS).unref()
    }
  }

  /** Submits domains. They count as submitted from the start, so that concurrent lookups do not repeat them. */
  async #handIn(domains: Domain[], again: boolean): Promise<void> {
    if (this.#handedIn.size + domains.length > REMEMBERED) this.#handedIn.clear()
    for (const domain of domains) this.#handedIn.add(domain)
    try {
      const operation = { op: 'domains.add', domains, again, why: 'demanded' } as const
      await this.#writer.submit(operation, { by: { kind: 'registry', id: 'demand' } })
    } catch (error) {
      for (const domain of domains) this.#handedIn.delete(domain)
      throw error
    }
  }
}
