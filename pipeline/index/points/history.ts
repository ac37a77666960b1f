import type { Revision } from '../../model/answers-history.ts'
import type { RevisionRow } from '../../model/rows.ts'
import type { Reader } from '../reader.ts'
import { historyKey, revisionKey } from '../serving-value.ts'

export interface HistoryPage {
  /** Edits of the entry: what made it is none. */
  total: number
  revisions: Revision[]
}

/**
 * A page of the revisions of an entry, newest first. Undefined where nothing is known of the domain:
 * neither a revision nor what was crawled.
 */
export function findHistory(
  { serving }: Reader,
  entity: RevisionRow['entity'],
  domain: string,
  { limit, offset }: { limit: number; offset: number },
): HistoryPage | undefined {
  const last = Number(serving?.get('revision', historyKey(entity, domain))?.toString() ?? 0)
  if (serving === undefined || last === 0) {
    return serving?.has(entity, domain) ? { total: 0, revisions: [] } : undefined
  }
  const revisions: Revision[] = []
  for (let number = last - offset; number > 1 && revisions.length < limit; number--) {
    const value = serving.get('revision', revisionKey(entity, domain, number))
    if (value !== undefined) revisions.push(JSON.parse(value.toString()) as Revision)
  }
  return { total: last - 1, revisions }
}

/** Whether people told of the domain. */
export function hasEntry(
  { serving }: Reader,
  entity: RevisionRow['entity'],
  domain: string,
): boolean {
  return serving?.has('revision', historyKey(entity, domain)) ?? false
}
