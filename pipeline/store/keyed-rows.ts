import type { Database } from './database.ts'
import { deleteRows, updateRows } from './row-writes.ts'

/** A table whose rows are known by a key. */
interface Keyed<Row> {
  table: string
  toKey(row: Row): string
  /** The column by which a row is deleted, and what it says there. */
  id: string & keyof Row
  find(db: Database, keys: readonly string[]): Promise<Row[]>
}

/** Rows of a table that are read and replaced by their key. */
export class KeyedRows<Row extends object> {
  readonly #keyed: Keyed<Row>

  constructor(keyed: Keyed<Row>) {
    this.#keyed = keyed
  }

  async read(db: Database, keys: readonly string[]): Promise<Map<string, Row>> {
    if (keys.length === 0) return new Map()
    const rows = await this.#keyed.find(db, keys)
    return new Map(rows.map(row => [this.#keyed.toKey(row), row]))
  }

  /** Writes rows, by their key, in the place of those that are there; undefined leaves none there. */
  async replace(db: Database, fresh: ReadonlyMap<string, Row | undefined>): Promise<void> {
    const { table, id } = this.#keyed
    const before = await this.read(db, [...fresh.keys()])
    const changes: { old: Row; row: Row }[] = []
    const added: Row[] = []
    const removed: string[] = []
    for (const [key, row] of fresh) {
      const old = before.get(key)
      if (old && row) changes.push({ old, row })
      else if (old) removed.push(String(old[id]))
      else if (row) added.push(row)
    }
    await deleteRows(db, table, id, removed)
    await updateRows(db, table, id, changes)
    await db.insert(table, added)
  }
}
