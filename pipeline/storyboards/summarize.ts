import type { Storyboard } from '../model/storyboards/storyboard.ts'
import type { AgentRun, RunSummary, StepResult } from '../model/storyboards/storyboard-result.ts'

/**
 * Chooses the status of a run by its steps. Those that were not run are ignored, unless the run ended before them: of
 * an agent that takes too long, or asks for too much, the end was not seen.
 */
export function chooseStatus(
  steps: readonly StepResult[],
): 'passing' | 'partial' | 'failing' | 'untested' {
  const run = steps.filter(({ passed }) => passed !== null)
  const passed = run.filter(step => step.passed).length
  if (run.length === 0) return 'untested'
  const isWhole = steps.every(({ skip_reason }) => skip_reason !== 'timed_out')
  if (passed === run.length && isWhole) return 'passing'
  return passed === 0 ? 'failing' : 'partial'
}

const headlines: Record<AgentRun['status'], string> = {
  passing: 'every step that was run passed',
  partial: 'some steps did not pass',
  failing: 'no step passed',
  untested: 'no step could be run: the agent does not offer the tasks',
  auth_required: 'the agent requires a credential',
  unreachable: 'the agent cannot be reached',
}

/** Adds up a run of one storyboard, which is about one track. */
export function summarizeRun(storyboard: Storyboard, { status, phases }: AgentRun): RunSummary {
  const steps = phases.flatMap(phase => phase.steps)
  const total = storyboard.phases.reduce((sum, phase) => sum + phase.steps.length, 0)
  const skipped_by_reason: Record<string, number> = {}
  for (const { skip_reason } of steps) {
    if (skip_reason) skipped_by_reason[skip_reason] = (skipped_by_reason[skip_reason] ?? 0) + 1
  }
  const hasRun = status === 'passing' || status === 'partial' || status === 'failing'
  const steps_passed = steps.filter(({ passed }) => passed === true).length
  const steps_failed = steps.filter(({ passed }) => passed === false).length
  return {
    overall_status: status,
    headline: headlines[status],
    tracks_passed: Number(status === 'passing'),
    tracks_failed: Number(status === 'failing'),
    tracks_partial: Number(status === 'partial'),
    tracks_skipped: Number(!hasRun),
    tracks_silent: 0,
    total_steps: total,
    steps_passed,
    steps_failed,
    steps_skipped: total - steps_passed - steps_failed,
    skipped_by_reason,
  }
}
