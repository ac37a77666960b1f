import type { StepDiagnostic } from '../model/storyboards/step-diagnostic.ts'
import type { Storyboard } from '../model/storyboards/storyboard.ts'
import type { FinishedRun } from '../model/storyboards/storyboard-job.ts'
import type { AgentRun, StepResult } from '../model/storyboards/storyboard-result.ts'
import type { StoryboardStatus } from '../model/storyboards/storyboard-run.ts'
import type { RunnableStoryboard } from './catalog.ts'
import { findResult } from './compare.ts'
import { applyProtocolName } from './references.ts'
import { summarizeRun } from './summarize.ts'

/** Reason for which a step is skipped where the agent does not offer its task. */
const COVERAGE_GAP = 'missing_tool'

/** Describes a run of one storyboard against one agent. */
export function describeRun(
  storyboard: RunnableStoryboard,
  run: AgentRun,
  run_id: string,
  protocolName: string,
): FinishedRun['run'] {
  const { id, title, category, narrative, phases } = storyboard
  const { url, profile } = run
  return {
    run_id,
    storyboard: { id, title, category, narrative },
    agent: { url, ...(profile && { profile }) },
    requested_compliance_target: storyboard.source.target,
    adcp_version: storyboard.source.version,
    badge_eligible: false,
    badge_eligible_adcp_versions: [],
    storyboard_status: describeStatus(storyboard, run),
    phases: phases.map(phase => ({
      id: phase.id,
      title: phase.title,
      ...(phase.narrative !== undefined && { narrative: phase.narrative }),
      steps: phase.steps.map(step => ({
        id: step.id,
        title: step.title,
        task: applyProtocolName(step.task, protocolName),
        expected: step.expected,
        result: describeResult(id, phase.id, step.id, run),
      })),
    })),
    summary: summarizeRun(storyboard, run),
    test_kit: null,
    total_duration_ms: run.duration_ms,
  }
}

/** Tells whether a step was not run because the agent does not offer its task. */
export function hasCoverageGap({ phases }: AgentRun): boolean {
  return phases.some(({ steps }) => steps.some(step => step.skip_reason === COVERAGE_GAP))
}

/** Describes the result of a step, and whether it was skipped because the agent does not offer the task. */
function describeResult(...place: Parameters<typeof findResult>) {
  const result = findResult(...place)
  const reason = result.scenarios[0]?.steps[0]?.skip_reason
  return { ...result, coverage_gap_skipped: reason === COVERAGE_GAP }
}

/** Summarizes a run, with the first step that failed. An agent that could not be reached fails as a whole. */
export function describeStatus(storyboard: Storyboard, run: AgentRun): StoryboardStatus {
  const { steps_passed, steps_failed, steps_skipped, headline } = summarizeRun(storyboard, run)
  const results = run.phases.flatMap(({ steps }) => steps)
  const failed = results.find(({ passed }) => passed === false)
  const isReached = run.status !== 'unreachable' && run.status !== 'auth_required'
  const definition = storyboard.phases
    .flatMap(({ steps }) => steps)
    .find(({ id }) => id === failed?.step)
  const wrong = failed?.validations.filter(({ passed }) => !passed) ?? []
  const message = failed === undefined ? null : describeFailure(failed)
  return {
    storyboard_id: storyboard.id,
    status: isReached ? (run.status as StoryboardStatus['status']) : 'failing',
    steps_passed,
    steps_total: steps_passed + steps_failed,
    failure_count: steps_failed,
    skipped_count: steps_skipped,
    first_failed_step_id: failed?.step ?? null,
    first_failed_step_title: definition?.title ?? null,
    first_failed_step_task: failed?.task ?? null,
    first_failure_message: isReached ? message : headline,
    first_failure_validations: wrong,
  }
}

function describeFailure({ error, validations }: StepResult): string {
  const [first] = validations.filter(({ passed }) => !passed)
  return error ?? `not so: ${first?.description ?? 'the step'}`
}

/** Lists the steps of a run as its organization may read them later. */
export function listDiagnostics({ id }: Storyboard, { phases }: AgentRun): StepDiagnostic[] {
  return phases.flatMap(({ phase_id, steps }) =>
    steps.map(({ step, task, passed, duration_ms, error, validations, exchange, guidance }) => ({
      storyboard_id: id,
      phase_id,
      step_id: step,
      task,
      step_passed: passed,
      duration_ms,
      error_text: error ?? null,
      failed_validations: validations.filter(check => !check.passed),
      ...(exchange && { exchange }),
      ...(guidance && { guidance }),
    })),
  )
}
