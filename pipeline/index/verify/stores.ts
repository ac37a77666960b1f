import type { Accounts } from '../accounts.ts'
import type { Database } from '../duckdb.ts'
import type { Paths } from '../paths.ts'
import type { ServingStore } from '../serving.ts'

export interface Stores {
  paths: Paths
  index: Database
  accounts: Accounts
  serving: ServingStore
}
