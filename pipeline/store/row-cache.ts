import { LRUCache } from 'lru-cache'
import type { Database } from './database.ts'
import { deleteRows, updateRows } from './row-writes.ts'

/** Rows of one query at most that are cached. */
const CACHED_QUERY_ROWS_MAX = 100
/** Characters of JSON of a table's cached rows at most. */
const ROW_CACHE_CHARS_MAX = 4_000_000
/** A shorter row counts for as much, so that there are at most 10,000. */
const ROW_CHARS_MIN = 400

/** A table whose rows are known by a key. */
interface Keyed<Row> {
  table: string
  toKey(row: Row): string
  /** The column by which a row is deleted, and what it says there. */
  id: string & keyof Row
  find(db: Database, keys: readonly string[]): Promise<Row[]>
}

/** A cached row; `row` is undefined if it does not exist. */
interface Known<Row> {
  row: Row | undefined
}

interface Memory<Row> {
  /** Version of the table when it was read. */
  mark: number
  /** Rows by key. */
  rows: LRUCache<string, Known<Row>>
}

/**
 * Caches rows that the writer read or wrote lately, since the projection of a small commit reads
 * what it has just written. Other ways to write the table, and rollbacks, clear the cache.
 */
export class RowCache<Row extends object> {
  readonly #keyed: Keyed<Row>
  readonly #memories = new WeakMap<Database, Memory<Row>>()

  constructor(keyed: Keyed<Row>) {
    this.#keyed = keyed
  }

  /** Reads rows by their key; they must not be changed. */
  async read(db: Database, keys: readonly string[]): Promise<Map<string, Row>> {
    if (keys.length > CACHED_QUERY_ROWS_MAX) return this.#find(db, keys)
    const memory = this.#findMemory(db)
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
    const { table, id } = this.#keyed
    const before = await this.read(db, [...fresh.keys()])
    const changes = [...fresh].flatMap(([key, row]) => {
      const old = before.get(key)
      return old && row ? [{ old, row }] : []
    })
    if (changes.length === fresh.size && fresh.size <= CACHED_QUERY_ROWS_MAX) {
      await updateRows(db, table, id, changes)
    } else {
      const ids = [...before.values()].map(row => String(row[id]))
      await deleteRows(db, table, id, ids)
      await db.insert(
        table,
        [...fresh.values()].flatMap(row => row ?? []),
      )
    }
    const memory = this.#memories.get(db)
    if (memory === undefined || fresh.size > CACHED_QUERY_ROWS_MAX) return
    memory.mark = db.written.version([table])
    for (const [key, row] of fresh) keep(memory, key, row)
  }

  async #find(db: Database, keys: readonly string[]): Promise<Map<string, Row>> {
    const rows = await this.#keyed.find(db, keys)
    return new Map(rows.map(row => [this.#keyed.toKey(row), row]))
  }

  #findMemory(db: Database): Memory<Row> {
    const mark = db.written.version([this.#keyed.table])
    const known = this.#memories.get(db)
    if (known?.mark === mark) return known
    const memory: Memory<Row> = { mark, rows: new LRUCache({ maxSize: ROW_CACHE_CHARS_MAX }) }
    this.#memories.set(db, memory)
    return memory
  }
}

/** Caches a row in its stored form, without undefined members. */
function keep<Row>({ rows }: Memory<Row>, key: string, row: Row | undefined): void {
  const text = row === undefined ? '' : JSON.stringify(row)
  const size = Math.max(ROW_CHARS_MIN, text.length)
  rows.set(key, { row: text === '' ? undefined : JSON.parse(text) }, { size })
}
