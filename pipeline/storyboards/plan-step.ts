import type {
  StoryboardPhase,
  StoryboardStep,
  Validation,
} from '../model/storyboards/storyboard.ts'
import type { SkipReason, StepResult } from '../model/storyboards/storyboard-result.ts'
import { applyProtocolName, type RunContext, resolveReferences } from './references.ts'

/** State of a run between two steps. */
export interface RunState {
  context: RunContext & { values: Map<string, unknown> }
  /** Names of the agent's tools. */
  tools: ReadonlySet<string>
  /** True if a stateful step did not pass, so that later stateful steps are skipped. */
  hasBrokenState: boolean
  /** Phases of which not every step passed. */
  brokenPhases: Set<string>
}

/** A step to be run or skipped. */
export type PlannedStep =
  | { kind: 'call'; task: string; args: Record<string, unknown>; validations: Validation[] }
  | { kind: 'skip'; task: string; reason: SkipReason }

/** Decides whether a step can be run, and with which request. */
export function planStep(
  step: StoryboardStep,
  phase: StoryboardPhase,
  state: RunState,
): PlannedStep {
  const { protocolName } = state.context
  const task = applyProtocolName(step.task, protocolName)
  const skip = (reason: SkipReason): PlannedStep => ({ kind: 'skip', task, reason })
  if (!state.tools.has(task)) return skip('missing_tool')
  if (phase.depends_on.some(id => state.brokenPhases.has(id))) return skip('prerequisite_failed')
  if (step.stateful && state.hasBrokenState) return skip('prerequisite_failed')
  const request = resolveReferences(step.sample_request, state.context)
  const validations = resolveReferences(step.validations, state.context)
  if ('missing' in request || 'missing' in validations) return skip('prerequisite_failed')
  return {
    kind: 'call',
    task,
    args: request.value as Record<string, unknown>,
    validations: (validations.value as Validation[]).map(validation =>
      'path' in validation
        ? { ...validation, path: applyProtocolName(validation.path, protocolName) }
        : validation,
    ),
  }
}

/** Records a failed or skipped step, so that steps that depend on it are skipped. */
export function recordResult(
  state: RunState,
  phase: StoryboardPhase,
  step: StoryboardStep,
  { passed }: Pick<StepResult, 'passed'>,
): void {
  if (passed === true) return
  state.brokenPhases.add(phase.id)
  if (step.stateful) state.hasBrokenState = true
}

/** Builds the result of a step that was not run. */
export function toSkippedResult(
  { id }: Pick<StoryboardStep, 'id'>,
  task: string,
  skip_reason: SkipReason,
): StepResult {
  return {
    step: id,
    task,
    passed: null,
    duration_ms: 0,
    skipped: true,
    skip_reason,
    validations: [],
  }
}
