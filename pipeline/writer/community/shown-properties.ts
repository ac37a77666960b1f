import type { Domain } from '../../core/domain.ts'
import { diff } from '../../diff/diff.ts'
import { diffProperty } from '../../diff/events.ts'
import { buildSavedRows, mayShowSavedProperties, SAVE_ACTOR } from '../../diff/hosted.ts'
import type { PublisherRows } from '../../diff/publisher-rows.ts'
import type { RowStamp } from '../../diff/stamp.ts'
import type { EventDraft } from '../../model/event.ts'
import type { EntryRow } from '../../model/rows.ts'
import type { HostedProperty } from '../../model/save.ts'
import { recordChanges } from '../../store/commit-notes.ts'
import type { Database } from '../../store/database.ts'
import { loadEntries, readProperties } from '../../store/entries.ts'
import { writeChanges } from '../../store/row-writes.ts'
import { statusAndFacts } from '../entities/publisher-changes.ts'
import { buildEmptyPublisherRows, loadPublishers } from '../entities/publisher-rows.ts'

/** An entry before and after the commit. */
export interface EntryChange {
  before: EntryRow | undefined
  entry: EntryRow
}

/**
 * Writes the properties that members saved as rows of the catalog, for publishers without a valid file, and
 * returns the events. Such properties grant nothing.
 */
export async function showProperties(
  db: Database,
  changed: readonly EntryChange[],
  rows: ReadonlyMap<string, PublisherRows>,
  stamp: Pick<RowStamp, 'now' | 'seq'>,
): Promise<EventDraft[]> {
  const changes = changed.flatMap(({ before, entry }) => {
    const { domain } = entry
    const old = rows.get(domain) ?? buildEmptyPublisherRows(undefined)
    if (!mayShowSavedProperties(old)) return []
    const shown = listShown(entry)
    const rids = new Set(shown.map(({ property_rid }) => property_rid))
    const saved = before === undefined ? [] : readProperties(before)
    const hidden = saved.map(property => property.property_rid).filter(rid => !rids.has(rid))
    const fresh = buildSavedRows(domain, shown, old, stamp, new Set(hidden))
    return diff(old.properties, fresh, row => row.property_rid, statusAndFacts)
  })
  await writeChanges(db, 'properties', 'property_rid', changes)
  return changes.flatMap(diffProperty).map(event => ({ ...event, actor: SAVE_ACTOR }))
}

/** Entries that one commit records. */
const ENTRIES_PER_COMMIT = 200

/**
 * Finds the next domains, after a given one, of entries with a saved property that has no row, or one
 * without identifiers, as earlier versions left them.
 */
export async function findUnrecorded(db: Database, after: string): Promise<Domain[]> {
  const rows = await db.all<{ domain: Domain }>(
    `select distinct domain from (
       select domain, value ->> '$.property_rid' as property_rid
       from entries, json_each(document, '$.properties') where entity = 'property' and status = 'live') saved
     where property_rid not in (
         select property_rid from properties where json_array_length(identifiers) > 0 or status = 'removed')
       and domain not in (select domain from publishers where valid)
       and domain not in (select publisher_domain from authorizations)
       and property_rid is not null and domain > $after order by domain
     limit ${ENTRIES_PER_COMMIT}`,
    { after },
  )
  return rows.map(({ domain }) => domain)
}

/** Creates the missing property rows of entries. */
export async function recordEntries(
  db: Database,
  domains: readonly Domain[],
  stamp: Pick<RowStamp, 'now' | 'seq'>,
): Promise<EventDraft[]> {
  if (domains.length === 0) return []
  const entries = [...(await loadEntries(db, 'property', domains)).values()]
  await recordChanges(db, stamp.seq, { publisher: entries.map(({ domain }) => domain) })
  const changed = entries.map(entry => ({ before: undefined, entry }))
  return showProperties(db, changed, await loadPublishers(db, domains), stamp)
}

function listShown(entry: EntryRow): HostedProperty[] {
  return entry.status === 'live' ? readProperties(entry) : []
}
