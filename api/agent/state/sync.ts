import type { TaskContext } from '../task-context.ts'
import type { Kind, Records } from './store.ts'

export type SyncAction = 'created' | 'updated' | 'unchanged'

/** The place of a record. */
interface Place<K extends Kind> {
  kind: K
  scope: string
  id: string
}

/** Stores a record and returns what that changes. Changes nothing in a dry run. */
export function syncRecord<K extends Kind>(
  { kind, scope, id }: Place<K>,
  record: Records[K],
  { state, now }: TaskContext,
  isDryRun = false,
): SyncAction {
  const known = state.get(kind, scope, id)
  if (!isDryRun) state.put(kind, scope, id, record, { now })
  if (known === undefined) return 'created'
  return JSON.stringify(known) === JSON.stringify(record) ? 'unchanged' : 'updated'
}

/** Removes all records that are not on a list, and returns their ids. */
export function removeOthers(
  { kind, scope }: Omit<Place<Kind>, 'id'>,
  wantedIds: ReadonlySet<string>,
  all: readonly string[],
  { state }: TaskContext,
  isDryRun = false,
): string[] {
  const removed = all.filter(id => !wantedIds.has(id))
  if (!isDryRun) for (const id of removed) state.remove(kind, scope, id)
  return removed
}
