import type { Instant } from '../core/clock.ts'
import { parseHostedDomain } from '../model/hosted.ts'
import { type Source, toSourceKey } from '../model/observation.ts'
import type { Derivation, KnownFile, Question } from '../resolve/derivation.ts'
import { type FileState, getValidity } from '../resolve/validity.ts'
import { loadHostedFiles, noFile } from '../serving/hosted-files.ts'
import type { Database } from '../store/duckdb.ts'
import { nothingTakenDown, type TakenDown, withheld } from '../store/takedown-set.ts'

export interface Derived<Subject, Answer> {
  subject: Subject
  answer: Answer
  /** Every file the answer was read from, its own first: what it depends on. */
  asked: Source[]
  /** Time at which the answer next changes by itself. */
  wakesAt: Instant | undefined
}

/** Size above which a file is a large one: an answer read from it may take as long as a whole commit may. */
export const LARGE_FILE_BYTES = 1024 * 1024
/** No file has more. */
const BYTES_MAX = 2 ** 40

/** Files that rules see besides what was crawled, or instead of it. */
export interface Shown {
  takenDown?: TakenDown
  /** Public address of the registry, if files can be pointed to there. */
  hostingBase?: string | undefined
}

/** Files the derivations of one commit have asked for; each is loaded once. */
export class Files {
  readonly #db: Database
  /** Domains whose files are hidden from all rules. */
  readonly takenDown: TakenDown
  readonly now: Instant
  /** Public address of the registry, by which it knows the files that it serves itself. */
  readonly #base: string | undefined
  readonly #known = new Map<string, KnownFile>()
  readonly #fresh = new Map<string, NonNullable<KnownFile['document']>>()
  /** Bytes of files that are not loaded because of these. */
  readonly #left = new Map<string, number>()

  constructor(db: Database, now: Instant, { takenDown, hostingBase: base }: Shown = {}) {
    this.#db = db
    this.takenDown = takenDown ?? nothingTakenDown
    this.now = now
    this.#base = base
  }

