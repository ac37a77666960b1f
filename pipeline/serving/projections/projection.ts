import type { Accounts } from '../../accounts/store.ts'
import type { Database, Parameters } from '../../store/duckdb.ts'
import type { Entry } from '../lmdb.ts'

export interface Stores {
  index: Database
  accounts: Accounts
}

/** Projection of the rows that a condition selects. */
export interface RowProjection {
  store: 'index' | 'accounts'
  /** Tables whose writes change its entries; only after one of them it is asked. */
  tables: readonly string[]
  /** Condition on the rows that changed after the commit `$seq`. */
  changed: string
  /** Column by whose hash the rows of a whole store are cut into slices. */
  slicedBy: string
  /** Table or subquery with that column, as the conditions name it. */
  from: string
  project(stores: Stores, where: string, parameters: Parameters): Promise<Entry[]>
}
