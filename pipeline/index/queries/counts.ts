import type { Snapshot } from '../reader.ts'

const MOST = 1_000

const counted = new WeakMap<Snapshot, Map<string, Promise<number>>>()

/**
 * How many rows of a snapshot match a question: counted when it is asked for the first time, since a
 * snapshot never changes. What was asked for first is forgotten first.
 */
export function countOnce(
  snapshot: Snapshot,
  sql: string,
  asked: Readonly<Record<string, string | null>> = {},
): Promise<number> {
  const known = counted.get(snapshot) ?? new Map<string, Promise<number>>()
  counted.set(snapshot, known)
  const question = JSON.stringify([sql, asked])
  const found = known.get(question)
  if (found !== undefined) return found
  const [oldest] = known.keys()
  if (known.size >= MOST && oldest !== undefined) known.delete(oldest)
  const counting = snapshot.db.one<{ total: number }>(sql, asked).then(row => row?.total ?? 0)
  known.set(question, counting)
  counting.catch(() => known.delete(question))
  return counting
}
