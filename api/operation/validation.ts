import type { FastifySchemaCompiler, onRequestHookHandler } from 'fastify'
import { z } from 'zod'
import { describeField } from '../../pipeline/core/error-sentence.ts'
import { PublicError, type PublicErrorName } from '../../pipeline/core/errors.ts'
import { findNearestWord } from '../../pipeline/core/nearest-word.ts'
import { describeIssue, formatPath } from '../../pipeline/core/validation-messages.ts'
import {
  findShortened,
  listMisspelled,
  type Misspelled,
} from '../../pipeline/parse/misspelled-members.ts'
import { findPart } from './unknown-parameters.ts'

type Result = { value: unknown } | { error: Error }

/** Faults shown in an error. */
const FAULTS_SHOWN_MAX = 5
/** Faults that are described, including those of the alternatives of a union. */
const FAULTS_DESCRIBED_MAX = 1_000
/** Items of all lists in a body; no operation that checks items one by one accepts more. */
const ITEMS_MAX = 30_000

/** Counts the items of every list in a JSON value; stops beyond `max`. */
function countItems(value: unknown, max: number): number {
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return 0
  let count = Array.isArray(value) ? value.length : 0
  for (const member of Object.values(value)) {
    if (count > max) break
    count += countItems(member, max - count)
  }
  return count
}

/** Creates an error map that describes the first faults only, which include all that are shown. */
function createErrorMap(): typeof describeIssue {
  let described = 0
  return issue => (described++ < FAULTS_DESCRIBED_MAX ? describeFault(issue) : '')
}

/** Describes a fault, and of a name or value that is none of several the one that was most likely meant. */
function describeFault(issue: Parameters<typeof describeIssue>[0]): string | undefined {
  const text = describeIssue(issue)
  if (issue.code === 'unrecognized_keys' && issue.inst instanceof z.ZodObject) {
    const [name = ''] = issue.keys
    const known = findPart(name, Object.keys(issue.inst.shape))
    return known === undefined ? text : `${text}. Did you mean \`${known}\`?`
  }
  if (issue.code !== 'invalid_value' || issue.values.length === 1) return text
  const { input } = issue
  const meant =
    typeof input === 'string' ? findNearestWord(input, issue.values.map(String)) : undefined
  return meant === undefined ? text : `${text}. Did you mean ${JSON.stringify(meant)}?`
}

/** Chooses another public error than `invalid_request` for the first fault of a body. */
type FaultNamer = (issue: z.core.$ZodIssue) => { error: PublicErrorName; field: string }

/** Compiles the check of a part of a request by its schema; a fault is a 400 that names the field. */
export const compileValidator: FastifySchemaCompiler<z.ZodType> = route => createCheck(route)

/** Creates the check of a path that refuses a wrong one before a credential is required. */
export function createPathCheck(schema: z.ZodType): onRequestHookHandler {
  const check = createCheck({ schema, httpPart: 'params' })
  return ({ params }, _reply, done) => {
    const result = check(params)
    done('error' in result ? result.error : undefined)
  }
}

function createCheck(
  {
    schema,
    httpPart,
  }: Pick<Parameters<FastifySchemaCompiler<z.ZodType>>[0], 'schema' | 'httpPart'>,
  nameFault?: FaultNamer,
): (input: unknown) => Result {
  // A body that keeps unknown fields is a file: its own checks report misspelled members.
  const catchall = schema instanceof z.ZodObject ? schema.def.catchall : undefined
  const keepsUnknown = catchall !== undefined && !(catchall instanceof z.ZodNever)
  const isChecked = httpPart === 'body' && !keepsUnknown
  return input => {
    // An absent body arrives as null.
    const data = input ?? undefined
    // Describing faults costs ten times the check itself, so it is only done after a failure.
    const read = schema.safeParse(data)
    const [misspelled] = isChecked ? listMisspelled(schema, data) : []
    if (misspelled !== undefined) return { error: refuseMisspelled(misspelled) }
    if (read.success) return { value: read.data }
    const shortened = isChecked ? findShortened(read.error, data) : undefined
    if (shortened !== undefined) return { error: refuseMisspelled(shortened) }
    const { error } = schema.safeParse(data, { error: createErrorMap(), reportInput: true })
    const faults = error ?? read.error
    const [first] = faults.issues
    const named = httpPart === 'body' && first ? nameFault?.(first) : undefined
    const { error: name = 'invalid_request' as const, ...field } = named ?? {}
    const text = describeIssues(httpPart, faults)
    return { error: new PublicError(name, text, { ...findChoices(faults), ...field }) }
  }
}

/**
 * Compiles a check that first refuses a body with too many items in its lists: each of hundreds of
 * thousands of invalid items would become a fault, which takes seconds.
 */
export function createBoundedCompiler(nameFault?: FaultNamer): FastifySchemaCompiler<z.ZodType> {
  return route => {
    const check = createCheck(route, nameFault)
    if (route.httpPart !== 'body') return check
    return input => {
      if (countItems(input, ITEMS_MAX) <= ITEMS_MAX) return check(input)
      const text = `body: must have at most ${ITEMS_MAX} items in its lists`
      return { error: new PublicError('invalid_request', text) }
    }
  }
}

/** Refuses a misspelled field: left out, it would mean everything. Other unknown fields are ignored. */
function refuseMisspelled({ place, name, meant }: Misspelled): PublicError {
  const field = formatFieldPath(place === '' ? [name] : [place, name])
  return new PublicError(
    'invalid_request',
    `Unknown field \`${field}\`. Did you mean \`${meant}\`?`,
  )
}

/** Finds the allowed values, if the schema lists them with its fault. */
function findChoices({ issues }: z.ZodError): { valid_values?: unknown } {
  for (const issue of issues) {
    const valid_values = issue.code === 'custom' ? issue.params?.valid_values : undefined
    if (valid_values !== undefined) return { valid_values }
  }
  return {}
}

function describeIssues(part: string | undefined, { issues }: z.ZodError): string {
  return issues
    .slice(0, FAULTS_SHOWN_MAX)
    .map(({ path, message }) =>
      describeField(path.length > 0 ? formatFieldPath(path) : (part ?? 'request'), message),
    )
    .join(' ')
}

const NAME_CHARS_MAX = 200

/** Formats a field such as `domains[3]`; cut if the caller's own names make it long. */
function formatFieldPath(path: PropertyKey[]): string {
  const name = formatPath(path)
  return name.length > NAME_CHARS_MAX ? `${name.slice(0, NAME_CHARS_MAX)}…` : name
}
