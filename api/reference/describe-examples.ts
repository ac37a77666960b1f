import { z } from 'zod'
import { NDJSON } from '../responses/ndjson.ts'
import { type AnswerForm, type CodeSample, renderCodeSamples } from './code-samples.ts'
import { type Example, readExamples } from './examples.ts'

/** An operation as far as its example needs it. */
interface Exemplified {
  id: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  isForPeople?: true
  reply: Readonly<Record<number, z.ZodType | { type: string | readonly string[] } | null>>
}

/** The example of an operation in its OpenAPI description; empty if there is none. */
export interface DescribedExample {
  /** Values of parameters, by name. */
  parameters: Readonly<Record<string, string>>
  body?: unknown
  /** Answers by status. */
  answers: Readonly<Record<number, unknown>>
  samples: CodeSample[]
}

/**
 * Says of an example that nobody can repeat as it is what it takes: its id was given to one caller, or its
 * answer depends on a setting or on tests that were run.
 */
export const notRepeatable: Readonly<Record<string, string>> = {
  getCatalogDispute: 'Use an ID that POST /api/registry/catalog/disputes gave you.',
  getPropertyCheck: 'Use an ID that POST /api/properties/check gave you.',
  getIdentifierCheck: 'Use an ID that POST /api/properties/check/bulk gave you.',
  getAgentBadgeToken: 'Use an agent that has this badge.',
  securityContact: 'Answers where the operator has set SECURITY_CONTACT.',
  takeBillingEvent: 'Needs the signature of the billing provider.',
}

/** An ID in a path, which one caller got from the test registry. */
const PATH_ID = /^[^?]*\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![^/?])/

/** Describes the recorded example of an operation. */
export function describeExample(operation: Exemplified, baseUrl: string): DescribedExample {
  const example = readExamples()[operation.id]
  if (example === undefined) return { parameters: {}, answers: {}, samples: [] }
  const { request, status, answer } = example
  const form = {
    answers: toAnswerForm(operation, example),
    isForPeople: operation.isForPeople === true,
  }
  const note =
    notRepeatable[operation.id] ??
    (PATH_ID.test(request.url) ? 'Replace the ID in the path with one of yours.' : undefined)
  return {
    parameters: readParameters(operation.path, request.url),
    ...(request.body !== undefined && { body: request.body }),
    answers: answer === undefined ? {} : { [status]: answer },
    samples: renderCodeSamples(operation.method, baseUrl, request, form).map(sample =>
      addNote(sample, note),
    ),
  }
}

function addNote(sample: CodeSample, note: string | undefined): CodeSample {
  if (note === undefined) return sample
  const mark = sample.lang === 'TypeScript' ? '//' : '#'
  return { ...sample, source: `${mark} ${note}\n${sample.source}` }
}

function toAnswerForm({ reply }: Exemplified, { status }: Example): AnswerForm {
  const body = reply[status]
  if (!body) return 'nothing'
  if (body instanceof z.ZodType) return 'json'
  if (body.type === 'text/event-stream') return 'stream'
  return body.type === NDJSON ? 'lines' : 'text'
}

/** Reads the values of parameters from the address of a request. */
function readParameters(path: string, url: string): Record<string, string> {
  const { pathname, searchParams } = new URL(url, 'http://any.example')
  const pattern = path.replace(/[.]/g, '\\.').replace(/:(\w+)/g, '(?<$1>[^/]+?)')
  const { groups = {} } = new RegExp(`^${pattern}$`).exec(pathname) ?? {}
  const named = Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)])
  return { ...Object.fromEntries(named), ...Object.fromEntries(searchParams) }
}
