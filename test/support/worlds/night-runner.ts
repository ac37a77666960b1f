import type { Instant } from '../../../pipeline/core/clock.ts'
import type { Domain } from '../../../pipeline/core/domain.ts'
import { isMissing } from '../../../pipeline/core/outcomes.ts'
import { deriveId } from '../../../pipeline/core/uuid-v7.ts'
import { hashContent } from '../../../pipeline/crawl/crawl-source.ts'
import { buildAgentDocument } from '../../../pipeline/model/agent-tasks.ts'
import { isUrl, type Observation, type Source } from '../../../pipeline/model/observation.ts'
import type { Operation } from '../../../pipeline/model/submission.ts'
import { observeFile, observeOutcome } from '../fixtures/observations.ts'
import { buildSubmission } from '../fixtures/submissions.ts'
import type { MemoryIndex } from '../registry/memory-index.ts'
import type { Attempt, BrandSaved, Night } from './arbitrary-nights.ts'
import type { TestClock } from './clock.ts'

/** Lists the observation of an attempt: its own, and that of the ads.txt where the file is missing. */
function observeAttempt(
  { kind, location, found, ageMs, adsTxt }: Attempt,
  now: Instant,
): Observation[] {
  const own = observeAs({ kind, location }, found, now - ageMs)
  const hasAdsTxt = kind === 'adagents.json' && !isUrl(location)
  if (!hasAdsTxt || adsTxt === undefined || !isMissing(own.outcome)) return [own]
  return [own, observeAs({ kind: 'ads.txt', location }, adsTxt, now - ageMs)]
}

function observeAs({ kind, location }: Source, found: Attempt['found'], at: Instant) {
  if ('outcome' in found) return observeOutcome(found.outcome, kind, location, at)
  if (kind === 'agent') return observeProbe(location, 'file' in found ? found.file : {}, at)
  return observeFile(kind, location, 'file' in found ? found.file : found.text, at)
}

/** Builds the observation of a probe that succeeded. */
function observeProbe(endpoint: string, listed: object | string, at: Instant): Observation {
  const parts = { endpoint, tools: [], needs_auth: false, unread: [], ...(listed as object) }
  const document = buildAgentDocument(parts)
  const hash = hashContent(Buffer.from(JSON.stringify(document)))
  const observation = {
    kind: 'agent',
    location: endpoint,
    observed_at: at,
    outcome: 'ok',
  } as const
  return { ...observation, hash, document, took_ms: 1 }
}

/** An index on which nights are run. */
export type NightIndex = Pick<MemoryIndex, 'db'> & {
  commit(batch: Parameters<MemoryIndex['commit']>[0]): Promise<unknown>
}

/** Runs nights on an index: moves the clock, and commits the observation in the order and batches of each night. */
export class NightRunner {
  readonly #index: NightIndex
  readonly #clock: TestClock
  #late: Observation[] = []
  #requests = 0
  #saves = 0

  constructor(index: NightIndex, clock: TestClock) {
    this.#index = index
    this.#clock = clock
  }

  async run(night: Night): Promise<void> {
    for (let tick = 0; tick <= night.ticks; tick++) {
      this.#clock.tick({ ms: Math.floor(night.after / (night.ticks + 1)) })
      await this.#index.commit([])
    }
    if (night.asked !== undefined) await this.#requestCrawl(night.asked)
    for (const saved of night.saves) await this.#saveBrand(saved)
    const observation = night.attempts.flatMap(attempt =>
      observeAttempt(attempt, this.#clock.now()),
    )
    const isLate = (index: number) => night.late[index % night.late.length]!
    const arriving = [...this.#late, ...observation.filter((_, index) => !isLate(index))]
    this.#late = observation.filter((_, index) => isLate(index))
    for (const batch of splitBatches(shuffle(arriving, night.order), night.batch)) {
      await this.#index.commit(batch)
      if (night.isTwice) await this.#index.commit(batch)
    }
  }

  async #requestCrawl(domain: string): Promise<void> {
    const name = `request ${this.#requests++}`
    const operation = {
      op: 'crawl.request' as const,
      crawl_request_id: deriveId(name),
      scope: 'domain' as const,
      domain: domain as Domain,
      requested_by: 'somebody' as const,
    }
    await this.#index.commit({ submissions: [buildSubmission(name, operation)] })
  }

  async #saveBrand({ domain, house, isWithdrawn }: BrandSaved): Promise<void> {
    const name = `save ${this.#saves++}`
    const about = {
      revision_id: deriveId('revision', name),
      editor: { kind: 'key', id: deriveId('key'), org_id: deriveId('org') } as const,
      domain: domain as Domain,
    }
    const house_domain = house as Domain | undefined
    const operation = isWithdrawn
      ? ({ op: 'entry.rollback', entity: 'brand', to_revision: 0, ...about } as const)
      : ({ op: 'brand.save', brand_name: name, ...(house && { house_domain }), ...about } as const)
    await this.#index.commit({ submissions: [buildSubmission(name, operation as Operation)] })
  }

  /** Answers each file that a rule waits for with 404, until no rule waits for another one. */
  async answerUntried(): Promise<void> {
    for (;;) {
      const untried = await this.#index.db.all<Source>(
        `select kind, location from crawl_state where attempted_at is null order by 1, 2`,
      )
      if (untried.length === 0) return
      const at = this.#clock.now()
      const absent = { outcome: 'absent' } as const
      const attempts = untried.map(source => ({
        ...source,
        found: absent,
        ageMs: 0,
        adsTxt: absent,
      }))
      await this.#index.commit(attempts.flatMap(attempt => observeAttempt(attempt, at)))
    }
  }
}

function shuffle(observation: readonly Observation[], order: readonly number[]): Observation[] {
  return observation
    .map((observation, index) => ({
      observation,
      turn: (order[index % order.length]! * (index + 7)) % 101,
    }))
    .sort((a, b) => a.turn - b.turn)
    .map(({ observation }) => observation)
}

function splitBatches<Item>(items: readonly Item[], size: number): Item[][] {
  const count = Math.ceil(items.length / size)
  return Array.from({ length: count }, (_, i) => items.slice(i * size, (i + 1) * size))
}
