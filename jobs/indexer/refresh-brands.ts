import { randomUUID } from 'node:crypto'
import { type Clock, DAY, toIso } from '../../pipeline/core/clock.ts'
import type { Domain } from '../../pipeline/core/domain.ts'
import type { Limits } from '../../pipeline/core/limits.ts'
import type { Log } from '../../pipeline/core/log.ts'
import { listBrandsToRefresh } from '../../pipeline/writer/community/enrichments-due.ts'
import type { Sequencer } from '../../pipeline/writer/sequencer.ts'
import type { WriterClient } from '../api-client/writer-client.ts'
import { RecentAttempts } from './recent-attempts.ts'

/** Brands enriched at a time: no caller waits for them, so most crawlers stay free. */
const BATCH_SIZE = 20
/** Delay before a brand that no provider knew is tried again. */
const RETRY_MS = DAY

/** Author of the submissions, as the audit shows it. */
const REFRESHER = { kind: 'registry', id: 'refresh' } as const

interface BrandRefresherParts {
  sequencer: Pick<Sequencer, 'quietly' | 'index'>
  writer: Pick<WriterClient, 'requestLive' | 'submit'>
  limits: Limits
  clock: Clock
  log: Log
}

/** Refreshes enriched brands once their data has aged. */
export class BrandRefresher {
  readonly #parts: BrandRefresherParts
  readonly #recentlyTried: RecentAttempts<Domain>

  constructor(parts: BrandRefresherParts) {
    this.#parts = parts
    this.#recentlyTried = new RecentAttempts(parts.clock, RETRY_MS)
  }

  /** Refreshes the brands with the oldest data; returns how many were found. */
  async refreshNext(): Promise<number> {
    const { sequencer, clock, limits } = this.#parts
    const filter = {
      now: clock.now(),
      limit: BATCH_SIZE,
      besides: this.#recentlyTried.list(),
      limits,
    }
    const due = await sequencer.quietly(() => listBrandsToRefresh(sequencer.index, filter))
    let found = 0
    for (const domain of due) {
      this.#recentlyTried.remember(domain)
      if (await this.#refresh(domain)) found++
    }
    return found
  }

  async #refresh(domain: Domain): Promise<boolean> {
    const { writer, limits, clock, log } = this.#parts
    const request = { kind: 'enrich_brand', domain } as const
    const answer = await writer.requestLive(request, 2 * limits.enrichMs).catch(() => undefined)
    if (!answer?.enrichment) {
      log.debug({ domain }, 'a brand was not found again')
      return false
    }
    const found_at = toIso(clock.now())
    const revision_id = randomUUID()
    const { enrichment } = answer
    const operation = { op: 'brand.enrich', revision_id, domain, enrichment, found_at } as const
    const saved = await writer
      .submit(operation, { submission_id: revision_id, by: REFRESHER })
      .catch(() => undefined)
    return saved !== undefined && 'done' in saved
  }
}
