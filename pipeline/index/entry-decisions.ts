import type { EntryDecision } from './accounts/entry-reviews.ts'
import { recordChanges } from './changes.ts'
import type { Database } from './duckdb.ts'
import { loadEntries, replaceEntries } from './entries.ts'
import { showBrands } from './saves.ts'

/** Shows entries that a person has approved; those that were rejected stay hidden until somebody saves again. */
export async function takeDecisions(
  db: Database,
  decisions: readonly EntryDecision[],
  { seq }: { seq: number },
): Promise<void> {
  for (const { entity, domain, status } of decisions) {
    const entry = (await loadEntries(db, entity, [domain])).get(domain)
    if (entry?.status !== 'pending') continue
    const decided = { ...entry, status, seq }
    await replaceEntries(db, [decided])
    if (entity === 'brand') await showBrands(db, [decided], seq)
    else await recordChanges(db, seq, { publisher: [domain] })
  }
}
