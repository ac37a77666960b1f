import type { Instant } from '../core/clock.ts'
import type { Domain } from '../core/domain.ts'
import { type Source, sourceKey } from '../model/observation.ts'
import type { Derivation, KnownFile } from '../resolve/derivation.ts'
import { type FileState, standingOf } from '../resolve/standing.ts'
import type { Database } from './duckdb.ts'

export interface Derived<Answer> {
  domain: Domain
  answer: Answer
  /** Every file the answer was read from, its own first: what it depends on. */
  asked: Source[]
}

/** Files the derivations of one commit have asked for; each is loaded once. */
export class Files {
  readonly #db: Database
  readonly #now: Instant
  readonly #known = new Map<string, KnownFile>()

  constructor(db: Database, now: Instant) {
    this.#db = db
    this.#now = now
  }

  /** Makes a file known without asking the index: it was just read, so it stands. */
  add(source: Source, document: NonNullable<KnownFile['document']>): void {
    this.#known.set(sourceKey(source), { standing: 'stands', document })
  }

  get(source: Source): KnownFile {
    return this.#known.get(sourceKey(source)) ?? { standing: 'untried' }
  }

  async load(sources: Iterable<Source>): Promise<void> {
    const missing = [...new Map([...sources].map(one => [sourceKey(one), one])).values()].filter(
      source => !this.#known.has(sourceKey(source)),
    )
    if (missing.length === 0) return
    const rows = await this.#db.all<Source & FileState & Pick<KnownFile, 'document'>>(
      `with wanted as (select unnest(
         from_json($sources::json, '[{"kind":"VARCHAR","location":"VARCHAR"}]'), recursive := true))
       select s.kind, s.location, s.effect, d.document,
         epoch_ms(s.attempted_at)::double as attempted_at,
         epoch_ms(s.succeeded_at)::double as succeeded_at,
         epoch_ms(s.stale_at)::double as stale_at, epoch_ms(s.ended_at)::double as ended_at
       from crawl_state s semi join wanted using (kind, location)
       left join documents d using (kind, location)`,
      { sources: JSON.stringify(missing.map(({ kind, location }) => ({ kind, location }))) },
    )
    for (const source of missing) this.#known.set(sourceKey(source), { standing: 'untried' })
    for (const { document, ...state } of rows) {
      this.#known.set(sourceKey(state), {
        standing: standingOf(state, this.#now),
        state,
        ...(document ? { document } : {}),
      })
    }
  }
}

/**
 * Runs one rule for many domains in step: the files that all of them ask for next are loaded
 * together, then each goes on with its own.
 */
export async function deriveAll<Answer>(
  domains: readonly Domain[],
  rule: (domain: Domain) => Derivation<Answer>,
  files: Files,
): Promise<Derived<Answer>[]> {
  const derived: Derived<Answer>[] = []
  let running = domains.map(domain => {
    const derivation = rule(domain)
    return { domain, derivation, asked: [] as Source[], step: derivation.next() }
  })
  while (running.length > 0) {
    await files.load(running.flatMap(({ step }) => (step.done ? [] : [step.value])))
    const still: typeof running = []
    for (const { domain, derivation, asked, step } of running) {
      if (step.done) derived.push({ domain, asked, answer: step.value })
      else {
        asked.push(step.value)
        still.push({ domain, derivation, asked, step: derivation.next(files.get(step.value)) })
      }
    }
    running = still
  }
  return derived
}
