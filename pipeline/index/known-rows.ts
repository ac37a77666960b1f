import type { Database } from './duckdb.ts'
import { deleteRows } from './rows.ts'

/** Of more rows than this at once nothing is remembered. */
const FEW = 100
const MOST = 1_000

/** A table whose rows are known by a key. */
interface Keyed<Row> {
  table: string
  keyOf(row: Row): string
  /** The column by which a row is deleted, and what it says there. */
  id: string & keyof Row
  find(db: Database, keys: readonly string[]): Promise<Row[]>
}

interface Memory<Row> {
  /** What was written to the table when this was so. */
  mark: number
  /** By key; undefined: there is none. */
  rows: Map<string, Row | undefined>
}

/**
 * Rows that the one writer read or wrote lately: of a small commit, what it has just written is what
 * its projection shows. Whoever writes the table by another way, or takes back what was written, has
 * all of it read again.
 */
export class KnownRows<Row extends object> {
  readonly #of: Keyed<Row>
  readonly #memories = new WeakMap<Database, Memory<Row>>()

  constructor(of: Keyed<Row>) {
    this.#of = of
  }

  /** Rows by their key; nobody may change them. */
  async read(db: Database, keys: readonly string[]): Promise<Map<string, Row>> {
    const known = keys.length > FEW ? new Map<string, Row | undefined>() : this.#memoryOf(db).rows
    const unknown = keys.filter(key => !known.has(key))
    if (unknown.length > 0) {
      const found = new Map<string, Row>()
      for (const row of await this.#of.find(db, unknown)) found.set(this.#of.keyOf(row), row)
      for (const key of unknown) keep(known, key, found.get(key))
    }
    const rows = new Map<string, Row>()
    for (const key of keys) {
      const row = known.get(key)
      if (row !== undefined) rows.set(key, row)
    }
    if (keys.length <= FEW) dropOldest(known)
    return rows
  }

  /** Writes rows, by their key, in the place of those that are there; undefined leaves none there. */
  async replace(db: Database, fresh: ReadonlyMap<string, Row | undefined>): Promise<void> {
    const { table, id } = this.#of
    const before = await this.read(db, [...fresh.keys()])
    const ids = [...before.values()].map(row => String(row[id]))
    await deleteRows(db, table, id, ids)
    await db.insert(
      table,
      [...fresh.values()].flatMap(row => row ?? []),
    )
    if (fresh.size > FEW) return
    const { rows } = this.#memories.get(db)!
    for (const [key, row] of fresh) keep(rows, key, row && asRead(row))
    this.#memories.set(db, { rows, mark: db.written.mark([table]) })
  }

  #memoryOf(db: Database): Memory<Row> {
    const mark = db.written.mark([this.#of.table])
    const known = this.#memories.get(db)
    if (known?.mark === mark) return known
    const memory: Memory<Row> = { mark, rows: new Map() }
    this.#memories.set(db, memory)
    return memory
  }
}

/** A row as it is once it was stored: without members that say nothing. */
function asRead<Row>(row: Row): Row {
  return JSON.parse(JSON.stringify(row))
}

/** The latest stand last. */
function keep<Row>(rows: Map<string, Row>, key: string, row: Row): void {
  rows.delete(key)
  rows.set(key, row)
}

function dropOldest(rows: Map<string, unknown>): void {
  for (const key of rows.keys()) {
    if (rows.size <= MOST) return
    rows.delete(key)
  }
}
