import type { RevisionRow } from '../model/rows.ts'
import type { Database } from './duckdb.ts'

/** Maximum number of appended rows that are remembered; more are read again. */
const APPENDED_ROWS_MAX = 500

interface Commit<Row> {
  seq: number
  rows: Row[] | undefined
}

/**
 * Remembers the rows that the commit in progress adds to an append-only table, so that its projection need
 * not read them again. Only a limited number is remembered.
 */
export class AppendedRows<Row> {
  readonly #commits = new WeakMap<Database, Commit<Row>>()

  /** Begins a commit; rows that a failed commit noted are forgotten. */
  begin(db: Database, seq: number): void {
    this.#commits.set(db, { seq, rows: [] })
  }

  note(db: Database, seq: number, rows: readonly Row[]): void {
    const commit = this.#commits.get(db)
    const known = commit?.seq === seq ? commit.rows : undefined
    const all = known && [...known, ...rows]
    this.#commits.set(db, { seq, rows: all && all.length <= APPENDED_ROWS_MAX ? all : undefined })
  }

  /**
   * Forgets the rows of the commit because some of them were deleted again; its projection must then read the
   * table.
   */
  forget(db: Database): void {
    this.#commits.delete(db)
  }

  /**
   * Returns the rows that the one commit after `seq` added, if this process made it and they were few.
   */
  findAdded(db: Database, { seq, last }: { seq: number; last: number }): Row[] | undefined {
    const commit = this.#commits.get(db)
    return last === seq + 1 && commit?.seq === last ? commit.rows : undefined
  }
}

export interface TouchedKey {
  space: string
  key: string
}

/** Serving keys touched by the commit in progress. */
export const appendedChanges = new AppendedRows<TouchedKey>()

/** Records the serving keys that a commit touched, for its projection. */
export async function recordChanges(
  db: Database,
  seq: number,
  keys: Readonly<Record<string, readonly string[]>>,
): Promise<void> {
  const rows = Object.entries(keys).flatMap(([space, touched]) =>
    touched.map(key => ({ seq, space, key })),
  )
  appendedChanges.note(db, seq, rows)
  await db.insert('changes', rows)
}

/**
 * Notes domains whose brand row a commit writes. They need no row in `changes`: a projection without these
 * notes finds the same domains in `brand_versions`.
 */
export function noteWrittenBrands(db: Database, seq: number, domains: readonly string[]): void {
  appendedChanges.note(
    db,
    seq,
    domains.map(key => ({ space: 'brand', key })),
  )
}

/** Revisions that the commit in progress adds. */
export const appendedRevisions = new AppendedRows<RevisionRow>()

/** Adds revisions; one is never changed. */
export async function addRevisions(
  db: Database,
  seq: number,
  rows: readonly RevisionRow[],
): Promise<void> {
  appendedRevisions.note(db, seq, rows)
  await db.insert('revisions', rows)
}

/**
 * Keys of rows that the commit in progress deleted, by table. Some of them are inserted again: that is
 * how DuckDB changes scattered rows fastest.
 */
class DeletedKeys {
  readonly #commits = new WeakMap<Database, Map<string, Set<string>>>()

  /** Begins a commit; keys that a failed commit noted are forgotten. */
  begin(db: Database): void {
    this.#commits.set(db, new Map())
  }

  note(db: Database, table: string, keys: readonly string[]): void {
    const commit = this.#commits.get(db)
    if (commit === undefined) return
    const known = commit.get(table) ?? new Set()
    for (const key of keys) known.add(key)
    commit.set(table, known)
  }

  list(db: Database, table: string): string[] {
    return [...(this.#commits.get(db)?.get(table) ?? [])]
  }
}

export const deletedKeys = new DeletedKeys()
