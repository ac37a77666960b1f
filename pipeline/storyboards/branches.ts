import type {
  Storyboard,
  StoryboardPhase,
  StoryboardStep,
} from '../model/storyboards/storyboard.ts'
import type { AgentRun, StepResult } from '../model/storyboards/storyboard-result.ts'
import { checkAll } from './judge-step.ts'
import { type PlannedValidation, toSkippedResult } from './plan-step.ts'
import { findContributor, hasPassed, hasRun, type RunState } from './run-state.ts'

/** Condition on which a step stands for its flag: that another one passed. */
const CONDITION = /^prior_step\.([\w-]+)\.passed$/

/** Finds the flag that a step stands for when it passes. */
export function findFlag(
  { contributes, contributes_to, contributes_if }: StoryboardStep,
  { branch_set }: StoryboardPhase,
  state: RunState,
): string | undefined {
  const [, other] = CONDITION.exec(contributes_if ?? '') ?? []
  if (contributes_if !== undefined && (other === undefined || !hasPassed(state, other))) {
    return undefined
  }
  return contributes_to ?? (contributes ? branch_set?.id : undefined)
}

/** Finds the flag of which the steps of a phase are one way to earn it. */
function findBranch({ branch_set, steps, optional }: StoryboardPhase): string | undefined {
  if (branch_set !== undefined) return branch_set.id
  return optional ? steps.find(step => step.contributes_to)?.contributes_to : undefined
}

/** Judges whether one of several phases did what is demanded. Where none of them could be run, nothing is known. */
export function judgeContribution(
  step: StoryboardStep,
  { task, validations }: { task: string; validations: readonly PlannedValidation[] },
  state: RunState,
): StepResult {
  const results = checkAll(step, validations, { outcome: { payload: {} } }, state)
  const passed = results.every(check => check.passed)
  if (!passed && !state.hasTriedBranch) return toSkippedResult(step, task, 'prerequisite_failed')
  return { step: step.id, task, passed, duration_ms: 0, validations: results }
}

/** Tells whether a phase is one of several ways, and one of its steps was run. */
export function isTriedBranch(phase: StoryboardPhase, results: readonly StepResult[]): boolean {
  return findBranch(phase) !== undefined && results.some(hasRun)
}

/**
 * Takes back the failures of a phase where another one did what is demanded of either. An agent that offers
 * a way must offer it rightly: where it publishes the document that a phase begins with, failures count.
 */
export function settleBranches(
  { phases }: Storyboard,
  results: AgentRun['phases'],
  state: RunState,
): AgentRun['phases'] {
  return results.map(result => {
    const phase = phases.find(({ id }) => id === result.phase_id)
    const flag = phase && findBranch(phase)
    const contributor = flag === undefined ? undefined : findContributor(state, flag)
    if (phase === undefined || contributor === undefined) return result
    if (phase.steps.some(({ id, task }) => id === contributor || state.documents.has(task))) {
      return result
    }
    const settle = (step: StepResult) =>
      step.passed === false
        ? toSkippedResult({ id: step.step }, step.task, 'peer_branch_taken')
        : step
    return { ...result, steps: result.steps.map(settle) }
  })
}

/** Tells of steps that the agent lacks a task for that another step of their phase made up for them. */
export function settleSubstitutes(
  { steps: definitions }: StoryboardPhase,
  results: readonly StepResult[],
): StepResult[] {
  const provided = definitions
    .filter(({ id }) => results.some(({ step, passed }) => step === id && passed))
    .flatMap(({ provides_state_for }) => provides_state_for)
  return results.map(result =>
    provided.includes(result.step) && result.skip_reason === 'missing_tool'
      ? toSkippedResult({ id: result.step }, result.task, 'peer_substituted')
      : result,
  )
}
