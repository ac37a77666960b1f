import type { Effect } from '../core/outcomes.ts'
import type { SourceKind } from './documents/index.ts'
import type { FreshnessBlock } from './responses/freshness.ts'

/** State of a file, and of the answer that it decides. */
export type FreshnessState = FreshnessBlock['state']

/** Age of the last success from which a file is `stale`. */
export const STALE_AFTER_MS = 48 * 3_600_000

/** States of a file by the effect of its last attempt; one that was read long ago is stale. */
export const statesByEffect: Record<Effect, FreshnessState> = {
  success: 'current',
  absent: 'absent',
  unusable: 'invalid',
  garbled: 'invalid',
  unreachable: 'failing',
}

/** States of a file that was read. It is invalid nevertheless where it has nothing usable, or leads nowhere. */
export const readStates: readonly FreshnessState[] = ['current', 'stale']

/** States by which the weakest file of an answer is picked, the weakest last. */
export const bestToWorst: readonly FreshnessState[] = [
  'current',
  'stale',
  'failing',
  'invalid',
  'absent',
  'never_crawled',
]

/** Files that one may lead to, one after the other: an adagents.json that is pointed to must not point on. */
export const hopsMax = { 'adagents.json': 1, 'brand.json': 3 } as const

/** Finds how many files a file of this kind may lead to. */
export function findHopsMax(kind: SourceKind): number {
  return kind === 'adagents.json' || kind === 'brand.json' ? hopsMax[kind] : 0
}

/** Lead of a file that has nothing usable, in the place of a location. */
export const NOWHERE = 'nowhere'
