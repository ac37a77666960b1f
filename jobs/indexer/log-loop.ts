import { MINUTE, SECOND } from '../../pipeline/core/clock.ts'
import type { Log } from '../../pipeline/core/log.ts'
import type { Sequencer } from '../../pipeline/writer/sequencer.ts'
import { type Loop, repeatEvery } from './loops.ts'

const APPEND_EVERY_MS = SECOND / 2
/** Interval at which a log that cannot be continued is checked and reported again. */
const RETRY_AFTER_MS = MINUTE

/** Interval at which a head that could not be kept elsewhere is tried again. */
const KEEP_AGAIN_MS = 10 * SECOND

/** Appends what was committed to the tamper-evident log; commits do not wait for it. */
export function startLogging({ treeLog }: Sequencer, log: Log): Loop {
  const choosePause = () => {
    if (treeLog.stop === undefined) return APPEND_EVERY_MS
    return treeLog.stop.isWaiting ? KEEP_AGAIN_MS : RETRY_AFTER_MS
  }
  return repeatEvery(choosePause, log, () => treeLog.update())
}
