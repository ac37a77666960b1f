import { FairQueue } from '../core/fair-queue.ts'
import { getFirst } from '../core/present.ts'
import type { Database } from '../store/columnar/duckdb.ts'
import type { Parameters } from '../store/columnar/duckdb-values.ts'

/** Queries at a time. Each occupies one of the four threads of the process, and reading files needs one too. */
const QUERIES_AT_ONCE = 3

/**
 * Questions to a snapshot, on a few connections. Each statement is a kind of question, and kinds take
 * turns, and none has all connections, so a slow one delays others only by what runs already. Beyond `queriesMax`
 * of one kind at once it answers 503.
 */
export class SnapshotQueries {
  readonly #connections: readonly Database[]
  readonly #turns: FairQueue<Database>

  private constructor(connections: readonly Database[], queriesMax: number) {
    this.#connections = connections
    this.#turns = new FairQueue({
      tools: connections,
      shareMax: Math.max(1, connections.length - 1),
      perLineMax: queriesMax,
      refusal: 'too many lists are requested at once; try again',
    })
  }

  static async on(db: Database, queriesMax: number): Promise<SnapshotQueries> {
    const others = Array.from({ length: QUERIES_AT_ONCE - 1 }, () => db.openAnother())
    return new SnapshotQueries([db, ...(await Promise.all(others))], queriesMax)
  }

  all<Row>(sql: string, parameters?: Parameters): Promise<Row[]> {
    return this.#turns.run(sql, db => db.all<Row>(sql, parameters))
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
