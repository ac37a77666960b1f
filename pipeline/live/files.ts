import type { Clock, Instant } from '../core/clock.ts'
import type { Limits } from '../core/limits.ts'
import { effectOf } from '../core/outcomes.ts'
import { type CrawlDeps, crawlSource } from '../crawl/crawl-source.ts'
import { Faults } from '../crawl/faults.ts'
import type { JsonObject } from '../crawl/part.ts'
import { readJson } from '../crawl/read-json.ts'
import { readObservation } from '../crawl/read-observation.ts'
import { carry } from '../diff/carry.ts'
import type { DocumentOf, SourceKind } from '../model/documents.ts'
import type { SeenReference } from '../model/live.ts'
import { type Observation, type Source, sourceKey, urlOf } from '../model/observation.ts'
import type { Derivation, KnownFile } from '../resolve/derivation.ts'
import { within } from './deadline.ts'

export interface LiveDeps {
  fetcher: CrawlDeps['fetcher']
  clock: Clock
  limits: Limits
}

/** Files that one answer may be read from. */
const MOST_FILES = 12

/** The files of one answer, each read once, now, and all of them within one time. */
export class LiveFiles {
  readonly #deps: LiveDeps
  readonly #references: SeenReference[]
  readonly #until: number
  /** When all of them are read, as far as rules are concerned. */
  readonly now: Instant
  readonly #seen = new Map<string, Observation>()

  constructor(deps: LiveDeps, ms: number, references: SeenReference[] = []) {
    this.#deps = deps
    this.#references = references
    this.now = deps.clock.now()
    this.#until = performance.now() + ms
  }

  get leftMs(): number {
    return Math.max(0, this.#until - performance.now())
  }

  /** In the order in which they were asked for. */
  all(): Observation[] {
    return [...this.#seen.values()]
  }

  async see(source: Source): Promise<Observation> {
    const key = sourceKey(source)
    const known = this.#seen.get(key)
    if (known !== undefined) return known
    const seen = await this.#read(source)
    this.#seen.set(key, seen)
    return seen
  }

  async #read(source: Source): Promise<Observation> {
    const { fetcher, clock, limits } = this.#deps
    const late: Observation = { ...source, observed_at: clock.now(), outcome: 'timeout' }
    const ms = Math.min(limits.fetchMs, Math.floor(this.leftMs))
    if (ms <= 0 || this.#seen.size >= MOST_FILES) return late
    const fetched = crawlSource(source, { fetcher, clock, limits: { ...limits, fetchMs: ms } })
    // Waiting for a turn at a busy host is not part of a fetch's own deadline.
    const seen = await within(ms, fetched, late)
    const read = readObservation(seen, limits)
    return this.#carried(seen.body === undefined ? read : { ...read, body: seen.body })
  }

  /** What a document remembers of earlier ones begins now, but for what is known of references. */
  #carried(seen: Observation): Observation {
    const fresh = seen.document as DocumentOf | undefined
    if (fresh === undefined) return seen
    const old = fresh.variant === 'house_portfolio' ? this.#before(fresh) : undefined
    return { ...seen, document: carry(old, fresh, this.now) }
  }

  #before(fresh: Extract<DocumentOf, { variant: 'house_portfolio' }>): DocumentOf {
    return { ...fresh, brand_refs: this.#references }
  }
}

/** The answer of a rule over files as they are now. */
export async function answerNow<Answer>(
  rule: Derivation<Answer>,
  files: LiveFiles,
): Promise<Answer> {
  let step = rule.next()
  while (!step.done) {
    const question = step.value
    step = rule.next('see' in question ? knownAs(await files.see(question.see)) : undefined)
  }
  return step.value
}

/** A file as the index would hold it after this attempt, had it never heard of it before. */
export function knownAs<Kind extends SourceKind = SourceKind>(seen: Observation): KnownFile<Kind> {
  const { outcome, status, observed_at: at, document } = seen
  const effect = effectOf(outcome)
  return {
    standing: 'stands',
    state: {
      outcome,
      effect,
      status: status ?? null,
      streak_since: at,
      attempted_at: at,
      succeeded_at: effect === 'success' ? at : null,
      stale_at: null,
      ended_at: null,
      absent_at: null,
    },
    ...(document !== undefined && { document: document as DocumentOf<Kind> }),
  }
}

/** The file as its publisher wrote it, tidied; undefined when it is no JSON object. */
export function rootOf({ body }: Observation): JsonObject | undefined {
  if (body === undefined) return undefined
  const read = readJson(body, new Faults(1))
  return read.outcome === 'ok' ? read.root : undefined
}

/** Where the file was found in the end. */
export function addressOf(seen: Observation): string {
  return seen.resolved_url ?? urlOf(seen)
}
