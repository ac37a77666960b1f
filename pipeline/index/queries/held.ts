import type { Snapshot } from '../reader.ts'
import { countOnce } from './counts.ts'

/** How many publishers the brake holds; counted once a snapshot. */
export function countHeld(snapshot: Snapshot): Promise<number> {
  return countOnce(snapshot, 'select count(*) as total from held')
}
