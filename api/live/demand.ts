import type { WriterClient } from '../../jobs/api-client/writer-client.ts'
import { type Clock, HOUR } from '../../pipeline/core/clock.ts'
import { type Domain, parseDomain } from '../../pipeline/core/domain.ts'
import type { Limits } from '../../pipeline/core/limits.ts'
import type { Log } from '../../pipeline/core/log.ts'
import { canBePublic } from '../../pipeline/core/public-name.ts'
import { WindowCounter } from '../../pipeline/core/window-counter.ts'
import type { OperationOf } from '../../pipeline/model/submission.ts'
import { hashCallerForLong } from '../limits/caller.ts'
import { CallerShares } from '../limits/caller-shares.ts'

const FLUSH_MS = 1_000
/**
 * Number of domains that are remembered as submitted. At this number all are forgotten, so that they are
 * submitted again from time to time.
 */
const SUBMITTED_MAX = 10_000
/** Callers whose names are counted apart. */
const CALLERS_MAX = 100_000

/**
 * Collects domains that callers looked up but that were never crawled, and submits them together once a
 * second. The list is bounded, shared by callers and kept in memory only, since the next lookup of a domain
 * adds it again.
 */
export class Demand {
  readonly #writer: Pick<WriterClient, 'submit'>
  readonly #limits: Limits
  readonly #log: Log
  readonly #clock: Clock
  readonly #submitted = new Set<Domain>()
  readonly #unknown: CallerShares<Domain>
  readonly #recrawls = new Set<Domain>()
  readonly #byCaller = new WindowCounter(HOUR, CALLERS_MAX)
  #timer: NodeJS.Timeout | undefined

  constructor(
    writer: Pick<WriterClient, 'submit'>,
    limits: Limits,
    { log, clock }: { log: Log; clock: Clock },
  ) {
    this.#clock = clock
    this.#writer = writer
    this.#limits = limits
    this.#unknown = new CallerShares(limits.demandedDomains)
    this.#log = log
  }

  /**
   * Adds a domain that was never crawled, and tells whether it was added by this call. Each caller may add a
   * limited number of names an hour, since names can be invented.
   */
  add(name: string, toCaller: () => string): boolean {
    const domain = parseDomain(name)
    if (domain === undefined || this.#submitted.has(domain) || this.#unknown.has(domain))
      return false
    if (!canBePublic(domain)) return false
    const caller = toCaller()
    if (!this.#unknown.hasRoomFor(caller)) return false
    if (!this.admits(caller)) return false
    this.#unknown.add(caller, domain)
    this.#flushSoon()
    return true
  }

  /** Counts a name that is stored because a caller asked for it; false, and not counted, beyond the caller's limit. */
  admits(caller: string): boolean {
    return this.#byCaller.take(caller, this.#limits.namesPerCallerHour, this.#clock.now())
  }

  /** Requests a crawl of a domain, whether or not it was crawled before. */
  requestCrawl(domain: Domain): void {
    if (this.#recrawls.size >= this.#limits.demandedDomains || !canBePublic(domain)) return
    this.#recrawls.add(domain)
    this.#flushSoon()
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#unknown.clear()
    this.#recrawls.clear()
  }

  #flushSoon(): void {
    this.#timer ??= setTimeout(() => this.#flush(), FLUSH_MS).unref()
  }

  async #flush(): Promise<void> {
    const [unknown, recrawls] = [new Map(this.#unknown.entries()), [...this.#recrawls]]
    this.#unknown.clear()
    this.#recrawls.clear()
    try {
      if (unknown.size > 0) {
        const callers = [...unknown.values()].map(hashCallerForLong)
        await this.#submit([...unknown.keys()], { again: false, callers })
      }
      if (recrawls.length > 0) await this.#submit(recrawls, { again: true })
    } catch (error) {
      this.#log.debug({ error }, 'could not submit demanded domains')
    }
    this.#timer = undefined
    if (this.#unknown.count + this.#recrawls.size > 0) this.#flushSoon()
  }

  /**
   * Submits domains. They count as submitted right away, so that concurrent lookups do not add them again.
   */
  async #submit(
    domains: Domain[],
    request: Pick<OperationOf<'domains.add'>, 'again' | 'callers'>,
  ): Promise<void> {
    if (this.#submitted.size + domains.length > SUBMITTED_MAX) this.#submitted.clear()
    for (const domain of domains) this.#submitted.add(domain)
    try {
      const operation = { op: 'domains.add', domains, why: 'demanded', ...request } as const
      await this.#writer.submit(operation, { by: { kind: 'registry', id: 'demand' } })
    } catch (error) {
      for (const domain of domains) this.#submitted.delete(domain)
      throw error
    }
  }
}
