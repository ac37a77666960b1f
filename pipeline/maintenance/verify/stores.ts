import type { Accounts } from '../../accounts/store.ts'
import type { ServingStore } from '../../serving/lmdb.ts'
import type { Database } from '../../store/database.ts'
import type { Paths } from '../../store/paths.ts'

export interface Stores {
  paths: Paths
  index: Database
  accounts: Accounts
  serving: ServingStore
}
