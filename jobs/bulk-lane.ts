import type { Config } from '../pipeline/core/config.ts'
import type { Sequencer } from '../pipeline/index/sequencer.ts'
import type { Observation } from '../pipeline/model/observation.ts'
import { BulkParts } from './bulk-parts.ts'
import { BulkSize } from './bulk-size.ts'
import type { ByteBudget } from './byte-budget.ts'
import { Lane } from './lane.ts'
import type { Pump } from './pump.ts'

/** Nothing more came for so long: that was all, or crawlers are still at thousands that nobody waits for. */
const QUIET_MS = 200
const QUIET_WHILE_CRAWLING_MS = 1_000

/**
 * What is observed is collected: a commit costs something however little it brings, so after a slow one
 * more is waited for. Submissions wait for nothing but the commit before them.
 */
export function openBulkLane(
  sequencer: Sequencer,
  pump: Pump,
  unpacked: ByteBudget,
  { LIMITS }: Config,
  failed: (error: unknown) => never,
) {
  const size = new BulkSize(LIMITS)
  const parts = new BulkParts(LIMITS.bulkCommitMs)
  let lastMs = 0
  return new Lane<Observation[], undefined>(
    async deliveries => {
      for (let left: readonly Observation[] = deliveries.flat(); left.length > 0; ) {
        const seen = parts.next(left)
        const started = performance.now()
        await sequencer.commit({ observations: seen, submissions: [] }).catch(failed)
        lastMs = performance.now() - started
        size.learn(seen.length, lastMs)
        parts.learn(seen, lastMs)
        pump.landed(seen)
        left = left.slice(seen.length)
      }
      return deliveries.map(() => undefined)
    },
    {
      sizeOf: seen => seen.length,
      size: () => size.observations,
      waitMs: LIMITS.bulkCommitWaitMs,
      quietMs: waiting => {
        // Nothing more comes before this is committed.
        if (unpacked.isFull) return 0
        const isCrawling = pump.inFlight - waiting > LIMITS.bulkCommitLeast && !pump.isUrgent
        return Math.max(isCrawling ? QUIET_WHILE_CRAWLING_MS : QUIET_MS, lastMs)
      },
    },
  )
}
