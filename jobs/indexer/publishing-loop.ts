import { statSync } from 'node:fs'
import { type Clock, toDay } from '../../pipeline/core/clock.ts'
import type { Config } from '../../pipeline/core/config.ts'
import type { Log } from '../../pipeline/core/log.ts'
import type { Sequencer } from '../../pipeline/writer/sequencer.ts'
import type { IndexerMetrics } from '../metrics/indexer-metrics.ts'
import { returnFreedMemoryDuring } from '../v8-heap.ts'
import { type Loop, repeatEvery } from './loops.ts'
import { INTERVAL_MIN_S, PublishInterval } from './publish-interval.ts'

/** Pause before retention is repeated, as it is while somebody reads deleted rows: all commits wait for it. */
const RETAIN_AGAIN_MS = 5 * 60_000

interface PublishingDeps {
  sequencer: Sequencer
  config: Config
  clock: Clock
  log: Log
  metrics: IndexerMetrics
  /** Called when lists can be read from another snapshot, and from another search file. */
  onShown: () => void
}

/**
 * Publishes snapshots at their interval; once a UTC day writes Parquet files and applies retention.
 */
export function startPublishing({
  sequencer,
  config,
  clock,
  log,
  metrics,
  onShown,
}: PublishingDeps): Loop {
  const interval = new PublishInterval()
  let pauseS = INTERVAL_MIN_S
  let retained: string | undefined
  let retainAt = 0
  const intervalMs = () => 1_000 * (config.PUBLISH_EVERY ?? pauseS)
  return repeatEvery(intervalMs, log, async () => {
    if (sequencer.seq === 0) return
    const copyMs = await returnFreedMemoryDuring(() => sequencer.publish())
    // 0 means that nothing was copied, which says nothing about the time a copy takes.
    if (copyMs > 0) {
      metrics.countPublished(copyMs)
      onShown()
      void sequencer.searchable().then(onShown, () => undefined)
      pauseS = interval.next({ ms: copyMs, bytes: statSync(sequencer.paths.columnar).size })
    }
    await sequencer.exportTables()
    const day = toDay(clock.now())
    if (day === retained || performance.now() < retainAt) return
    retainAt = performance.now() + RETAIN_AGAIN_MS
    if (await sequencer.retain()) retained = day
  })
}
