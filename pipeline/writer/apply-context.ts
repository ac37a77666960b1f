import type { RisingIds } from '../core/uuid-v7.ts'
import type { Stamp } from '../diff/stamp.ts'
import type { TakenDown } from '../store/takedown-set.ts'
import type { Braking } from './crawl/brake.ts'
import type { Admitting } from './crawl/mentions.ts'
import type { Recrawling } from './crawl/recrawl-schedule.ts'

/** Context in which a batch is applied. */
export interface Applying extends Stamp, Recrawling, Braking, Admitting {
  ids: RisingIds
  /** Rows of publishers that one commit writes; no bound where undefined. */
  portionRows?: number | undefined
  frontierMax: number
  /** Agents of one registrable domain that are probed before some of them have answered. */
  agentsPerSite: number
  agentsPerDocumentHour: number
  /** Domains of which nothing is applied. */
  takenDown: TakenDown
  /** Public address of the registry, if files can be pointed to there. */
  hostingBase?: string | undefined
}
