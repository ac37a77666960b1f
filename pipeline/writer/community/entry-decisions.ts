import type { EntryDecision } from '../../accounts/publications.ts'
import type { Domain } from '../../core/domain.ts'
import type { RowStamp } from '../../diff/stamp.ts'
import type { EventDraft } from '../../model/event.ts'
import { recordChanges } from '../../store/commit-notes.ts'
import type { Database } from '../../store/database.ts'
import { loadEntries, replaceEntries } from '../../store/entries.ts'
import { loadPublishers } from '../entities/publisher-rows.ts'
import { showBrands } from './saves.ts'
import { showProperties } from './shown-properties.ts'

/**
 * Applies reviews of entries: approved ones are shown; rejected ones stay hidden until the next
 * save.
 */
export async function applyDecisions(
  db: Database,
  decisions: readonly EntryDecision[],
  stamp: Pick<RowStamp, 'now' | 'seq'>,
): Promise<EventDraft[]> {
  const { seq } = stamp
  const events: EventDraft[] = []
  for (const { entity, domain, status } of decisions) {
    const entry = (await loadEntries(db, entity, [domain])).get(domain)
    if (entry?.status !== 'pending') continue
    const decided = { ...entry, status, seq }
    await replaceEntries(db, [decided])
    if (entity === 'brand') await showBrands(db, [decided], seq)
    else {
      await recordChanges(db, seq, { publisher: [domain] })
      const records = await loadPublishers(db, [domain as Domain])
      const changed = [{ before: undefined, entry: decided }]
      events.push(...(await showProperties(db, changed, records, stamp)))
    }
  }
  return events
}
