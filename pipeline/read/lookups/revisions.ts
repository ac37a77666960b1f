import type { EntryState, RevisionRow } from '../../model/rows.ts'
import type { Contact } from '../../model/save.ts'
import { toHistoryKey, toRevisionKey } from '../../serving/document-value.ts'
import type { ServingStore } from '../../serving/lmdb.ts'
import type { Entity } from '../../store/entries.ts'
import type { Reader } from '../reader.ts'
import type { PrivateReader } from './private-rows.ts'

type RevisionFacts = Pick<
  RevisionRow,
  'revision_number' | 'editor_id' | 'edit_summary' | 'source' | 'is_rollback' | 'created_at'
>

/** Lists a page of the revisions of an entry, newest first, and their total. */
export function listRevisions(
  { serving }: Reader,
  entity: Entity,
  domain: string,
  { limit, offset }: { limit: number; offset: number },
): { total: number; revisions: RevisionFacts[] } {
  if (serving === undefined) return { total: 0, revisions: [] }
  const total = findLastNumber(serving, entity, domain)
  const first = Math.max(0, total - offset)
  const numbers = Array.from({ length: Math.min(limit, first) }, (_, i) => first - i)
  const revisions = numbers.flatMap(number => findFacts(serving, entity, domain, number) ?? [])
  return { total, revisions }
}

/** Counts the revisions of an entry; 0 for one that nobody has saved. */
export function countRevisions({ serving }: Reader, entity: Entity, domain: string): number {
  return serving === undefined ? 0 : findLastNumber(serving, entity, domain)
}

/**
 * Finds a revision with the state after it. The state is shown only while the entry is shown, and only if it
 * was public then or is now: edits that were never approved, and withdrawn entries, stay hidden. Whoever may change
 * the entry sees it while it is withdrawn, too.
 */
export function findRevision(
  { serving }: Reader,
  entity: Entity,
  domain: string,
  number: number,
  isForOwner = false,
): object | undefined {
  if (serving === undefined) return undefined
  const facts = findFacts(serving, entity, domain, number)
  const stored = serving.text('revision_content', toRevisionKey(entity, domain, number))
  if (facts === undefined || stored === undefined) return undefined
  const { status, content }: Left = JSON.parse(stored)
  const isCurrent = findLastNumber(serving, entity, domain) === number
  const isShown = isForOwner || serving.text('entry', toHistoryKey(entity, domain)) === 'live'
  return { ...facts, content: isShown && (isCurrent || status === 'live') ? content : null }
}

/** Finds the contact that a version of a publisher's properties was saved with, unless it was erased since. */
export function findVersionContact(
  { record }: PrivateReader,
  domain: string,
  number: number,
): Contact | undefined {
  return record?.one<{ contact: Contact }>(
    `select c.contact from revisions r
       join property_contacts c on c.contact_id = r.state ->> '$.contact_id'
     where r.domain = $domain and r.entity = 'property' and r.revision_number = $number`,
    { domain, number },
  )?.contact
}

/** Content of an entry after a revision, and whether that was shown. */
interface Left {
  status: EntryState['status']
  content: object
}

/** Finds the number of the last revision of an entry; 0 where there is none. */
function findLastNumber(serving: ServingStore, entity: Entity, domain: string): number {
  return Number(serving.text('revision', toHistoryKey(entity, domain)) ?? 0)
}

function findFacts(
  serving: ServingStore,
  entity: Entity,
  domain: string,
  number: number,
): RevisionFacts | undefined {
  const stored = serving.text('revision', toRevisionKey(entity, domain, number))
  if (stored === undefined) return undefined
  const { editor_name: _, ...facts } = JSON.parse(stored)
  return facts
}
