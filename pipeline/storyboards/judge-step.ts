import type { StoryboardStep, Validation } from '../model/storyboards/storyboard.ts'
import type { ValidationResult } from '../model/storyboards/storyboard-check.ts'
import type { StepResult } from '../model/storyboards/storyboard-result.ts'
import type { AgentAnswer } from './agent-session.ts'
import { checkAnswer, type TaskOutcome } from './check-answer.ts'
import { readPath } from './read-path.ts'
import { shortenText } from './redact.ts'
import { applyProtocolName, type RunContext } from './references.ts'

/** Judges the answer to a step by its checks, and keeps the values that later steps use. */
export function judgeStep(
  step: StoryboardStep,
  planned: { task: string; validations: readonly Validation[] },
  answer: AgentAnswer,
  context: RunContext & { values: Map<string, unknown> },
): StepResult {
  const { exchange, hide, tookMs: duration_ms } = answer
  const result = { step: step.id, task: planned.task, duration_ms, exchange }
  if (answer.kind === 'silent') {
    return { ...result, passed: false, error: hide(answer.message), validations: [] }
  }
  const { outcome } = answer
  const success = checkSuccess(step, outcome)
  const validations = [
    success,
    // An answer of the wrong kind has none of the fields, so further checks would only repeat the fault.
    ...(success.passed ? planned.validations.map(rule => checkAnswer(rule, outcome, hide)) : []),
  ]
  const passed = validations.every(check => check.passed)
  if (outcome.error === undefined) keepOutputs(step, outcome, context)
  const error =
    passed || outcome.error === undefined ? undefined : describeError(hide(outcome.error))
  return { ...result, passed, validations, ...(error !== undefined && { error }) }
}

function checkSuccess({ expect_error }: StoryboardStep, { error }: TaskOutcome): ValidationResult {
  const passed = (error !== undefined) === expect_error
  const [expected, actual] = expect_error
    ? ['a refusal', 'the task was carried out']
    : ['the task is carried out', 'the task was refused']
  return {
    check: 'success',
    passed,
    description: expect_error ? 'The agent refuses the task' : 'The agent carries out the task',
    ...(!passed && { expected }),
    ...(!passed && { actual }),
  }
}

function keepOutputs(
  { context_outputs }: StoryboardStep,
  { payload }: TaskOutcome,
  { values, protocolName }: RunContext & { values: Map<string, unknown> },
): void {
  for (const { name, path } of context_outputs) {
    const [value] = readPath(payload, applyProtocolName(path, protocolName))
    if (value !== undefined && value !== null) values.set(name, value)
  }
}

/** Describes an error by its code, which is a word of the protocol, and the agent's message, which is cut. */
function describeError({ code, message }: { code?: string; message?: string }): string {
  const named =
    code === undefined ? 'refused without an error code' : `refused with ${shortenText(code)}`
  return message === undefined ? named : `${named}: ${shortenText(message)}`
}
