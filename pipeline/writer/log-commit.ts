import type { Log } from '../core/log.ts'
import type { Batch } from './apply-context.ts'
import type { CommitResult } from './committer.ts'

/** Counts of a commit, for metrics. */
export interface CommitFacts {
  seq: number
  observations: number
  submissions: number
  events: number
  quarantined: number
  ms: number
}

/** Measures a commit from now on. */
export function startMeasuring(): () => { ms: number; cpu_ms: number } {
  const started = performance.now()
  const usedBefore = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(usedBefore)
    const ms = performance.now() - started
    return { ms, cpu_ms: Math.round((user + system) / 1_000) }
  }
}

/** Counts what a commit applied and what it produced. */
export function summarizeCommit(
  { observations, submissions, poison = [] }: Batch,
  { seq, events }: Pick<CommitResult, 'seq' | 'events'>,
  { ms }: { ms: number },
): CommitFacts {
  return {
    seq,
    observations: observations.length,
    submissions: submissions.length,
    events: events.length,
    quarantined: poison.length,
    ms,
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
  const { ms, cpu_ms } = took
  const facts = { seq, events: events.length, ms: Math.round(ms), cpu_ms, ...counts }
  log.info(facts, 'committed')
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
