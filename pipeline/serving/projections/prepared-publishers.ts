import type { Instant } from '../../core/clock.ts'
import type { Database } from '../../store/database.ts'
import type { InventoryRows } from '../inventory-record.ts'
import type { Entry } from '../lmdb.ts'

/** Functions that build the entries of publishers from their rows and from related rows. */
export interface PublisherBuilder<Context> {
  loadRows(index: Database, domain: string): Promise<InventoryRows | undefined>
  loadContext(index: Database, domain: string): Promise<Context>
  build(rows: InventoryRows, context: Context, changedAt: Instant): Entry[]
}

interface Prepared {
  /** Version of the rows that it is built from, and the related rows as JSON. */
  state: string
  context?: string
  rows?: InventoryRows | undefined
  entries?: Entry[]
}

/**
 * Builds the entries of large publishers ahead of the commit that publishes them, in steps between which
 * other commits run. They are used only if none of the rows that they were built from has changed since.
 */
export class PreparedPublishers<Context> {
  readonly #builder: PublisherBuilder<Context>
  readonly #prepared = new WeakMap<Database, Map<string, Prepared>>()

  constructor(builder: PublisherBuilder<Context>) {
    this.#builder = builder
  }

  /**
   * Performs the next step for a publisher: loads its rows, then builds the entries. False if both are done.
   */
  async prepare(index: Database, domain: string, changedAt: Instant): Promise<boolean> {
    const known = this.#prepared.get(index) ?? new Map<string, Prepared>()
    this.#prepared.set(index, known)
    const state = await loadState(index, domain)
    const before = known.get(domain)
    if (before?.state !== state) {
      // One publisher is prepared at a time; an unfinished other one is dropped.
      known.clear()
      known.set(domain, { state, rows: await this.#builder.loadRows(index, domain) })
      return true
    }
    if (before.rows === undefined) return false
    const context = await this.#builder.loadContext(index, domain)
    const entries = this.#builder.build(before.rows, context, changedAt)
    known.set(domain, { state, entries, context: JSON.stringify(context) })
    return true
  }

  /** Takes the prepared entries of a publisher, if nothing that they were built from has changed. */
  async take(index: Database, domain: string, context: Context): Promise<Entry[] | undefined> {
    const known = this.#prepared.get(index)
    const prepared = known?.get(domain)
    if (prepared?.entries === undefined) return undefined
    known?.delete(domain)
    if (prepared.context !== JSON.stringify(context)) return undefined
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
  const row = await index.oneOrThrow<{ state: string }>(
    `select concat_ws(',', ${STATE}) as state`,
    {
      domain,
    },
  )
  return `${index.written.version([])} ${row.state}`
}
