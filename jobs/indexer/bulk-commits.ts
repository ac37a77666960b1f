import type { Config } from '../../pipeline/core/config.ts'
import { traceWork } from '../../pipeline/core/trace.ts'
import type { Observation } from '../../pipeline/model/observation.ts'
import type { Sequencer } from '../../pipeline/writer/sequencer.ts'
import { BatchSplit } from './batch-split.ts'
import { Batcher } from './batcher.ts'
import type { ByteSemaphore } from './byte-semaphore.ts'
import type { Dispatcher } from './dispatcher.ts'

/**
 * Idle time after which a batch is committed: short when a person waits, longer while crawlers
 * still work on thousands of files.
 */
const IDLE_MS = 200
const IDLE_WHILE_CRAWLING_MS = 1_000

/** Collects observations into bulk commits. Submissions wait for the current commit only. */
export function createBulkCommits(
  sequencer: Sequencer,
  dispatcher: Dispatcher,
  unpacked: ByteSemaphore,
  { LIMITS }: Config,
  failed: (error: unknown) => never,
) {
  const parts = new BatchSplit()
  let lastMs = 0
  return new Batcher<Observation[], undefined>(
    async deliveries => {
      for (let remaining: readonly Observation[] = deliveries.flat(); remaining.length > 0; ) {
        const ms = sequencer.arePeopleSaving ? LIMITS.bulkCommitBesideSavesMs : LIMITS.bulkCommitMs
        const observations = parts.next(remaining, ms)
        await sequencer.waitForPublication()
        const started = performance.now()
        await traceWork('commit observations', { observations: observations.length }, () =>
          sequencer.commit({ observations, submissions: [] }).catch(failed),
        )
        lastMs = performance.now() - started
        parts.learn(observations, lastMs)
        dispatcher.confirm(observations)
        remaining = remaining.slice(observations.length)
      }
      return deliveries.map(() => undefined)
    },
    {
      measureSize: observations => observations.length,
      size: LIMITS.bulkCommitObservations,
      waitMs: LIMITS.bulkCommitWaitMs,
      idleMs: waiting => {
        // Nothing more comes before this is committed.
        if (unpacked.isFull) return 0
        const isCrawling =
          dispatcher.inFlight - waiting > LIMITS.bulkCommitObservations && !dispatcher.isUrgent
        return Math.max(isCrawling ? IDLE_WHILE_CRAWLING_MS : IDLE_MS, lastMs)
      },
    },
  )
}
