import { MINUTE, SECOND } from '../../pipeline/core/clock.ts'
import type { Log } from '../../pipeline/core/log.ts'
import type { Sequencer } from '../../pipeline/writer/sequencer.ts'
import { type Loop, repeatEvery } from './loops.ts'

const APPEND_EVERY_MS = SECOND / 2
/** Interval at which a log that cannot be continued is checked and reported again. */
const RETRY_AFTER_MS = MINUTE

/** Appends what was committed to the tamper-evident log; commits do not wait for it. */
export function startLogging({ treeLog }: Sequencer, log: Log): Loop {
  let pauseMs = APPEND_EVERY_MS
  return repeatEvery(
    () => pauseMs,
    log,
    async () => {
      pauseMs = RETRY_AFTER_MS
      await treeLog.update()
      pauseMs = APPEND_EVERY_MS
    },
  )
}