  /** Returns the domain of a source that is a hosted file. */
  hostedFor(source: Source): string | undefined {
    return parseHostedDomain(this.#base, source)
  }

  /** Adds a document that was just stored, so that the index need not be queried for it. */
  add(source: Source, document: NonNullable<KnownFile['document']>): void {
    this.#fresh.set(toSourceKey(source), document)
  }

  get(source: Source): KnownFile {
    if (this.takenDown.covers(source.location)) return withheld
    return this.#known.get(toSourceKey(source)) ?? { validity: 'unknown' }
  }

  /** Loads files; larger ones than `maxBytes` are left, and known as such. */
  async load(sources: Iterable<Source>, maxBytes = Number.POSITIVE_INFINITY): Promise<void> {
    const missing = [
      ...new Map([...sources].map(source => [toSourceKey(source), source])).values(),
    ].filter(source => !this.#known.has(toSourceKey(source)) && !this.#isLarger(source, maxBytes))
    if (missing.length === 0) return
    if (this.#base !== undefined) {
      const hosted = missing.filter(source => this.hostedFor(source) !== undefined)
      for (const [key, file] of await loadHostedFiles(this.#db, this.#base, hosted)) {
        this.#known.set(key, file)
      }
    }
    const crawled = missing.filter(source => !this.#known.has(toSourceKey(source)))
    await this.#loadCrawled(crawled, Math.min(maxBytes, BYTES_MAX))
  }

  /** Tells whether a file was left because of its size. */
  isLeft(source: Source): boolean {
    return this.#left.has(toSourceKey(source)) && !this.takenDown.covers(source.location)
  }

  #isLarger(source: Source, maxBytes: number): boolean {
    return (this.#left.get(toSourceKey(source)) ?? 0) > maxBytes
  }

  async #loadCrawled(missing: readonly Source[], maxBytes: number): Promise<void> {
    if (missing.length === 0) return
    const rows = await this.#db.all<
      Source & FileState & Pick<KnownFile, 'document'> & { bytes: number }
    >(
      `with wanted as (select unnest(
         from_json($sources::json, '[{"kind":"VARCHAR","location":"VARCHAR","is_fresh":"BOOLEAN"}]'),
         recursive := true))
       select s.kind, s.location, s.outcome, s.effect, s.status, coalesce(d.bytes, 0) as bytes,
         case when coalesce(d.bytes, 0) <= $most then d.document end as document,
         epoch_ms(s.streak_since)::double as streak_since,
         epoch_ms(s.attempted_at)::double as attempted_at,
         epoch_ms(s.succeeded_at)::double as succeeded_at,
         epoch_ms(s.stale_at)::double as stale_at, epoch_ms(s.ended_at)::double as ended_at,
         epoch_ms(s.absent_at)::double as absent_at
       from crawl_state s join wanted w using (kind, location)
       left join documents d on d.kind = s.kind and d.location = s.location and not w.is_fresh`,
      { sources: JSON.stringify(missing.map(source => this.#wanted(source))), most: maxBytes },
    )
    for (const source of missing) this.#known.set(toSourceKey(source), { validity: 'unknown' })
    for (const { document: stored, bytes, ...state } of rows) {
      const key = toSourceKey(state)
      if (bytes > maxBytes) {
        this.#left.set(key, bytes)
        this.#known.delete(key)
        continue
      }
      this.#left.delete(key)
      const document = this.#fresh.get(key) ?? stored
      this.#known.set(key, {
        validity: getValidity(state, this.now),
        state,
        ...(document ? { document } : {}),
      })
    }
  }

  #wanted(source: Source) {
    const { kind, location } = source
    return { kind, location, is_fresh: this.#fresh.has(toSourceKey(source)) }
  }
}

/**
 * Runs one rule for many subjects in step: the files that all of them ask for next are loaded
 * together, then each goes on with its own.
 */
export async function deriveAll<Subject, Answer>(
  subjects: readonly Subject[],
  rule: (subject: Subject) => Derivation<Answer>,
  files: Files,
): Promise<Derived<Subject, Answer>[]> {
  const all = subjects.map(subject => new Running(subject, rule(subject)))
  await runInStep(all, files)
  return all.map(run => run.result(files.now))
}

/** Limits on the answers that one commit derives from large files. */
export interface LargeFiles<Subject, Answer> {
  /** Number of large files that may be read. */
  count: number
  /** Subjects that are derived whatever they ask for. */
  urgent: ReadonlySet<Subject>
  /** Weight of answers from large files above which no further one is derived. */
  maxWeight: number
  weigh(answer: Answer): number
}

/**
 * Runs a rule as `deriveAll` does, but reads few large files. Subjects that ask for further ones are
 * postponed, at the cost of no more than finding that out.
 */
export async function deriveWithin<Subject, Answer>(
  subjects: readonly Subject[],
  rule: (subject: Subject) => Derivation<Answer>,
  files: Files,
  large: LargeFiles<Subject, Answer>,
): Promise<{ derived: Derived<Subject, Answer>[]; postponed: Subject[] }> {
  const all = subjects.map(subject => new Running(subject, rule(subject)))
  const urgent = all.filter(({ subject }) => large.urgent.has(subject))
  await runInStep(urgent, files)
  let waiting = await runInStep(
    all.filter(({ subject }) => !large.urgent.has(subject)),
    files,
    LARGE_FILE_BYTES,
  )
  let { count } = large
  let weight = 0
  // What the next subject weighs is not known before: so first one is tried, then twice as many.
  for (let tried = 1; waiting.length > 0 && weight < large.maxWeight; tried *= 2) {
    const [next] = waiting
    if (files.isLeft(next!.sees!) && count-- <= 0) break
    await files.load([next!.sees!])
    const ready = waiting.filter(({ sees }) => !files.isLeft(sees!)).slice(0, tried)
    const tries = new Set(ready)
    const stopped = new Set(await runInStep(ready, files, LARGE_FILE_BYTES))
    waiting = [...stopped, ...waiting.filter(run => !tries.has(run))]
    for (const run of ready) {
      if (!stopped.has(run)) weight += large.weigh(run.result(files.now).answer)
    }
  }
  const postponed = new Set(waiting)
  return {
    derived: all.flatMap(run => (postponed.has(run) ? [] : run.result(files.now))),
    postponed: waiting.map(({ subject }) => subject),
  }
}

/** Runs rules to their answers; returns those that stopped at a file which is larger than `maxBytes`. */
async function runInStep<Subject, Answer>(
  all: readonly Running<Subject, Answer>[],
  files: Files,
  maxBytes?: number,
): Promise<Running<Subject, Answer>[]> {
  const stopped: Running<Subject, Answer>[] = []
  for (let running = [...all]; running.length > 0; ) {
    await files.load(
      running.flatMap(({ sees }) => sees ?? []),
      maxBytes,
    )
    const isStopped = ({ sees }: (typeof all)[number]) => sees !== undefined && files.isLeft(sees)
    stopped.push(...running.filter(isStopped))
    running = running.filter(run => !isStopped(run) && run.goOn(files))
  }
  return stopped
}

/** One rule on its way: it stops at each file it wants to see. */
class Running<Subject, Answer> {
  readonly subject: Subject
  readonly #derivation: Derivation<Answer>
  readonly #asked: Source[] = []
  readonly #wakes: Instant[] = []
  #step: IteratorResult<Question, Answer>

  constructor(subject: Subject, derivation: Derivation<Answer>) {
    this.subject = subject
    this.#derivation = derivation
    this.#step = derivation.next()
    this.#noteWakes()
  }

  get sees(): Source | undefined {
    return !this.#step.done && 'source' in this.#step.value ? this.#step.value.source : undefined
  }

  /** Shows it the file it stopped at; false once it has answered. */
  goOn(files: Files): boolean {
    const source = this.sees
    if (source === undefined) return false
    this.#step = this.#derivation.next(this.#look(source, files))
    this.#noteWakes()
    return !this.#step.done
  }

  /**
   * Finds a file for a rule. A hosted file is shown only to rules that came by its domain's own file:
   * so whatever depends on it depends on that one, which a save invalidates.
   */
  #look(source: Source, files: Files): KnownFile {
    const domain = files.hostedFor(source)
    if (domain === undefined) {
      this.#asked.push(source)
      return files.get(source)
    }
    const led = this.#asked.some(asked => asked.kind === source.kind && asked.location === domain)
    return led ? files.get(source) : noFile
  }

  result(now: Instant): Derived<Subject, Answer> {
    if (!this.#step.done) throw new Error('a rule is asked for its answer before it has one')
    const later = this.#wakes.filter(at => at > now)
    return {
      subject: this.subject,
      answer: this.#step.value,
      asked: this.#asked,
      wakesAt: later.length === 0 ? undefined : Math.min(...later),
    }
  }

  #noteWakes(): void {
    while (!this.#step.done && 'wake' in this.#step.value) {
      this.#wakes.push(this.#step.value.wake)
      this.#step = this.#derivation.next()
    }
  }
}
