import type { ValidationResult } from '../model/storyboards/storyboard-check.ts'
import type { CheckKind, Validation } from '../model/storyboards/validation.ts'
import { fieldChecks } from './check-fields.ts'
import { formatSatisfaction } from './check-formats.ts'
import { httpChecks } from './check-http.ts'
import { refsResolve } from './check-refs.ts'
import { upstreamTraffic } from './check-upstream.ts'
import {
  type Finding,
  isPresent,
  type Judged,
  listExpected,
  showOptions,
  type ValidationOf,
} from './judged.ts'
import { readPath } from './read-path.ts'
import { redact } from './redact.ts'

/** Checks by kind. */
const checks: { [Kind in CheckKind]: (validation: ValidationOf<Kind>, judged: Judged) => Finding } =
  {
    ...fieldChecks,
    ...httpChecks,
    refs_resolve: refsResolve,
    canonical_format_satisfaction: formatSatisfaction,
    upstream_traffic: upstreamTraffic,
    error_code: (validation, { outcome: { error } }) => {
      const code = error?.code
      const isAny = validation.value === undefined && validation.allowed_values === undefined
      const expected = isAny ? ['an error with a code'] : listExpected(validation)
      return {
        passed: code !== undefined && (isAny || expected.includes(code)),
        expected: showOptions(expected),
        actual: error === undefined ? 'no error' : (code ?? 'an error without a code'),
      }
    },
    response_schema: (_, { checkSchema, outcome }) => {
      const fault = checkSchema()
      if (fault === undefined || fault === 'valid') {
        return { passed: true, expected: undefined, actual: undefined }
      }
      const path = toPath(fault.place)
      const [actual] = path === '' ? [undefined] : readPath(outcome.payload, path)
      return { passed: false, expected: fault.message, actual, ...(path !== '' && { path }) }
    },
    any_of: ({ allowed_values }, { findContributor }) => ({
      passed: allowed_values.some(flag => findContributor(flag) !== undefined),
      expected: showOptions(allowed_values),
      actual: 'none of them',
    }),
  }

/** Converts a JSON Pointer to a path, as checks have them. */
function toPath(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, part) => {
      if (/^\d+$/.test(part)) return `${path}[${part}]`
      return path === '' ? part : `${path}.${part}`
    }, '')
}

/**
 * Checks an answer. The result has the expected and the actual value only if the check failed; `hide` hides
 * secrets in both.
 */
export function checkAnswer(
  validation: Validation,
  judged: Judged,
  hide: (value: unknown) => unknown = value => value,
): ValidationResult {
  const judge = checks[validation.check] as (validation: Validation, judged: Judged) => Finding
  const { passed, expected, actual, path: found } = judge(validation, judged)
  const path = ('path' in validation ? validation.path : undefined) ?? found
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
