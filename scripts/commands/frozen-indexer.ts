import { setTimeout } from 'node:timers/promises'
import { systemClock } from '../../pipeline/core/clock.ts'
import { PublicError } from '../../pipeline/core/errors.ts'
import { isWriterSilent } from '../../pipeline/read/health.ts'
import type { Paths } from '../../pipeline/store/paths.ts'

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
      throw new PublicError('unavailable', `the indexer does not answer${more}`)
  }
  return answer
}
