import type { z } from 'zod'

type Issue = Parameters<z.core.$ZodErrorMap>[0]

/** Describes a fault in a part of a request in plain words; undefined for the schema's own message. */
export function describeIssue(issue: Issue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return describeType(issue.expected, issue.input)
    case 'invalid_value':
      return describeChoices(issue.values.map(String))
    case 'too_big':
      return isNumber(issue.origin)
        ? `must be at most ${issue.maximum}`
        : `must be at most ${issue.maximum} ${toUnit(issue.origin)}`
    case 'too_small':
      if (isNumber(issue.origin)) return `must be at least ${issue.minimum}`
      return issue.minimum === 1
        ? 'must not be empty'
        : `must be at least ${issue.minimum} ${toUnit(issue.origin)}`
    case 'invalid_format':
      return formats[issue.format] ?? 'has the wrong format'
    case 'invalid_union':
      return issue.input === undefined ? 'is required' : describeUnion(issue.errors)
    case 'unrecognized_keys':
      return `has unknown fields: ${issue.keys.join(', ')}`
    default:
      return undefined
  }
}

/** Describes the values that are allowed. */
export function describeChoices(values: readonly string[]): string {
  return `must be ${values.length < 3 ? '' : 'one of '}${joinChoices(values)}`
}

function describeType(expected: string, input: unknown): string {
  if (input === undefined) return 'is required'
  if (Array.isArray(input) && expected === 'string') return 'must be a single value'
  return `must be ${kinds[expected] ?? `of type ${expected}`}`
}

/** Describes a value that none of several schemas takes, by the types where that is all they want. */
function describeUnion(errors: readonly (readonly z.core.$ZodIssue[])[]): string {
  const types = errors.map(([first]) =>
    first?.code === 'invalid_type' && first.path.length === 0 ? kinds[first.expected] : undefined,
  )
  const known = types.filter(type => type !== undefined)
  // Where a field decides which schema it is, there are none to name.
  if (known.length === 0 || known.length < types.length) return 'has the wrong type'
  return `must be ${joinChoices([...new Set(known)])}`
}

const kinds: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

const formats: Record<string, string> = {
  uuid: 'must be a UUID',
  url: 'must be an address such as https://acme.example/',
  email: 'must be an email address',
  date: 'must be a day such as 2026-11-20',
  datetime: 'must be a date and time such as 2026-11-20T03:00:00Z',
}

/** Joins what may be chosen: `a`, `a or b`, `a, b, or c`. */
export function joinChoices(values: readonly string[]): string {
  if (values.length < 3) return values.join(' or ')
  return `${values.slice(0, -1).join(', ')}, or ${values.at(-1)}`
}

function isNumber(origin: string): boolean {
  return origin === 'number' || origin === 'int' || origin === 'bigint'
}

function toUnit(origin: string): string {
  return origin === 'string' ? 'characters' : 'items'
}

/** Formats a place in a document: `properties[0].name`. */
export function formatPath(path: readonly PropertyKey[]): string {
  return path
    .map((step, i) =>
      typeof step === 'number' ? `[${step}]` : `${i === 0 ? '' : '.'}${String(step)}`,
    )
    .join('')
}
