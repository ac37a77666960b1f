import { getFirst } from '../core/present.ts'
import type { Database, Parameters } from '../store/duckdb.ts'
import { FairPool } from './fair-pool.ts'

/** Queries at a time. Each occupies one of the four threads of the process, and reading files needs one too. */
const QUERIES_AT_ONCE = 3

/**
 * Questions to a snapshot, on a few connections. Each statement is a kind of question, and kinds take
 * turns (`fair-pool.ts`): beyond `queriesMax` of one kind at once it answers 503.
 */
export class SnapshotQueries {
  readonly #connections: readonly Database[]
  readonly #turns: FairPool<Database>

  private constructor(connections: readonly Database[], queriesMax: number) {
    this.#connections = connections
    this.#turns = new FairPool(connections, queriesMax)
  }

  static async on(db: Database, queriesMax: number): Promise<SnapshotQueries> {
    const others = Array.from({ length: QUERIES_AT_ONCE - 1 }, () => db.openAnother())
    return new SnapshotQueries([db, ...(await Promise.all(others))], queriesMax)
  }

  all<Row>(sql: string, parameters?: Parameters): Promise<Row[]> {
    return this.#turns.use(sql, db => db.all<Row>(sql, parameters))
  }

  async one<Row>(sql: string, parameters?: Parameters): Promise<Row | undefined> {
    return (await this.all<Row>(sql, parameters))[0]
  }

  /** Runs a query that always has a row, such as a count, and returns its first row. */
  async oneOrThrow<Row>(sql: string, parameters?: Parameters): Promise<Row> {
    return getFirst(await this.all<Row>(sql, parameters))
  }

  /** Streams rows on a connection of its own; callers must bound how many run at once. */
  stream<Row>(sql: string): AsyncGenerator<Row[]> {
    return getFirst(this.#connections).stream<Row>(sql)
  }

  close(): void {
    for (const connection of [...this.#connections].reverse()) connection.close()
  }
}
