import { isDeepStrictEqual } from 'node:util'
import type { CheckKind, Validation } from '../model/storyboards/storyboard.ts'
import type { ValidationResult } from '../model/storyboards/storyboard-check.ts'
import { readPath } from './read-path.ts'
import { redact } from './redact.ts'

/** Answer of an agent to a task: its payload, or the code of the error by which it refused. */
export interface TaskOutcome {
  payload: Record<string, unknown>
  /** Present if the agent refused; `body` is the whole error as the agent sent it. */
  error?: { code?: string; message?: string; body?: Record<string, unknown> }
  /** The payload was read from a text of the result, as it has no structured content. */
  isFromText?: true
}

type ValidationOf<Kind extends CheckKind> = Extract<Validation, { check: Kind }>
type Checks = {
  [Kind in CheckKind]: (validation: ValidationOf<Kind>, outcome: TaskOutcome) => Finding
}

interface Finding {
  passed: boolean
  expected: unknown
  actual: unknown
}

const isPresent = (value: unknown) => value !== undefined && value !== null

/** Checks by kind. */
const checks: Checks = {
  field_present: judgeEach('a value', isPresent),
  field_absent: ({ path }, { payload }) => {
    const found = readPath(payload, path).filter(isPresent)
    return { passed: found.length === 0, expected: 'no value', actual: found[0] }
  },
  field_value: (validation, outcome) => {
    const expected = validation.allowed_values ?? [validation.value]
    const isAllowed = (value: unknown) => expected.some(option => isDeepStrictEqual(option, value))
    return judgeEach(showOptions(expected), isAllowed)(validation, outcome)
  },
  field_contains: (validation, outcome) =>
    judgeEach(validation.value, value => hasItem(value, validation.value))(validation, outcome),
  field_pattern: (validation, outcome) => {
    const pattern = new RegExp(validation.value, 'u')
    const isMatch = (value: unknown) => typeof value === 'string' && pattern.test(value)
    return judgeEach(validation.value, isMatch)(validation, outcome)
  },
  field_greater_than: (validation, outcome) =>
    judgeEach(
      `more than ${validation.value}`,
      value => typeof value === 'number' && value > validation.value,
    )(validation, outcome),
  field_less_than: (validation, outcome) =>
    judgeEach(
      `less than ${validation.value}`,
      value => typeof value === 'number' && value < validation.value,
    )(validation, outcome),
  array_length: (validation, outcome) => {
    const { min = 0, max = Number.POSITIVE_INFINITY } = validation
    const bounds = max === Number.POSITIVE_INFINITY ? `at least ${min}` : `${min} to ${max}`
    const isWithinBounds = (value: unknown) =>
      Array.isArray(value) && value.length >= min && value.length <= max
    return judgeEach(`a list of ${bounds} items`, isWithinBounds)(validation, outcome)
  },
  error_code: ({ value, allowed_values }, { error }) => {
    const expected = allowed_values ?? [value]
    return {
      passed: error?.code !== undefined && expected.includes(error.code),
      expected: showOptions(expected),
      actual: error === undefined ? 'no error' : (error.code ?? 'an error without a code'),
    }
  },
}

/** Creates a check that at least one value exists at a path, and that all values there pass. */
function judgeEach(expected: unknown, passes: (value: unknown) => boolean) {
  return ({ path }: { path: string }, { payload }: TaskOutcome): Finding => {
    const values = readPath(payload, path)
    const wrong = values.findIndex(value => !passes(value))
    return { passed: values.length > 0 && wrong < 0, expected, actual: values[wrong] }
  }
}

function hasItem(value: unknown, item: unknown): boolean {
  if (Array.isArray(value)) return value.some(member => isDeepStrictEqual(member, item))
  return typeof value === 'string' && typeof item === 'string' && value.includes(item)
}

function showOptions(options: readonly unknown[]): unknown {
  return options.length === 1 ? options[0] : options
}

/**
 * Checks an answer. The result has the expected and the actual value only if the check failed; `hide` hides
 * secrets in both.
 */
export function checkAnswer(
  validation: Validation,
  outcome: TaskOutcome,
  hide: (value: unknown) => unknown = value => value,
): ValidationResult {
  const judge = checks[validation.check] as Checks[CheckKind] as (
    validation: Validation,
    outcome: TaskOutcome,
  ) => Finding
  const { passed, expected, actual } = judge(validation, outcome)
  const path = 'path' in validation ? validation.path : undefined
  return {
    check: validation.check,
    passed,
    description: validation.description ?? describe(validation.check, path),
    ...(path !== undefined && { path }),
    ...(!passed && {
      expected: hide(expected),
      actual: isPresent(actual) ? redact(hide(actual), path) : null,
    }),
  }
}

function describe(check: CheckKind, path: string | undefined): string {
  return path === undefined ? check : `${check} of ${path}`
}
