import type { Instant } from '../../core/clock.ts'
import type { Database } from '../../store/duckdb.ts'
import type { InventoryRows } from '../inventory-record.ts'
import type { Entry } from '../lmdb.ts'

/** Functions that build the entries of publishers from their rows and from related rows. */
export interface Making<Around> {
  loadRows(index: Database, domain: string): Promise<InventoryRows | undefined>
  loadAround(index: Database, domain: string): Promise<Around>
  build(rows: InventoryRows, around: Around, at: Instant): Entry[]
}

interface Prepared {
  /** Rows that it is made of, and what stood around them. */
  state: string
  around?: string
  rows?: InventoryRows | undefined
  entries?: Entry[]
}

/**
 * Entries of large publishers that are made before the commit that shows them, in steps with other
 * commits in between. They count only if nothing of what they are made of was written since.
 */
export class PreparedPublishers<Around> {
  readonly #making: Making<Around>
  readonly #known = new WeakMap<Database, Map<string, Prepared>>()

  constructor(making: Making<Around>) {
    this.#making = making
  }

  /** Takes the next step for a publisher; false when there are none left. */
  async prepare(index: Database, domain: string, at: Instant): Promise<boolean> {
    const known = this.#known.get(index) ?? new Map<string, Prepared>()
    this.#known.set(index, known)
    const state = await loadState(index, domain)
    const before = known.get(domain)
    if (before?.state !== state) {
      // One is prepared at a time: what is left of another one is of no use.
      known.clear()
      known.set(domain, { state, rows: await this.#making.loadRows(index, domain) })
      return true
    }
    if (before.rows === undefined) return false
    const around = await this.#making.loadAround(index, domain)
    const entries = this.#making.build(before.rows, around, at)
    known.set(domain, { state, entries, around: JSON.stringify(around) })
    return true
  }

  /** Takes the prepared entries of a publisher, if nothing that they were built from has changed. */
  async take(index: Database, domain: string, around: Around): Promise<Entry[] | undefined> {
    const known = this.#known.get(index)
    const prepared = known?.get(domain)
    if (prepared?.entries === undefined) return undefined
    known!.delete(domain)
    if (prepared.around !== JSON.stringify(around)) return undefined
    return prepared.state === (await loadState(index, domain)) ? prepared.entries : undefined
  }
}

const describeRows = (table: string, column: string) =>
  `(select concat_ws(' ', count(*), max(seq)) from ${table} where ${column} = $domain)`
const STATE = [
  describeRows('publishers', 'domain'),
  describeRows('properties', 'publisher_domain'),
  describeRows('authorizations', 'publisher_domain'),
].join(', ')

/** Describes the rows of a publisher by their number and last commit. */
async function loadState(index: Database, domain: string): Promise<string> {
  const row = await index.one<{ state: string }>(`select concat_ws(',', ${STATE}) as state`, {
    domain,
  })
  return `${index.written.version([])} ${row!.state}`
}
