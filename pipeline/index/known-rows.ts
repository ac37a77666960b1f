import type { Database } from './duckdb.ts'
import { deleteRows, updateRows } from './rows.ts'

/** Of more rows than this at once nothing is remembered. */
const FEW = 100
/** What is remembered of a table, in characters of JSON. */
const MOST_CHARS = 4_000_000
const MOST = 10_000

/** A table whose rows are known by a key. */
interface Keyed<Row> {
  table: string
  keyOf(row: Row): string
  /** The column by which a row is deleted, and what it says there. */
  id: string & keyof Row
  find(db: Database, keys: readonly string[]): Promise<Row[]>
}

/** `row` is undefined where there is none. */
interface Known<Row> {
  row: Row | undefined
  chars: number
}

interface Memory<Row> {
  /** What was written to the table when this was so. */
  mark: number
  /** By key, the latest last. */
  rows: Map<string, Known<Row>>
  chars: number
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
    if (keys.length > FEW) return this.#find(db, keys)
    const memory = this.#memoryOf(db)
    const unknown = keys.filter(key => !memory.rows.has(key))
    const found = unknown.length > 0 ? await this.#find(db, unknown) : new Map<string, Row>()
    const rows = new Map<string, Row>()
    for (const key of keys) {
      const row = found.get(key) ?? memory.rows.get(key)?.row
      if (row !== undefined) rows.set(key, row)
    }
    for (const key of unknown) keep(memory, key, found.get(key))
    return rows
  }

  /** Writes rows, by their key, in the place of those that are there; undefined leaves none there. */
  async replace(db: Database, fresh: ReadonlyMap<string, Row | undefined>): Promise<void> {
    const { table, id } = this.#of
    const before = await this.read(db, [...fresh.keys()])
    const changes = [...fresh].flatMap(([key, row]) => {
      const old = before.get(key)
      return old && row ? [{ old, row }] : []
    })
    if (changes.length === fresh.size && fresh.size <= FEW) {
      await updateRows(db, table, id, changes)
    } else {
      const ids = [...before.values()].map(row => String(row[id]))
      await deleteRows(db, table, id, ids)
      await db.insert(
        table,
        [...fresh.values()].flatMap(row => row ?? []),
      )
    }
    if (fresh.size > FEW) return
    const memory = this.#memories.get(db)!
    memory.mark = db.written.mark([table])
    for (const [key, row] of fresh) keep(memory, key, row)
  }

  async #find(db: Database, keys: readonly string[]): Promise<Map<string, Row>> {
    const rows = await this.#of.find(db, keys)
    return new Map(rows.map(row => [this.#of.keyOf(row), row]))
  }

  #memoryOf(db: Database): Memory<Row> {
    const mark = db.written.mark([this.#of.table])
    const known = this.#memories.get(db)
    if (known?.mark === mark) return known
    const memory: Memory<Row> = { mark, rows: new Map(), chars: 0 }
    this.#memories.set(db, memory)
    return memory
  }
}

/** Remembers a row as it is once it was stored: without members that say nothing. */
function keep<Row>(memory: Memory<Row>, key: string, row: Row | undefined): void {
  const text = row === undefined ? '' : JSON.stringify(row)
  memory.chars += text.length - (memory.rows.get(key)?.chars ?? 0)
  memory.rows.delete(key)
  memory.rows.set(key, { row: text === '' ? undefined : JSON.parse(text), chars: text.length })
  for (const [oldest, { chars }] of memory.rows) {
    if (memory.chars <= MOST_CHARS && memory.rows.size <= MOST) return
    memory.rows.delete(oldest)
    memory.chars -= chars
  }
}
