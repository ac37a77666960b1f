import type { StoryboardStep } from '../model/storyboards/storyboard.ts'
import type { ValidationResult } from '../model/storyboards/storyboard-check.ts'
import type { SkipReason, StepResult } from '../model/storyboards/storyboard-result.ts'
import type { Validation } from '../model/storyboards/validation.ts'
import { isObject, type JsonObject } from '../parse/object-reader.ts'
import type { AgentAnswer } from './agent-session.ts'
import { checkAnswer } from './check-answer.ts'
import { checkAnswerInvariants, checkRunInvariants } from './invariants.ts'
import type { Judged, TaskOutcome, UpstreamRecord } from './judged.ts'
import type { PlannedStep, PlannedValidation } from './plan-step.ts'
import { readPath } from './read-path.ts'
import { shortenText } from './redact.ts'
import { applyProtocolName } from './references.ts'
import { findContributor, type RunState } from './run-state.ts'
import { checkSchema } from './schemas.ts'
import { toCompletionPath, unfinished } from './wait-for-completion.ts'

/** Facts that came after the answer: what a submitted task came to, and what the agent called upstream. */
interface Aftermath {
  completion?: JsonObject | undefined
  upstream?: UpstreamRecord | undefined
}

/** Judges the answer to a step by its checks, and keeps the values that later steps use. */
export function judgeStep(
  step: StoryboardStep,
  planned: Extract<PlannedStep, { kind: 'call' | 'fetch' }>,
  answer: AgentAnswer,
  state: RunState,
  { completion, upstream }: Aftermath = {},
): StepResult {
  const { exchange, hide, hasCredential, tookMs: duration_ms } = answer
  const result = { step: step.id, task: planned.task, duration_ms, exchange }
  if (answer.kind === 'silent') {
    return { ...result, passed: false, error: hide(answer.message), validations: [] }
  }
  const { outcome, http } = answer
  if (unfinished.has(outcome.payload.status)) state.submitted.add(step.id)
  const args = planned.kind === 'call' ? planned.args : {}
  const judged = { outcome, http, request: args, upstream }
  const answered = { step, task: planned.task, args, outcome, hasCredential }
  // Which credentials an agent takes shows in the status, whatever became of the task.
  const success = step.auth === undefined ? [checkSuccess(step, outcome, hide)] : []
  const isOfKind = success.every(({ passed }) => passed)
  const validations = [
    ...success,
    // An answer of the wrong kind has none of the fields, so further checks would only repeat the fault.
    ...(isOfKind ? checkAll(step, planned.validations, judged, state, hide) : []),
    ...checkAnswerInvariants(answered),
  ]
  const isRight = () => validations.every(({ passed }) => passed)
  if (isRight()) validations.push(...checkRunInvariants(answered, state))
  if (isRight() && outcome.error === undefined) {
    validations.push(
      ...keepOutputs(step, planned.task, { payload: outcome.payload, completion }, state),
    )
  }
  const passed = isRight()
  const error =
    passed || outcome.error === undefined ? undefined : describeError(hide(outcome.error))
  const found = { ...result, passed, validations, ...(error !== undefined && { error }) }
  const skip_reason = findDoubt(validations, planned.validations, upstream)
  return skip_reason === undefined ? found : { ...found, passed: null, skipped: true, skip_reason }
}

const COUNT = 'pagination.total_count'

/**
 * Finds why an answer says nothing about the agent: a check is not known, or others have used the account, so
 * that there is more in it than the storyboard has set up.
 */
function findDoubt(
  results: readonly ValidationResult[],
  planned: readonly PlannedValidation[],
  upstream: UpstreamRecord | undefined,
): SkipReason | undefined {
  const failed = results.filter(({ passed }) => !passed)
  const needs = (kind: string) => failed.length === 0 && planned.some(({ check }) => check === kind)
  if (needs('unknown')) return 'unknown_check'
  if (upstream === undefined && needs('upstream_traffic')) return 'no_upstream_record'
  const isFuller = failed.some(
    ({ path, expected, actual }) =>
      path === COUNT && typeof expected === 'number' && Number(actual) > expected,
  )
  return isFuller ? 'shared_state' : undefined
}

