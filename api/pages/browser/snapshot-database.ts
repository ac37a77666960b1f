import { AsyncDuckDB, type AsyncDuckDBConnection, VoidLogger } from '@duckdb/duckdb-wasm'
import engineUrl from '@duckdb/duckdb-wasm/dist/duckdb-eh.wasm?url'
import { buildCsvCell, type Column } from './csv-cells.ts'
import type { LoadedRange } from './engine-worker.ts'
import EngineWorker from './engine-worker.ts?worker'

/** Rows that are shown; the CSV has all. */
export const ROWS_MAX = 1_000

/** The result of a query: every value as text, or `null`. */
export interface Result {
  columns: readonly { name: string; isNumber: boolean }[]
  /** The first `ROWS_MAX` rows. */
  rows: readonly (readonly (string | null)[])[]
  /** The number of all rows. */
  count: number
  ms: number
}

/** Says what to write instead, where DuckDB's own words would not help. */
export class Refusal extends Error {}

const NUMBER = /^(?:U?(?:TINY|SMALL|BIG|HUGE)?INT|U?INTEGER|FLOAT|DOUBLE|DECIMAL.*)$/
const EXPLAIN = /^(?:\s|--.*|\/\*[\s\S]*?\*\/)*explain\b/i
const REFUSALS = [
  [/No statement to prepare/, 'Type a query or choose one below.'],
  [/Cannot prepare multiple statements/, 'This page runs one query at a time.'],
] as const
const READS_ONLY = 'This page only reads: write one SELECT.'
/** Messages about extensions that DuckDB lacks here, since the page loads none from elsewhere, and what helps instead. */
const LACKS = [
  [
    /\bicu\b|TIMESTAMP WITH TIME ZONE/i,
    'DuckDB has no time zones in a browser. Write utc_time(created_at) in place of created_at, and utc_time(now()) ' +
      'in place of now() or current_date.',
  ],
  [
    /exists in the \w+ extension|extensions?\.duckdb\.org/i,
    'This page has DuckDB without extensions, so it can’t look into JSON columns or open Parquet files. Download ' +
      'registry.duckdb and query it on your own machine, as shown below.',
  ],
] as const
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

  /** Ends DuckDB, whatever it does: answers that are under way never come. */
  close(): void {
    void this.#database.terminate()
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

  /** Names the commit that the snapshot shows, with its time. */
  async describeCommit(): Promise<string> {
    const [{ seq, at }] = (
      await this.#connection.query('select seq::varchar as seq, as_of::varchar as at from data_set')
    ).toArray()
    return `${String(at).slice(0, 'YYYY-MM-DD hh:mm:ss'.length)} UTC (commit ${seq})`
  }

  /** Runs one query, or returns the text of its plan; rejects with DuckDB's message, or a `Refusal`. */
  async ask(sql: string): Promise<Result | string> {
    const question = trimQuestion(sql)
    try {
      return await (EXPLAIN.test(question) ? this.#explain(question) : this.#answer(question))
    } catch (error) {
      // A query that failed while it ran leaves its transaction open, and the next one would fail as well.
      await this.#connection.query('rollback').catch(() => undefined)
      throw toFailure(error)
    }
  }

  async #explain(question: string): Promise<string> {
    const plan = (await this.#connection.query(question)).toArray()
    return plan.map(row => String(row.explain_value)).join('\n')
  }

  async #answer(question: string): Promise<Result> {
    const started = performance.now()
    const columns = await this.#describe(question)
    const table = await this.#queryOver(
      'select columns(*)::varchar from',
      question,
      `limit ${ROWS_MAX + 1}`,
    )
    const ms = performance.now() - started
    const rows = Array.from({ length: Math.min(table.numRows, ROWS_MAX) }, (_, row) =>
      columns.map((_, column) => (table.getChildAt(column)?.get(row) as string | null) ?? null),
    )
    const count = table.numRows > ROWS_MAX ? await this.#count(question) : table.numRows
    return { columns, rows, count, ms }
  }

  /** Lists the columns of a question; rejects one that DuckDB does not understand, and what is none. */
  async #describe(question: string): Promise<Result['columns']> {
    // By itself, so that DuckDB's message quotes only what the reader wrote.
    const failure: unknown = await this.#connection.prepare(question).then(
      prepared => prepared.close(),
      error => error,
    )
    if (/^(?:Parser|Invalid Input) Error/.test(readMessage(failure))) throw failure
    const columns = await this.#listColumns(question).catch(error => {
      throw /^Parser Error/.test(readMessage(error)) ? new Refusal(READS_ONLY) : (failure ?? error)
    })
    return columns.map(({ name, type }) => ({ name, isNumber: NUMBER.test(type) }))
  }

  async #listColumns(question: string): Promise<Column[]> {
    const described = await this.#queryOver('describe from', question)
    return described.toArray().map(row => ({
      name: String(row.column_name),
      type: String(row.column_type),
    }))
  }

  async #count(question: string): Promise<number> {
    const [counted] = (await this.#queryOver('select count(*) as rows from', question)).toArray()
    return Number(counted.rows)
  }

  /** Runs a statement around a question, which has lines of its own there: a message quotes these as the reader wrote them. */
  async #queryOver(before: string, question: string, after = '') {
    try {
      return await this.#connection.query(`${before} (\n${question}\n) ${after}`)
    } catch (error) {
      throw new Error(
        readMessage(error).replace(/^LINE (\d+)/gm, (_, line) => `LINE ${Number(line) - 1}`),
      )
    }
  }

  /** Returns all rows of a query as CSV, in which no text of a stranger is a formula for a spreadsheet. */
  async exportCsv(sql: string): Promise<Uint8Array<ArrayBuffer>> {
    const file = 'result.csv'
    const question = trimQuestion(sql)
    const cells = (await this.#listColumns(question)).map(buildCsvCell)
    await this.#queryOver(
      `copy (select ${cells} from`,
      question,
      `) to '${file}' (format csv, header)`,
    )
    const bytes = await this.#database.copyFileToBuffer(file)
    await this.#database.dropFile(file)
    return Uint8Array.from(bytes)
  }
}

/** Cuts the semicolon at the end, so that the query can be put in parentheses. */
function trimQuestion(sql: string): string {
  return sql.trim().replace(/;\s*$/, '')
}

function readMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Converts an error of DuckDB to what helps its reader. */
function toFailure(error: unknown): Error {
  if (error instanceof Refusal) return error
  // DuckDB quotes the line of a syntax error twice.
  const message = readMessage(error).replace(/(\n\nLINE [\s\S]*)\1$/, '$1')
  const refusal = REFUSALS.find(([reason]) => reason.test(message))
  if (refusal !== undefined) return new Refusal(refusal[1])
  const lack = LACKS.find(([reason]) => reason.test(message))
  return new Error(lack === undefined ? message : `${lack[1]}\n\n${message.split('\n', 1)}`)
}
