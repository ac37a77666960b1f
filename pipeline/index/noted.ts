import type { Database } from './duckdb.ts'

/** More rows than this are read again. */
const FEW = 500

interface Commit<Row> {
  seq: number
  rows: Row[] | undefined
}

/**
 * Rows that the commit which is being made adds to a table of which rows are only added: its projection
 * is handed these, as long as they are few.
 */
export class Noted<Row> {
  readonly #commits = new WeakMap<Database, Commit<Row>>()

  /** From here on a commit is made; what one before it noted, that came to nothing, is forgotten. */
  begin(db: Database, seq: number): void {
    this.#commits.set(db, { seq, rows: [] })
  }

  note(db: Database, seq: number, rows: readonly Row[]): void {
    const commit = this.#commits.get(db)
    const known = commit?.seq === seq ? commit.rows : undefined
    const all = known && [...known, ...rows]
    this.#commits.set(db, { seq, rows: all && all.length <= FEW ? all : undefined })
  }

  /** Some of the rows were deleted again: what the commit added is to be read. */
  forget(db: Database): void {
    this.#commits.delete(db)
  }

  /** What the one commit after `seq` added, if this process made it and it was little. */
  of(db: Database, { seq, last }: { seq: number; last: number }): Row[] | undefined {
    const commit = this.#commits.get(db)
    return last === seq + 1 && commit?.seq === last ? commit.rows : undefined
  }
}
