import type { Instant } from '../core/clock.ts'
import { parseHostedDomain } from '../model/hosted.ts'
import { type Source, toSourceKey } from '../model/observation.ts'
import type { KnownFile } from '../resolve/derivation.ts'
import { type FileState, getValidity } from '../resolve/validity.ts'
import { loadHostedFiles } from '../serving/hosted-files.ts'
import type { Database } from '../store/database.ts'
import { nothingTakenDown, type TakenDown, withheld } from './takedown/takedown-list.ts'

/** Size above which a file is large: deriving an answer from it may take as long as a commit may. */
export const LARGE_FILE_BYTES = 1024 * 1024

/** Files that rules see in another form than crawled. */
export interface Shown {
  takenDown?: TakenDown
  /** Public address of the registry, if files can be pointed to there. */
  hostingBase?: string | undefined
}

/** The files that the derivations of one commit read; each is loaded from the index once. */
export class Files {
  readonly #db: Database
  /** Domains whose files are hidden from all rules. */
  readonly takenDown: TakenDown
  readonly now: Instant
  /** Public address of the registry, by which it knows the files that it serves itself. */
  readonly #base: string | undefined
  readonly #files = new Map<string, KnownFile>()
  readonly #freshDocuments = new Map<string, NonNullable<KnownFile['document']>>()
  /** Sizes of files that were not loaded because they are larger than a caller’s maximum. */
  readonly #skipped = new Map<string, number>()

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
    this.#freshDocuments.set(toSourceKey(source), document)
  }

  /** Returns a file as rules see it; `unknown` if it was not loaded or is not in the index. */
  get(source: Source): KnownFile {
    if (this.takenDown.covers(source.location)) return withheld
    return this.#files.get(toSourceKey(source)) ?? { validity: 'unknown' }
  }

  /** Loads files that are not loaded yet; those larger than `maxBytes` are skipped (`isSkipped`). */
  async load(sources: Iterable<Source>, maxBytes = Number.POSITIVE_INFINITY): Promise<void> {
    const missing = [
      ...new Map([...sources].map(source => [toSourceKey(source), source])).values(),
    ].filter(source => !this.#files.has(toSourceKey(source)) && !this.#isLarger(source, maxBytes))
    if (missing.length === 0) return
    if (this.#base !== undefined) {
      const hosted = missing.filter(source => this.hostedFor(source) !== undefined)
      for (const [key, file] of await loadHostedFiles(this.#db, this.#base, hosted)) {
        this.#files.set(key, file)
      }
    }
    const crawled = missing.filter(source => !this.#files.has(toSourceKey(source)))
    await this.#loadCrawled(crawled, maxBytes)
  }

  /** Tells whether a file was skipped because of its size. */
  isSkipped(source: Source): boolean {
    return this.#skipped.has(toSourceKey(source)) && !this.takenDown.covers(source.location)
  }

  #isLarger(source: Source, maxBytes: number): boolean {
    return (this.#skipped.get(toSourceKey(source)) ?? 0) > maxBytes
  }

  async #loadCrawled(missing: readonly Source[], maxBytes: number): Promise<void> {
    if (missing.length === 0) return
    const rows = await this.#db.all<Source & FileState & { bytes: number }>(
      `select s.kind, s.location, s.outcome, s.effect, s.status, coalesce(d.bytes, 0) as bytes,
         +s.streak_since as streak_since,
         +s.attempted_at as attempted_at,
         +s.succeeded_at as succeeded_at,
         +s.stale_at as stale_at,
         +s.ended_at as ended_at,
         +s.absent_at as absent_at
       from json_each($sources) w
       join crawl_state s on s.location = w.value ->> '$.location' and s.kind = w.value ->> '$.kind'
       left join documents d on d.location = s.location and d.kind = s.kind and not (w.value ->> '$.is_fresh')`,
      { sources: JSON.stringify(missing.map(source => this.#toRequest(source))) },
    )
    for (const source of missing) this.#files.set(toSourceKey(source), { validity: 'unknown' })
    const read = rows.filter(({ bytes }) => bytes <= maxBytes)
    const documents = await this.#readDocuments(read)
    for (const { bytes, ...state } of rows) {
      const key = toSourceKey(state)
      if (bytes > maxBytes) {
        this.#skipped.set(key, bytes)
        this.#files.delete(key)
        continue
      }
      this.#skipped.delete(key)
      const document = this.#freshDocuments.get(key) ?? documents.get(key)
      this.#files.set(key, {
        validity: getValidity(state, this.now),
        state,
        ...(document ? { document } : {}),
      })
    }
  }

  /** Reads the stored documents of these files, by their keys; those that were just stored are left out. */
  async #readDocuments(
    sources: readonly (Source & { bytes: number })[],
  ): Promise<Map<string, NonNullable<KnownFile['document']>>> {
    const stored = sources.filter(source => !this.#freshDocuments.has(toSourceKey(source)))
    if (stored.length === 0) return new Map()
    const locations = [...new Set(stored.map(({ location }) => location))]
    const rows = await this.#db.all<Source & { document: NonNullable<KnownFile['document']> }>(
      `select kind, location, document from documents
       where location in (select value from json_each($locations)) and coalesce(bytes, 0) <= $max`,
      {
        locations: JSON.stringify(locations),
        max: stored.reduce((most, { bytes }) => Math.max(most, bytes), 0),
      },
    )
    const wanted = new Set(stored.map(toSourceKey))
    return new Map(
      rows.flatMap(row => (wanted.has(toSourceKey(row)) ? [[toSourceKey(row), row.document]] : [])),
    )
  }

  #toRequest(source: Source) {
    const { kind, location } = source
    return { kind, location, is_fresh: this.#freshDocuments.has(toSourceKey(source)) }
  }
}
