import type { Stores } from './verify/stores.ts'
import { wrongInAccounts } from './verify/wrong-in-accounts.ts'
import { wrongInEventFiles } from './verify/wrong-in-event-files.ts'
import { wrongInIndex } from './verify/wrong-in-index.ts'
import { wrongInServing } from './verify/wrong-in-serving.ts'
import { wrongInSnapshot } from './verify/wrong-in-snapshot.ts'

/**
 * Checks every store against the others, sentence by sentence; nothing said means nothing wrong.
 * Nobody may commit meanwhile.
 */
export async function verify(stores: Stores): Promise<string[]> {
  return [
    ...(await wrongInIndex(stores.index)),
    ...(await wrongInAccounts(stores)),
    ...(await wrongInServing(stores)),
    ...(await wrongInEventFiles(stores)),
    ...(await wrongInSnapshot(stores)),
  ]
}
