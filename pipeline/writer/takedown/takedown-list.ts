import { loadTakenDownRows, markCleared } from '../../accounts/taken-down.ts'
import type { Instant } from '../../core/clock.ts'
import type { Domain } from '../../core/domain.ts'
import type { Database } from '../../store/duckdb.ts'
import { nothingTakenDown, TakenDown } from '../../store/takedown-set.ts'
import type { Batch } from '../apply-batch.ts'

/** Caches the list of domains that were taken down. Only the writer changes that list. */
export class TakedownList {
  readonly #accounts: Database
  #takenDown = nothingTakenDown
  #uncleared: readonly Domain[] = []

  private constructor(accounts: Database) {
    this.#accounts = accounts
  }

  static async open(accounts: Database): Promise<TakedownList> {
    const list = new TakedownList(accounts)
    await list.#read()
    return list
  }

  get takenDown(): TakenDown {
    return this.#takenDown
  }

  /** Returns domains of which published copies are left. */
  get uncleared(): readonly Domain[] {
    return this.#uncleared
  }

  /**
   * Lists the domains of which a commit leaves nothing; the accounts have applied its submissions.
   */
  async in({ submissions, takedowns = [] }: Batch): Promise<readonly Domain[]> {
    if (!submissions.some(({ operation: { op } }) => op.startsWith('domain.'))) return takedowns
    await this.#read()
    return [...new Set([...takedowns, ...this.#uncleared])]
  }

  /** Notes that the last copies of these were deleted. */
  async clear(domains: readonly Domain[], now: Instant): Promise<void> {
    await markCleared(this.#accounts, domains, now)
    await this.#read()
  }

  async #read(): Promise<void> {
    const rows = await loadTakenDownRows(this.#accounts)
    this.#takenDown = new TakenDown(rows.map(({ domain }) => domain))
    this.#uncleared = rows.filter(row => row.cleared_at === null).map(({ domain }) => domain)
  }
}
