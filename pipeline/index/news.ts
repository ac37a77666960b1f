import type { Database } from './duckdb.ts'

/** Whether any of these tables was written since what is made of them was made last. */
export type News = (db: Database, tables: readonly string[]) => boolean

/** Remembers of which tables everything was made already; at first that is none. */
export class Seen {
  #marks = new Map<Database, Map<string, number>>()

  /** `settle` is called when all that the answers led to is done; until then the news stay news. */
  look(): { news: News; settle: () => void } {
    const asked = new Map<Database, Map<string, number>>()
    const news: News = (db, tables) => {
      const marks = asked.get(db) ?? new Map<string, number>()
      asked.set(db, marks)
      const name = tables.join()
      const mark = db.written.mark(tables)
      marks.set(name, mark)
      return this.#marks.get(db)?.get(name) !== mark
    }
    const settle = () => {
      for (const [db, marks] of asked) {
        this.#marks.set(db, new Map([...(this.#marks.get(db) ?? []), ...marks]))
      }
    }
    return { news, settle }
  }
}
