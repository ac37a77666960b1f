import { AsyncDuckDB, type AsyncDuckDBConnection, VoidLogger } from '@duckdb/duckdb-wasm'
import engineUrl from '@duckdb/duckdb-wasm/dist/duckdb-eh.wasm?url'
import type { LoadedRange } from './engine-worker.ts'
import EngineWorker from './engine-worker.ts?worker'

/** Rows that are shown; the CSV has all. */
export const ROWS_MAX = 1_000

/** The result of a query: every value as text, or `null`. */
export interface Result {
  columns: readonly { name: string; isNumber: boolean }[]
  rows: readonly (readonly (string | null)[])[]
  /** There are more rows than are shown. */
  isCut: boolean
  ms: number
}

const NUMBER = /^(?:U?(?:TINY|SMALL|BIG|HUGE)?INT|U?INTEGER|FLOAT|DOUBLE|DECIMAL.*)$/
/** DuckDB asks for an extension, which the page does not load from elsewhere: the one for time zones. */
const EXTENSION = /\bicu\b|extensions?\.duckdb\.org/i
const WITHOUT_TIME_ZONES =
  'DuckDB has no time zones in a browser. Write created_at::timestamp in place of created_at, and now()::timestamp ' +
  'in place of now() or current_date: both are in UTC.'
/** Extensions would be loaded from another server. */
const settings = ['autoinstall_known_extensions', 'autoload_known_extensions']

/** One snapshot of the registry, opened in the browser's own DuckDB and read by ranges. */
export class SnapshotDatabase {
  readonly #database: AsyncDuckDB
  readonly #connection: AsyncDuckDBConnection

  private constructor(database: AsyncDuckDB, connection: AsyncDuckDBConnection) {
    this.#database = database
    this.#connection = connection
  }

  /**
   * Loads DuckDB and opens the snapshot at `url`; rejects if either fails. `onLoaded` receives the size of
   * each range of the snapshot that is loaded, now and later.
   */
  static async open(url: string, onLoaded: (bytes: number) => void): Promise<SnapshotDatabase> {
    const name = `loaded ${Math.random()}`
    new BroadcastChannel(name).onmessage = ({ data }: MessageEvent<LoadedRange>) => {
      if (data.url === url) onLoaded(data.bytes)
    }
    const database = new AsyncDuckDB(new VoidLogger(), new EngineWorker({ name }))
    await database.instantiate(engineUrl)
    // By default DuckDB would load whole files.
    await database.open({ filesystem: { forceFullHTTPReads: false, allowFullHTTPReads: false } })
    const connection = await database.connect()
    for (const setting of settings) await connection.query(`set ${setting} = false`)
    await connection.query(`attach '${url}' as registry (read_only)`)
    await connection.query('use registry')
    return new SnapshotDatabase(database, connection)
  }

  /** Runs one query; rejects with DuckDB's message. */
  async ask(sql: string): Promise<Result> {
    try {
      return await this.#answer(sql)
    } catch (error) {
      // A query that failed while it ran leaves its transaction open, and the next one would fail as well.
      await this.#connection.query('rollback').catch(() => undefined)
      throw EXTENSION.test(String(error)) ? new Error(WITHOUT_TIME_ZONES) : error
    }
  }

  async #answer(sql: string): Promise<Result> {
    const started = performance.now()
    const question = trimQuestion(sql)
    await this.#check(question)
    const described = (await this.#connection.query(`describe from (${question}\n)`)).toArray()
    const columns = described.map(row => ({
      name: String(row.column_name),
      isNumber: NUMBER.test(String(row.column_type)),
    }))
    const asText = `select columns(*)::varchar from (${question}\n) limit ${ROWS_MAX + 1}`
    const table = await this.#connection.query(asText)
    const rows = Array.from({ length: Math.min(table.numRows, ROWS_MAX) }, (_, row) =>
      columns.map((_, column) => (table.getChildAt(column)?.get(row) as string | null) ?? null),
    )
    return { columns, rows, isCut: table.numRows > ROWS_MAX, ms: performance.now() - started }
  }

  /** Rejects a question that DuckDB does not understand: its message then quotes only what the reader wrote. */
  async #check(question: string): Promise<void> {
    const prepared = await this.#connection.prepare(question)
    await prepared.close()
  }

  /** Returns all rows of a query as CSV. */
  async exportCsv(sql: string): Promise<Uint8Array<ArrayBuffer>> {
    const file = 'result.csv'
    await this.#connection.query(`copy (${trimQuestion(sql)}\n) to '${file}' (format csv, header)`)
    const bytes = await this.#database.copyFileToBuffer(file)
    await this.#database.dropFile(file)
    return Uint8Array.from(bytes)
  }
}

/** Cuts the semicolon at the end, so that the query can be put in parentheses. */
function trimQuestion(sql: string): string {
  return sql.trim().replace(/;\s*$/, '')
}
