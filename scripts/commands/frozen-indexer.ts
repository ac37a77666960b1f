import { setTimeout } from 'node:timers/promises'
import { type Instant, MINUTE, SECOND, systemClock } from '../../pipeline/core/clock.ts'
import { countThings } from '../../pipeline/core/counts.ts'
import { PublicError } from '../../pipeline/core/errors.ts'
import {
  describeKill,
  isWriterSilent,
  readDiskProblems,
  readHeartbeat,
} from '../../pipeline/read/health.ts'
import type { Paths } from '../../pipeline/store/paths.ts'
import { describeFrozen, findIndexerPid } from './indexer-watch.ts'

/** A frozen indexer never answers: whoever waits wants to hear that soon. */
export const INDEXER_SILENCE_MAX_MS = 10_000
const LOOK_EVERY_MS = 1_000

/**
 * Waits for an answer of the indexer; throws where that is silent when asked. One that makes progress may then take long:
 * a task of minutes, as for a backup, has no heartbeat at its end.
 */
export async function endWhenSilent<Result>(
  answer: Promise<Result>,
  paths: Paths,
  more = '',
): Promise<Result> {
  const ended = new AbortController()
  try {
    return await Promise.race([answer, watchIndexer(answer, paths, more, ended.signal)])
  } finally {
    ended.abort()
  }
}

async function watchIndexer<Result>(
  answer: Promise<Result>,
  paths: Paths,
  more: string,
  signal: AbortSignal,
): Promise<Result> {
  const until = systemClock.now() + INDEXER_SILENCE_MAX_MS + 2 * LOOK_EVERY_MS
  while (systemClock.now() < until) {
    await setTimeout(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined)
    if (signal.aborted) return answer
    if (isWriterSilent(paths, systemClock.now(), INDEXER_SILENCE_MAX_MS))
      throw new PublicError('unavailable', `${describeSilence(paths)}${more}`)
  }
  return answer
}

/** Says why the indexer is silent: on a full disk it is, and ending it would not help. */
function describeSilence(paths: Paths): string {
  const [fullDisk] = readDiskProblems(paths)
  return fullDisk ?? describeFrozen(paths)
}

/** Interval at which a patient command repeats what it waits for. */
const REPEAT_EVERY_MS = MINUTE
/** Silence that ends even a patient command: a start of the indexer over a large record takes less. */
const PATIENT_SILENCE_MAX_MS = 5 * MINUTE

/** Tells what a patient command waits for while the indexer makes no progress, and ends it after minutes of that, or on a full disk. */
export class SilenceWatch {
  readonly #paths: Paths
  readonly #tell: (text: string) => void
  readonly #since = systemClock.now()
  /** Silence when that was said last. */
  #repeatedAtMs: number | undefined

  constructor(paths: Paths, tell: (text: string) => void) {
    this.#paths = paths
    this.#tell = tell
  }

  /** Waits for an answer of the indexer; throws where that makes no progress for minutes. */
  async during<Result>(answer: Promise<Result>): Promise<Result> {
    const ended = new AbortController()
    try {
      return await Promise.race([answer, this.#lookUntil(ended.signal)])
    } finally {
      ended.abort()
    }
  }

  async #lookUntil(signal: AbortSignal): Promise<never> {
    for (;;) {
      await setTimeout(LOOK_EVERY_MS, undefined, { signal })
      this.look(systemClock.now())
    }
  }

  look(now: Instant): void {
    const silentMs = now - Math.max(readHeartbeat(this.#paths) ?? 0, this.#since)
    const pid = findIndexerPid(this.#paths)
    if (silentMs < INDEXER_SILENCE_MAX_MS) this.#repeatedAtMs = undefined
    else if (readDiskProblems(this.#paths).length > 0)
      throw new Error(`${describeSilence(this.#paths)}; what was requested goes on then`)
    else if (silentMs >= PATIENT_SILENCE_MAX_MS)
      throw new Error(
        `the indexer has made no progress for ${countThings(PATIENT_SILENCE_MAX_MS / MINUTE, 'minute')}: ${pid === undefined ? 'see `registry status`' : describeKill(pid)}; what was requested goes on once it runs`,
      )
    else if (this.#repeatedAtMs === undefined || silentMs - this.#repeatedAtMs >= REPEAT_EVERY_MS) {
      this.#repeatedAtMs = silentMs
      this.#tell(
        `waiting for the indexer, which has made no progress for ${Math.round(silentMs / SECOND)} s${pid === undefined ? '' : `: ${describeKill(pid)}`}`,
      )
    }
  }
}
