import type { TaskContext } from '../task-context.ts'
import type { Kind, Records } from './store.ts'

export type SyncAction = 'created' | 'updated' | 'unchanged'

/** A record, and its place. */
interface Place<K extends Kind> {
  kind: K
  scope: string
  id: string
}

/** Keeps a record and tells what that changes. In a dry run it changes nothing. */
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

/** Removes all records but those to be kept, and returns their ids. */
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
