import type { Snapshot } from '../reader.ts'
import { countOnce } from './counts.ts'

/** Counts the publishers that the brake holds, once a snapshot. */
export function countHeld(snapshot: Snapshot): Promise<number> {
  return countOnce(snapshot, 'select count(*) as total from held')
}
