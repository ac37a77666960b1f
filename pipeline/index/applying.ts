import type { RisingIds } from '../core/uuid-v7.ts'
import type { Stamp } from '../diff/rows.ts'
import type { Braking } from './brake.ts'
import type { Recrawling } from './recrawl.ts'
import type { TakenDown } from './taken-down.ts'

/** What a batch is applied with. */
export interface Applying extends Stamp, Recrawling, Braking {
  ids: RisingIds
  frontierMax: number
  /** How many agents of one host are probed. */
  agentsPerHost: number
  /** Domains of which nothing is taken in. */
  takenDown: TakenDown
  /** Public address of the registry, if files can be pointed to there. */
  hostingBase?: string | undefined
}
