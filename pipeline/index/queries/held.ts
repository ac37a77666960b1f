import type { Snapshot } from '../reader.ts'

const counted = new WeakMap<Snapshot, Promise<number>>()

/** How many publishers the brake holds; counted once a snapshot. */
export function countHeld(snapshot: Snapshot): Promise<number> {
  const known = counted.get(snapshot)
  if (known) return known
  const counting = snapshot.db
    .one<{ n: number }>('select count(*) as n from held')
    .then(row => row?.n ?? 0)
  counted.set(snapshot, counting)
  counting.catch(() => counted.delete(snapshot))
  return counting
}
