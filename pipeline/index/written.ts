const WRITES = /^\s*(insert\s+into|update|delete\s+from)\s+(\w+)/i
const MAY_WRITE = /\b(?:insert|update|delete|truncate|alter|drop|attach)\b/i
const MOST = 200

/** Stands for a table where only rows that were there count as news, and none that are new. */
export function updatesOf(table: string): string {
  return `${table} updated`
}

/**
 * Which tables were written through one connection, and what was read of those that were not written
 * since. The one writer knows without asking that nothing has changed.
 */
export class Written {
  readonly #counts = new Map<string, number>()
  readonly #known = new Map<string, { question: string; mark: number; value: Promise<unknown> }>()
  #all = 0

  /** Notes the table that a statement writes; every table where that cannot be told. */
  noteStatement(sql: string): void {
    const [, verb, table] = WRITES.exec(sql) ?? []
    if (verb === undefined || table === undefined) {
      if (MAY_WRITE.test(sql)) this.#all++
      return
    }
    this.note(table)
    if (verb.toLowerCase() === 'update') this.note(updatesOf(table))
  }

  note(table: string): void {
    this.#counts.set(table, (this.#counts.get(table) ?? 0) + 1)
  }

  /** What was written may be undone. */
  noteAll(): void {
    this.#all++
  }

  /** Stays the same as long as none of these tables is written. */
  mark(tables: readonly string[]): number {
    return tables.reduce((sum, table) => sum + (this.#counts.get(table) ?? 0), this.#all)
  }

  /**
   * What was read last under this name, if it was the same question and none of the tables was written
   * since; else it is read again.
   */
  recall<Value>(
    name: string,
    question: string,
    tables: readonly string[],
    read: () => Promise<Value>,
  ): Promise<Value> {
    const mark = this.mark(tables)
    const known = this.#known.get(name)
    if (known?.mark === mark && known.question === question) return known.value as Promise<Value>
    const value = read()
    this.#known.delete(name)
    this.#known.set(name, { question, mark, value })
    value.catch(() => this.#known.delete(name))
    if (this.#known.size > MOST) this.#known.delete(this.#known.keys().next().value!)
    return value
  }
}
