import { randomUUID } from 'node:crypto'
import { type Clock, DAY, toIso } from '../../pipeline/core/clock.ts'
import type { Domain } from '../../pipeline/core/domain.ts'
import type { Limits } from '../../pipeline/core/limits.ts'
import type { Log } from '../../pipeline/core/log.ts'
import { listBrandsToRefresh } from '../../pipeline/writer/community/enrichments-due.ts'
import type { Sequencer } from '../../pipeline/writer/sequencer.ts'
import type { WriterClient } from '../api-client/enqueue.ts'

/** Brands enriched at a time: no caller waits for them, so most crawlers stay free. */
const BATCH_SIZE = 20
/** Delay before a brand that no provider knew is tried again. */
const RETRY_MS = DAY

/** Refreshes enriched brands once their data has aged. */
export class BrandRefresher {
  readonly #sequencer: Pick<Sequencer, 'quietly' | 'index'>
  readonly #writer: Pick<WriterClient, 'requestLive' | 'submit'>
  readonly #limits: Limits
  readonly #clock: Clock
  readonly #log: Log
  /** Time of the last attempt for each brand. */
  readonly #tried = new Map<Domain, number>()

  constructor(
    sequencer: Pick<Sequencer, 'quietly' | 'index'>,
    writer: Pick<WriterClient, 'requestLive' | 'submit'>,
    limits: Limits,
    clock: Clock,
    log: Log,
  ) {
    this.#sequencer = sequencer
    this.#writer = writer
    this.#limits = limits
    this.#clock = clock
    this.#log = log
  }

  /** Refreshes the brands with the oldest data; returns how many were found. */
  async refreshNext(): Promise<number> {
    const now = this.#clock.now()
    for (const [domain, at] of this.#tried) if (now - at >= RETRY_MS) this.#tried.delete(domain)
    const { index } = this.#sequencer
    const filter = {
      now,
      limit: BATCH_SIZE,
      besides: [...this.#tried.keys()],
      limits: this.#limits,
    }
    const due = await this.#sequencer.quietly(() => listBrandsToRefresh(index, filter))
    let found = 0
    for (const domain of due) {
      this.#tried.set(domain, now)
      if (await this.#refresh(domain)) found++
    }
    return found
  }

  async #refresh(domain: Domain): Promise<boolean> {
    const { enrichMs } = this.#limits
    const request = { kind: 'enrich_brand', domain } as const
    const answer = await this.#writer.requestLive(request, 2 * enrichMs).catch(() => undefined)
    if (!answer?.enrichment) {
      this.#log.debug({ domain }, 'a brand was not found again')
      return false
    }
    const found_at = toIso(this.#clock.now())
    const revision_id = randomUUID()
    const { enrichment } = answer
    const operation = { op: 'brand.enrich', revision_id, domain, enrichment, found_at } as const
    const saved = await this.#writer
      .submit(operation, { submission_id: revision_id, by: REFRESHER })
      .catch(() => undefined)
    return saved !== undefined && 'done' in saved
  }
}

const REFRESHER = { kind: 'registry', id: 'refresh' } as const
