import { setImmediate } from 'node:timers/promises'
import { checkAccounts } from './verify/check-accounts.ts'
import { checkBodies } from './verify/check-bodies.ts'
import { checkEventFiles } from './verify/check-event-files.ts'
import { checkIndex } from './verify/check-index.ts'
import { checkParquet } from './verify/check-parquet.ts'
import { checkSearch } from './verify/check-search.ts'
import { checkServing } from './verify/check-serving.ts'
import { checkSnapshot } from './verify/check-snapshot.ts'
import type { Stores } from './verify/stores.ts'

/** Checks of the stores, by the name that a message begins with. */
const checks: Readonly<Record<string, (stores: Stores) => Promise<string[]>>> = {
  index: ({ index }) => checkIndex(index),
  'record/record.sqlite': checkAccounts,
  serving: checkServing,
  events: checkEventFiles,
  snapshot: checkSnapshot,
  search: async stores => checkSearch(stores),
  parquet: checkParquet,
  bodies: checkBodies,
}

/**
 * Verifies every store against the others; returns one sentence per fault, and names a store that cannot be read.
 * Requires that no commit runs meanwhile. Leaves out the checks of these names.
 */
export async function verify(
  stores: Stores,
  { skipped = [] }: { skipped?: readonly string[] } = {},
): Promise<string[]> {
  const faults: string[] = []
  for (const [name, check] of Object.entries(checks)) {
    if (skipped.includes(name)) continue
    // Timers, such as that of the lease, run between checks.
    await setImmediate()
    try {
      faults.push(...(await check(stores)))
    } catch (error) {
      faults.push(describeUnreadable(name, error))
    }
  }
  return faults
}

/** Describes a store that cannot be read, in one line. */
export function describeUnreadable(name: string, error: unknown): string {
  const [reason] = (error instanceof Error ? error.message : String(error)).split('\n')
  return `${name}: cannot be read (${reason})`
}
