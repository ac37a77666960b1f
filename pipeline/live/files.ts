import type { Clock, Instant } from '../core/clock.ts'
import type { Limits } from '../core/limits.ts'
import { getEffect } from '../core/outcomes.ts'
import { type CrawlDeps, crawlSource } from '../crawl/crawl-source.ts'
import { waitWithin } from '../crawl/deadline.ts'
import { carryOver } from '../diff/carry.ts'
import type { DocumentOf, SourceKind } from '../model/documents/index.ts'
import type { KnownBrandFile } from '../model/live/live.ts'
import {
  type Observation,
  type Source,
  toDomain,
  toSourceKey,
  toUrl,
} from '../model/observation.ts'
import { readObservation } from '../parse/read-observation.ts'
import type { Derivation, KnownFile } from '../resolve/derivation.ts'
import { getValidity } from '../resolve/validity.ts'

export interface LiveDeps {
  fetcher: CrawlDeps['fetcher']
  clock: Clock
  limits: Limits
}

/** Files that one answer may need; further ones count as timed out. */
const FILES_MAX = 12

/** Fetches the files that one answer needs, each once, and all of them within one deadline. */
export class LiveFiles {
  readonly #deps: LiveDeps
  readonly #storedFiles: ReadonlyMap<string, KnownBrandFile>
  readonly #until: number
  /** Time at which all files count as fetched. */
  readonly now: Instant
  readonly #observations = new Map<string, Observation>()

  constructor(deps: LiveDeps, ms: number, known: readonly KnownBrandFile[] = []) {
    this.#deps = deps
    this.#storedFiles = new Map(
      known.map(file => [toSourceKey({ kind: 'brand.json', location: file.location }), file]),
    )
    this.now = deps.clock.now()
    this.#until = performance.now() + ms
  }

  get remainingMs(): number {
    return Math.max(0, this.#until - performance.now())
  }

  /** Returns all files in the order in which they were requested. */
  all(): Observation[] {
    return [...this.#observations.values()]
  }

  /** Fetches a file and parses it; repeated calls for the same file fetch it only once. */
  async fetch(source: Source): Promise<Observation> {
    const key = toSourceKey(source)
    const known = this.#observations.get(key)
    if (known !== undefined) return known
    const observation = await this.#fetchNow(source)
    this.#observations.set(key, observation)
    return observation
  }

  async #fetchNow(source: Source): Promise<Observation> {
    const { fetcher, clock, limits } = this.#deps
    const timedOut: Observation = { ...source, observed_at: clock.now(), outcome: 'timeout' }
    const ms = Math.min(limits.fetchMs, Math.floor(this.remainingMs))
    if (ms <= 0 || this.#observations.size >= FILES_MAX) return timedOut
    const fetched = crawlSource(source, { fetcher, clock, limits: { ...limits, fetchMs: ms } })
    // Waiting for a turn at a busy host is not part of a fetch's own deadline.
    const observation = await waitWithin(ms, fetched, timedOut)
    const read = readObservation(observation, limits)
    return this.#carryOver(
      observation.body === undefined ? read : { ...read, body: observation.body },
    )
  }

  /**
   * Adds to a document what it must remember of the one in the index, such as since when a house names a
   * brand.
   */
  #carryOver(observation: Observation): Observation {
    const fresh = observation.document as DocumentOf | undefined
    if (fresh === undefined) return observation
    const old = this.#storedFiles.get(toSourceKey(observation))?.document
    return { ...observation, document: carryOver(old, fresh, this.now, toDomain(observation)) }
  }

  /** Converts an attempt to the file that the index would hold after it, which is what rules are given. */
  toKnownFile(observation: Observation): KnownFile {
    const known = this.#storedFiles.get(toSourceKey(observation))
    return known === undefined ? toKnownFile(observation) : toKnownAfter(known, observation)
  }
}

/** Runs a rule on files as they are now. */
export async function resolveNow<Answer>(
  rule: Derivation<Answer>,
  files: LiveFiles,
): Promise<Answer> {
  let step = rule.next()
  while (!step.done) {
    const question = step.value
    step = rule.next(
      'source' in question ? files.toKnownFile(await files.fetch(question.source)) : undefined,
    )
  }
  return step.value
}

/** Converts an attempt to the file that the index would hold if this were its first. */
export function toKnownFile<Kind extends SourceKind = SourceKind>(
  observation: Observation,
): KnownFile<Kind> {
  const { outcome, status, observed_at: at, document } = observation
  const effect = getEffect(outcome)
  return {
    validity: 'valid',
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

/**
 * Converts an attempt at a file that the index has. If the server could not be reached or answered something
 * that is not a file of this kind, the stored document stays; any other answer replaces it.
 */
function toKnownAfter(known: KnownBrandFile, observation: Observation): KnownFile {
  const { outcome, status = null, observed_at: at } = observation
  const effect = getEffect(outcome)
  if (effect !== 'unreachable' && effect !== 'garbled') return toKnownFile(observation)
  const attempt = { ...known.state, outcome, status, attempted_at: at }
  const isFirstGarbled = effect === 'garbled' && known.state.effect !== 'garbled'
  const state = isFirstGarbled ? { ...attempt, effect, streak_since: at } : attempt
  return { validity: getValidity(state, at), state, document: known.document }
}

/** Returns the address of the file after all redirects. */
export function getFinalAddress(observation: Observation): string {
  return observation.resolved_url ?? toUrl(observation)
}
