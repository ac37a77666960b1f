import type { Accounts } from '../../accounts/store.ts'
import type { Database, Parameters } from '../../store/duckdb.ts'
import type { Entry } from '../lmdb.ts'

export interface Stores {
  index: Database
  accounts: Accounts
}

/** Projects the rows of some tables, independently of all others. */
export interface RowProjection {
  store: 'index' | 'accounts'
  /** Tables that its entries are built from; it runs only if one of them was written. */
  tables: readonly string[]
  /** Condition on the rows that changed after the commit `$seq`. */
  changed: string
  /** Column by whose hash the rows of a whole store are cut into slices. */
  slicedBy: string
  /** Table or subquery with that column, as the conditions name it. */
  from: string
  project(stores: Stores, where: string, parameters: Parameters): Promise<Entry[]>
}
