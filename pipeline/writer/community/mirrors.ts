import type { MirrorRow } from '../../accounts/mirrors.ts'
import { createMirrorEvents, diffMirroredCollections } from '../../diff/mirrors.ts'
import type { RowStamp } from '../../diff/stamp.ts'
import type { EventDraft } from '../../model/event.ts'
import type { MirrorContent, MirroredCollection } from '../../model/mirror.ts'
import type { CollectionRow } from '../../model/rows.ts'
import { loadAliases } from '../../store/aliases.ts'
import type { Database } from '../../store/database.ts'
import { writeChanges } from '../../store/row-writes.ts'

/**
 * Applies published and removed mirrors. Their collections become records with events, but only for
 * publishers without a valid file: a publisher's own file always has precedence.
 */
export async function applyMirrors(
  db: Database,
  mirrors: readonly MirrorRow[],
  stamp: RowStamp,
): Promise<EventDraft[]> {
  if (mirrors.length === 0) return []
  const before = await loadListedCollections(db)
  await replaceMirrors(db, mirrors, stamp.seq)
  const after = await loadListedCollections(db)
  const touched = new Map([...before, ...after])
  const current = await loadMirroredRows(db, [...touched.keys()])
  const changes = diffMirroredCollections(
    [...after].flatMap(([key, collection]) => (current.closed.has(key) ? [] : [collection])),
    current.rows,
    stamp,
  )
  await writeChanges(db, 'collections', 'collection_rid', changes)
  return createMirrorEvents(changes)
}

async function replaceMirrors(
  db: Database,
  mirrors: readonly MirrorRow[],
  seq: number,
): Promise<void> {
  await db.write(
    'delete from',
    'shown_mirrors',
    `where platform in (select value from json_each($platforms))`,
    {
      platforms: JSON.stringify(mirrors.map(({ platform }) => platform)),
    },
  )
  const rows = mirrors
    .filter(({ removed }) => !removed)
    .map(({ content, removed: _, ...mirror }) => ({ ...mirror, ...stripContact(content), seq }))
  await db.insert('shown_mirrors', rows)
}

/** Strips the contact of a mirror, which is personal and in no public store. */
function stripContact({ document, ...content }: MirrorContent) {
  const { contact: _, ...adagents_json } = document
  return { ...content, adagents_json }
}

/**
 * Lists the collections of all mirrors, by publisher and id; of two that list the same the later one
 * counts.
 */
async function loadListedCollections(db: Database): Promise<Map<string, MirroredCollection>> {
  const rows = await db.all<{ collections: MirroredCollection[] }>(
    'select collections from shown_mirrors order by updated_at, platform',
  )
  const listed = rows.flatMap(({ collections }) => collections)
  return new Map(
    listed.map(collection => [
      toKey(collection.publisher_domain, collection.entry.collection_id),
      collection,
    ]),
  )
}

function toKey(publisher: string, collectionId: string): string {
  return `${publisher} ${collectionId}`
}

/**
 * Loads the collections that mirrors may change, and the keys of those that they must not change (`closed`).
 */
async function loadMirroredRows(
  db: Database,
  keys: readonly string[],
): Promise<{ rows: CollectionRow[]; closed: Set<string> }> {
  const asked = { keys: JSON.stringify(keys) }
  const rows = await db.all<CollectionRow>(
    `select c.* from (select distinct value as key from json_each($keys)) cross join collections c
     on c.publisher_domain = split_part(key, ' ', 1) and c.collection_id = substr(key, instr(key, ' ') + 1)
     order by c.created_at, c.collection_rid`,
    asked,
  )
  const valid = await db.all<{ key: string }>(
    `select value as key from json_each($keys)
     where exists (select 1 from publishers where domain = split_part(value, ' ', 1) and valid)`,
    asked,
  )
  const merged = await loadAliases(
    db,
    'collection',
    rows.map(row => row.collection_rid),
  )
  const isOpen = ({ collection_rid, source, status }: CollectionRow) =>
    !merged.has(collection_rid) && (source === 'contributed' || status === 'removed')
  const closed = new Set(valid.map(({ key }) => key))
  for (const row of rows) {
    if (!isOpen(row)) closed.add(toKey(row.publisher_domain, row.collection_id))
  }
  const open = rows.filter(row => !closed.has(toKey(row.publisher_domain, row.collection_id)))
  return { rows: open, closed }
}