/** Checks an answer by all rules of a step that the registry knows. */
export function checkAll(
  step: StoryboardStep,
  planned: readonly PlannedValidation[],
  answer: Pick<Judged, 'outcome' | 'http' | 'request' | 'upstream'>,
  state: RunState,
  hide: <Value>(value: Value) => Value = value => value,
): ValidationResult[] {
  const { storyboard, context, agentUrl } = state
  const judged: Judged = {
    ...answer,
    agentUrl,
    values: context.values,
    findContributor: flag => findContributor(state, flag),
    checkSchema() {
      const { schemas } = storyboard.source
      const { response_schema_ref: file } = step
      if (schemas === undefined || file === undefined) return undefined
      return checkSchema(schemas, file, answer.outcome.payload, context.protocolName)
    },
  }
  return (
    planned
      .filter((rule): rule is Validation => rule.check !== 'unknown')
      // Of a schema that the bundle names and the package lacks, or a record that the agent does not keep, nothing is said.
      .filter(rule => rule.check !== 'response_schema' || judged.checkSchema() !== undefined)
      .filter(rule => rule.check !== 'upstream_traffic' || answer.upstream !== undefined)
      .map(rule => checkAnswer(rule, judged, hide))
  )
}

function checkSuccess(
  { expect_error }: StoryboardStep,
  { error }: TaskOutcome,
  hide: (text: string) => string,
): ValidationResult {
  const passed = (error !== undefined) === expect_error
  const [expected, actual] = expect_error
    ? ['a refusal', 'the task was carried out']
    : ['the task is carried out', `the task was ${describeRefusal(hide(error?.code ?? ''))}`]
  return {
    check: 'success',
    passed,
    description: expect_error ? 'The agent refuses the task' : 'The agent carries out the task',
    ...(!passed && { expected }),
    ...(!passed && { actual }),
  }
}

/** Values that steps hand on without saying so, by task. */
const usualOutputs: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  create_media_buy: { media_buy_id: 'media_buy_id' },
  create_content_standards: { content_standards_id: 'standards_id' },
}

/** Members of a product that later steps need; all of it would be too much to hand on. */
const PRODUCT_MEMBERS = ['product_id', 'format_ids', 'format_options', 'pricing_options']
const PRODUCTS_MAX = 20

/** Keeps the values that later steps use, and names those that are missing. */
function keepOutputs(
  { context_outputs }: StoryboardStep,
  task: string,
  { payload, completion = payload }: { payload: JsonObject; completion: JsonObject | undefined },
  { context: { values, generate, protocolName } }: RunState,
): ValidationResult[] {
  for (const [name, path] of Object.entries(usualOutputs[task] ?? {})) {
    const [value] = readPath(payload, path)
    if (isUsable(value)) values.set(name, value)
  }
  if (task === 'get_products') values.set('products', listProducts(payload))
  return context_outputs.flatMap(({ name, path, generate: isMade }) => {
    if (path === undefined || isMade) {
      values.set(name, generate(name))
      return []
    }
    const inner = toCompletionPath(path)
    const source = inner === path ? payload : completion
    const [value] = readPath(source, applyProtocolName(inner, protocolName))
    if (isUsable(value)) {
      values.set(name, value)
      return []
    }
    const description = `A value that later steps need: ${name}`
    return [
      { check: 'output', passed: false, description, path, expected: 'a value', actual: null },
    ]
  })
}

const isUsable = (value: unknown) => value !== undefined && value !== null && value !== ''

/** Lists what later steps need of the products in an answer. */
export function listProducts({ products }: JsonObject): JsonObject[] {
  const list = Array.isArray(products) ? products.filter(isObject).slice(0, PRODUCTS_MAX) : []
  return list.map(product => Object.fromEntries(PRODUCT_MEMBERS.map(name => [name, product[name]])))
}

/** Describes an error by its code, which is a word of the protocol, and the agent's message, which is cut. */
function describeError({ code, message }: { code?: string; message?: string }): string {
  const named = describeRefusal(code)
  return message === undefined ? named : `${named}: ${shortenText(message)}`
}

const describeRefusal = (code = '') =>
  code === '' ? 'refused without an error code' : `refused with ${shortenText(code)}`
