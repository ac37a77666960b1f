import type { Outcome } from '../core/outcomes.ts'
import type { Source } from '../model/observation.ts'
import type { RevisionRow } from '../model/rows.ts'
import type { FileState } from '../resolve/validity.ts'

/** Maximum number of appended rows that are remembered; more are read again. */
const APPENDED_ROWS_MAX = 500

/** Rows that a commit adds to a table that only grows; `rows` is undefined where they are many. */
class AppendedRows<Row> {
  rows: Row[] | undefined = []

  note(rows: readonly Row[]): void {
    const all = this.rows && [...this.rows, ...rows]
    this.rows = all && all.length <= APPENDED_ROWS_MAX ? all : undefined
  }

  /** Forgets the rows because some of them were deleted again: its projection must then read the table. */
  forget(): void {
    this.rows = undefined
  }
}

export interface TouchedKey {
  space: string
  key: string
}

/** State of a file after an attempt, as far as it is shown. */
export interface AttemptedFile
  extends Source,
    Pick<FileState, 'status' | 'attempted_at' | 'succeeded_at'> {
  outcome: Outcome
  took_ms: number | null
}

/** Notes of what a commit has done so far, so that its projection need not read that again. */
export class CommitNotes {
  readonly seq: number
  /** Serving keys that it touches. */
  readonly changes = new AppendedRows<TouchedKey>()
  /** Revisions that it adds. */
  readonly revisions = new AppendedRows<RevisionRow>()
  #attempts: AttemptedFile[] | undefined = []
  readonly #deleted = new Map<string, Set<string>>()

  constructor(seq: number) {
    this.seq = seq
  }

  /** Files whose crawl state it changes; undefined where they must be looked for. */
  get attempts(): readonly AttemptedFile[] | undefined {
    return this.#attempts
  }

  noteAttempts(files: readonly AttemptedFile[]): void {
    this.#attempts = this.#attempts?.concat(files)
  }

  /** Notes that crawl state was changed otherwise than by the attempts that are known. */
  forgetAttempts(): void {
    this.#attempts = undefined
  }

  noteDeleted(table: string, keys: readonly string[]): void {
    const known = this.#deleted.get(table) ?? new Set()
    for (const key of keys) known.add(key)
    this.#deleted.set(table, known)
  }

  /**
   * Lists the keys of rows of a table that were deleted. Some of them are inserted again: that is how DuckDB changes
   * scattered rows fastest.
   */
  listDeleted(table: string): string[] {
    return [...(this.#deleted.get(table) ?? [])]
  }
}

/** A database in which a commit is in progress. */
interface Committing {
  findNotes(seq: number): CommitNotes | undefined
  insert(table: string, rows: readonly object[]): Promise<void>
}

/** Records the serving keys that a commit touched, for its projection. */
export async function recordChanges(
  db: Committing,
  seq: number,
  keys: Readonly<Record<string, readonly string[]>>,
): Promise<void> {
  const rows = Object.entries(keys).flatMap(([space, touched]) =>
    touched.map(key => ({ seq, space, key })),
  )
  db.findNotes(seq)?.changes.note(rows)
  await db.insert('changes', rows)
}

/**
 * Notes domains whose brand row a commit writes. They need no row in `changes`: a projection without these
 * notes finds the same domains in `brand_versions`.
 */
export function noteWrittenBrands(db: Committing, seq: number, domains: readonly string[]): void {
  db.findNotes(seq)?.changes.note(domains.map(key => ({ space: 'brand', key })))
}

/** Adds revisions; one is never changed. */
export async function addRevisions(
  db: Committing,
  seq: number,
  rows: readonly RevisionRow[],
): Promise<void> {
  db.findNotes(seq)?.revisions.note(rows)
  await db.insert('revisions', rows)
}
