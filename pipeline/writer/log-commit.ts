import type { Log } from '../core/log.ts'
import type { Batch } from './apply-context.ts'
import type { CommitResult } from './committer.ts'

/** Measures a commit from now on. */
export function startMeasuring(): () => { ms: number; cpu_ms: number } {
  const started = performance.now()
  const usedBefore = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(usedBefore)
    const ms = Math.round(performance.now() - started)
    return { ms, cpu_ms: Math.round((user + system) / 1_000) }
  }
}

/** Logs a commit, what was set aside of its batch, and what the brake held back. */
export function logCommit(
  log: Log,
  { observations, submissions, poison = [] }: Batch,
  { seq, events, held }: CommitResult,
  took: { ms: number; cpu_ms: number },
): void {
  const changed = observations.filter(({ outcome }) => outcome === 'ok').length
  const counts = { observations: observations.length, changed, submissions: submissions.length }
  log.info({ seq, events: events.length, ...took, ...counts }, 'committed')
  for (const { observation, reason } of poison) {
    log.error(
      { kind: observation.kind, location: observation.location, reason },
      'observation set aside',
    )
  }
  if (held.publishers > 0) {
    log.error({ seq, ...held }, 'too much at once: held back; see `held list`')
  }
}
