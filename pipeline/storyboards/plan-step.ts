import type { StoryboardPhase, StoryboardStep } from '../model/storyboards/storyboard.ts'
import type { SkipReason, StepResult } from '../model/storyboards/storyboard-result.ts'
import type { UnknownValidation, Validation } from '../model/storyboards/validation.ts'
import type { JsonObject } from '../parse/object-reader.ts'
import { buildRequest, resolveTask } from './build-request.ts'
import { applyProtocolName, resolveReferences } from './references.ts'
import type { RunState } from './run-state.ts'
import { checkSchema } from './schemas.ts'
import { moveDates } from './shift-dates.ts'
import type { WebhookInbox } from './webhook-inbox.ts'

export type PlannedValidation = Validation | UnknownValidation

/** A step to be run or skipped. */
export type PlannedStep =
  | {
      kind: 'call'
      task: string
      args: Record<string, unknown>
      validations: PlannedValidation[]
    }
  /** A document of the agent’s host is read, or what earlier steps did is judged. */
  | { kind: 'fetch'; task: string; validations: PlannedValidation[] }
  | { kind: 'judge'; task: string; validations: PlannedValidation[] }
  /** Webhooks are awaited that an earlier step made the agent post. */
  | { kind: 'await'; task: string; inbox: WebhookInbox }
  | { kind: 'skip'; task: string; reason: SkipReason }

/** Steps that call no task of an agent, by what the runner does. */
export const runnerTasks: Readonly<Record<string, 'fetch' | 'judge' | 'await' | SkipReason>> = {
  assert_contribution: 'judge',
  protected_resource_metadata: 'fetch',
  oauth_auth_server_metadata: 'fetch',
  request_signing_probe: 'unsatisfied_contract',
  expect_webhook: 'await',
  expect_webhook_retry_keys_stable: 'await',
  expect_webhook_signature_valid: 'await',
  expect_substitution_safe: 'unsatisfied_contract',
}

/** Decides whether a step can be run, and with which request. */
export function planStep(
  step: StoryboardStep,
  phase: StoryboardPhase,
  state: RunState,
): PlannedStep {
  const task = resolveTask(step, state)
  const skip = (reason: SkipReason): PlannedStep => ({ kind: 'skip', task, reason })
  const how = Object.hasOwn(runnerTasks, task) ? runnerTasks[task] : 'call'
  if (how === 'await') {
    const { inbox } = state
    return inbox === undefined ? skip('unsatisfied_contract') : { kind: how, task, inbox }
  }
  if (how !== 'call' && how !== 'fetch' && how !== 'judge') return skip(how ?? 'not_applicable')
  const lack = how === 'call' ? findLack(step, task, state) : undefined
  if (lack !== undefined) return skip(lack)
  if (phase.depends_on.some(id => state.brokenPhases.has(id))) return skip('prerequisite_failed')
  if (step.stateful && state.hasBrokenState) return skip('prerequisite_failed')
  const validations = planValidations(step, state)
  if (validations === undefined) return skip('prerequisite_failed')
  if (how !== 'call') return { kind: how, task, validations }
  const request = buildRequest(step, task, state)
  if ('missing' in request) return skip('prerequisite_failed')
  if (isSpoiled(step, request.args, state)) return skip('invalid_request')
  return { kind: 'call', task, args: request.args, validations }
}

/**
 * Tells whether a value of an earlier answer makes a request break its schema, so that an agent would refuse
 * it rightly. What a storyboard itself writes is sent as it stands.
 */
function isSpoiled(
  { schema_ref, sample_request, context_inputs, expect_error, negative_path }: StoryboardStep,
  args: JsonObject,
  { storyboard: { source }, context }: RunState,
): boolean {
  if (source.schemas === undefined || schema_ref === undefined) return false
  if (expect_error && negative_path !== 'payload_well_formed') return false
  if (context_inputs.length === 0 && !JSON.stringify(sample_request).includes('$context.')) {
    return false
  }
  const fault = checkSchema(source.schemas, schema_ref, args, context.protocolName)
  return fault !== undefined && fault !== 'valid'
}

function findLack(
  { requires_tool }: StoryboardStep,
  task: string,
  { tools, context }: RunState,
): SkipReason | undefined {
  const needed = [task, ...(requires_tool ? [requires_tool] : [])]
  const lacks = needed
    .map(name => applyProtocolName(name, context.protocolName))
    .filter(name => !tools.has(name))
  if (lacks.length === 0) return undefined
  return lacks.includes('comply_test_controller') ? 'missing_test_controller' : 'missing_tool'
}

function planValidations(
  { validations }: StoryboardStep,
  { context, shiftMs }: RunState,
): PlannedValidation[] | undefined {
  const resolved = resolveReferences(validations, context)
  if ('missing' in resolved) return undefined
  const planned = moveDates(resolved.value, shiftMs) as PlannedValidation[]
  return planned.map(validation =>
    'path' in validation && validation.path !== undefined
      ? { ...validation, path: applyProtocolName(validation.path, context.protocolName) }
      : validation,
  )
}

/** Reasons that say nothing of the state which later steps build on. */
const harmless: ReadonlySet<SkipReason> = new Set([
  'unsatisfied_contract',
  'not_applicable',
  'peer_substituted',
  'unknown_check',
  'no_upstream_record',
])

/** Records a failed or skipped step, so that steps that depend on it are skipped. */
export function recordResult(
  state: RunState,
  phase: StoryboardPhase,
  step: StoryboardStep,
  { passed, skip_reason }: Pick<StepResult, 'passed' | 'skip_reason'>,
): void {
  if (passed === true) return
  if (skip_reason !== undefined && harmless.has(skip_reason)) return
  state.brokenPhases.add(phase.id)
  if (step.stateful && !isReplaceable(phase, step, skip_reason)) state.hasBrokenState = true
}

/** Tells whether a task that the agent lacks set up nothing that others of its phase would build on. */
function isReplaceable(
  { steps }: StoryboardPhase,
  { id }: StoryboardStep,
  reason: SkipReason | undefined,
): boolean {
  if (reason !== 'missing_tool' && reason !== 'missing_test_controller') return false
  return (
    !steps.some(other => other.stateful && other.id !== id) ||
    steps.some(({ provides_state_for }) => provides_state_for.includes(id))
  )
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
