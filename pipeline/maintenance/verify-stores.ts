import { checkAccounts } from './verify/check-accounts.ts'
import { checkEventFiles } from './verify/check-event-files.ts'
import { checkIndex } from './verify/check-index.ts'
import { checkServing } from './verify/check-serving.ts'
import { checkSnapshot } from './verify/check-snapshot.ts'
import type { Stores } from './verify/stores.ts'

/**
 * Verifies every store against the others; returns one sentence per fault. Requires that no commit runs
 * meanwhile.
 */
export async function verify(stores: Stores): Promise<string[]> {
  return [
    ...(await checkIndex(stores.index)),
    ...(await checkAccounts(stores)),
    ...(await checkServing(stores)),
    ...(await checkEventFiles(stores)),
    ...(await checkSnapshot(stores)),
  ]
}
