import type { z } from 'zod'
import { describeIssue, formatPath } from '../core/validation-messages.ts'
import type { FaultCode } from '../model/fault-codes.ts'
import type { Fault } from '../model/observation.ts'
import type { Faults } from './faults.ts'
import { describeChoice, describeNoString, joinAlternatives } from './suggestions.ts'

/** Unknown members of an object that are reported. */
const NAMED_MAX = 5

/**
 * Adds what the format of a file forbids, unless a known fault is at the same place, around it or within it. The
 * crawler reads such a file, other readers may refuse it.
 */
export function addFormatFaults(
  faults: Faults,
  format: z.ZodType,
  file: unknown,
  severity: Fault['severity'],
): void {
  if (format.safeParse(file).success) return
  const taken = collectPlaces(faults.list())
  const reported = new Set<string>()
  const { error } = format.safeParse(file, { error: describe, reportInput: true })
  for (const issue of (error?.issues ?? []).flatMap(chooseIssues)) {
    const field = formatPath(issue.path) || 'root'
    const isKnown = taken.within.has(field) || listPlacesAround(field).some(at => taken.at.has(at))
    if (isKnown || reported.has(field)) continue
    reported.add(field)
    faults[severity === 'error' ? 'error' : 'warn'](field, toFaultCode(issue), toMessage(issue))
  }
}

type Issue = z.core.$ZodIssue

/** Converts an issue to a message; that of a value out of a list takes time, and is only written if it is needed. */
function toMessage(issue: Issue): string | (() => string) {
  if (issue.code !== 'invalid_value' || issue.input === undefined) return issue.message
  return () => describeChoice(issue.input, issue.values.map(String))
}

/** Replaces an unknown member's issue by one at each member, and that of a union by those of the form it is nearest to. */
function chooseIssues(issue: Issue): Issue[] {
  if (issue.code === 'unrecognized_keys') {
    const message = 'is an unknown field: remove it'
    return issue.keys
      .slice(0, NAMED_MAX)
      .map(key => ({ ...issue, path: [...issue.path, key], message }))
  }
  if (issue.code !== 'invalid_union') return [issue]
  // A form that fails only further within has the right type.
  const form = issue.errors.find(issues => issues.every(({ path }) => path.length > 0))
  if (form === undefined) return [issue]
  return form.flatMap(within => chooseIssues({ ...within, path: [...issue.path, ...within.path] }))
}

/** Collects the places of errors, and the places at and around all faults. */
function collectPlaces(faults: readonly Fault[]): { at: Set<string>; within: Set<string> } {
  const errors = faults.filter(({ severity }) => severity === 'error')
  return {
    at: new Set(errors.map(({ field }) => field)),
    within: new Set(faults.flatMap(({ field }) => listPlacesAround(field))),
  }
}

/** Lists a place such as `a[0].b` and those around it: `a[0]` and `a`. */
function listPlacesAround(field: string): string[] {
  return [...field.matchAll(/[.[]/g)].map(({ index }) => field.slice(0, index)).concat(field)
}

/** Examples of members that many files lack, by their names. */
const examples: Readonly<Record<string, string>> = {
  'house.name': 'the company name, such as "Acme Inc."',
  'contact.name': 'the company name, such as "Acme Inc."',
  name: 'a name, such as "Acme"',
  names: 'a list of names, such as [{ "en": "Acme" }]',
  id: 'an ID, such as "acme"',
  url: 'a URL, such as "https://acme.example"',
  email: 'an email address, such as ads@acme.example',
}

function describe(issue: Parameters<typeof describeIssue>[0]): string | undefined {
  if (issue.code === 'invalid_type' && issue.input === undefined) {
    const kind = describeIssue({ ...issue, input: null })?.replace(/^must be /, '')
    const at = issue.path?.slice(-2).map(String) ?? []
    return `is missing: add ${examples[at.join('.')] ?? examples[at.at(-1) ?? ''] ?? kind}`
  }
  if (issue.code === 'invalid_type' && issue.expected === 'string') {
    return describeNoString(issue.input)
  }
  if (issue.code === 'invalid_value') {
    const rule = `must be ${joinAlternatives(issue.values)}`
    return issue.input === undefined ? `is missing, ${rule}` : rule
  }
  if (issue.code === 'too_small' && issue.minimum === 1) {
    return issue.origin === 'array'
      ? 'is empty: add at least one, or leave it out'
      : 'is empty: leave it out, or add a value'
  }
  return describeIssue(issue)
}

function toFaultCode(issue: Issue): FaultCode {
  switch (issue.code) {
    case 'invalid_type':
      return issue.message.startsWith('is missing') ? 'missing' : 'wrong_type'
    case 'too_small':
      return 'empty'
    case 'too_big':
      return 'too_long'
    case 'invalid_value':
    case 'invalid_union':
      return 'not_allowed'
    case 'unrecognized_keys':
      return 'misplaced'
    case 'custom':
      return issue.params?.code === 'repeated' ? 'repeated' : 'bad_pattern'
    default:
      return 'bad_pattern'
  }
}
