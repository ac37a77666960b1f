import { isDeepStrictEqual } from 'node:util'
import {
  type Check,
  type Finding,
  isPresent,
  type Judged,
  listExpected,
  showOptions,
} from './judged.ts'
import { readPath } from './read-path.ts'

type Expectation = { path: string; value?: unknown; allowed_values?: unknown[] | undefined }

/** Checks of a field. Those of the envelope look at the same object: over MCP its members lie beside the payload’s. */
const present = judgeEach('a value', isPresent)

const absent = ({ path }: { path: string }, { outcome: { payload } }: Judged): Finding => {
  const found = readPath(payload, path).filter(isPresent)
  return { passed: found.length === 0, expected: 'no value', actual: found[0] }
}

function judgeValue(validation: Expectation, judged: Judged): Finding {
  const expected = listExpected(validation)
  const isAllowed = (value: unknown) => expected.some(option => isDeepStrictEqual(option, value))
  return judgeEach(showOptions(expected), isAllowed)(validation, judged)
}

function judgeValueOrAbsent(validation: Expectation, judged: Judged): Finding {
  const values = readPath(judged.outcome.payload, validation.path)
  if (values.every(value => value === undefined)) {
    return { passed: true, expected: undefined, actual: undefined }
  }
  return judgeValue(validation, judged)
}

const contains: Check<'field_contains'> = (validation, { outcome: { payload } }) => {
  const expected = listExpected(validation)
  const values = readPath(payload, validation.path)
  const passed = values.some(value => expected.some(item => hasItem(value, item)))
  return { passed, expected: showOptions(expected), actual: showOptions(values.slice(0, 5)) }
}

function hasItem(value: unknown, item: unknown): boolean {
  if (isDeepStrictEqual(value, item)) return true
  if (Array.isArray(value)) return value.some(member => isDeepStrictEqual(member, item))
  return typeof value === 'string' && typeof item === 'string' && value.includes(item)
}

const equalsContext: Check<'field_equals_context'> = ({ path, context_key }, judged) => {
  // Without the value of the earlier step there is nothing to compare.
  if (!judged.values.has(context_key)) {
    return { passed: true, expected: undefined, actual: undefined }
  }
  return judgeValue({ path, value: judged.values.get(context_key) }, judged)
}

/** Creates a check that at least one value exists at a path, and that all values there pass. */
function judgeEach(expected: unknown, passes: (value: unknown) => boolean) {
  return ({ path }: { path: string }, { outcome: { payload } }: Judged): Finding => {
    const values = readPath(payload, path)
    const wrong = values.findIndex(value => !passes(value))
    return { passed: values.length > 0 && wrong < 0, expected, actual: values[wrong] }
  }
}

const lessThan: Check<'field_less_than'> = (validation, judged) => {
  const isLess = (value: unknown) => typeof value === 'number' && value < validation.value
  return judgeEach(`less than ${validation.value}`, isLess)(validation, judged)
}

export const fieldChecks = {
  field_present: present,
  envelope_field_present: present,
  field_absent: absent,
  envelope_field_absent: absent,
  field_value: judgeValue,
  envelope_field_value: judgeValue,
  field_value_or_absent: judgeValueOrAbsent,
  envelope_field_value_or_absent: judgeValueOrAbsent,
  field_contains: contains,
  field_equals_context: equalsContext,
  field_less_than: lessThan,
}
