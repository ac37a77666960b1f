import type { Revision } from '../../model/responses/history.ts'
import type { RevisionRow } from '../../model/rows.ts'
import { toHistoryKey, toRevisionKey } from '../../serving/document-value.ts'
import type { Reader } from '../reader.ts'

export interface HistoryPage {
  total: number
  revisions: Revision[]
}

/**
 * Finds a page of the revisions of an entry, newest first. Undefined if nothing is known of the domain:
 * neither a revision nor a crawled file.
 */
export function findHistory(
  { serving }: Reader,
  entity: RevisionRow['entity'],
  domain: string,
  { limit, offset }: { limit: number; offset: number },
): HistoryPage | undefined {
  const last = Number(serving?.get('revision', toHistoryKey(entity, domain))?.toString() ?? 0)
  if (serving === undefined || last === 0) {
    return serving?.has(entity, domain) ? { total: 0, revisions: [] } : undefined
  }
  const revisions: Revision[] = []
  for (let number = last - offset; number > 0 && revisions.length < limit; number--) {
    const value = serving.get('revision', toRevisionKey(entity, domain, number))
    if (value === undefined) continue
    const { editor_id: _, ...shown } = JSON.parse(value.toString())
    revisions.push(shown)
  }
  return { total: last, revisions }
}

/** Tells whether a domain has a community entry. */
export function hasEntry(
  { serving }: Reader,
  entity: RevisionRow['entity'],
  domain: string,
): boolean {
  return serving?.has('revision', toHistoryKey(entity, domain)) ?? false
}
