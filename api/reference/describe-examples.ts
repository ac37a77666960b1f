import { z } from 'zod'
import { getAt } from '../../pipeline/core/present.ts'
import type { Parameter } from '../operation/openapi-document.ts'
import { listPathParameters, type Operation } from '../operation/operation.ts'
import { NDJSON } from '../responses/ndjson.ts'
import { type AnswerForm, type CodeSample, renderCodeSamples } from './code-samples.ts'
import { type Example, readExamples } from './examples.ts'

/** The example of an operation in its OpenAPI description; empty if there is none. */
export interface DescribedExample {
  /** Values of parameters, by name. */
  parameters: Readonly<Record<string, string>>
  body?: unknown
  /** Answers by status. */
  answers: Readonly<Record<number, unknown>>
  samples: CodeSample[]
}

/** Describes the recorded example of an operation. */
export function describeExample(operation: Operation, baseUrl: string): DescribedExample {
  const example = readExamples()[operation.id]
  if (example === undefined) return { parameters: {}, answers: {}, samples: [] }
  const { request, status, answer } = example
  const form = toAnswerForm(operation, example)
  return {
    parameters: readParameters(operation, request.url),
    ...(request.body !== undefined && { body: request.body }),
    answers: answer === undefined ? {} : { [status]: answer },
    samples: renderCodeSamples(operation.method, baseUrl, request, form),
  }
}

function toAnswerForm({ reply }: Operation, { status }: Example): AnswerForm {
  const body = reply[status]
  if (!body) return 'nothing'
  if (body instanceof z.ZodType) return 'json'
  if (body.type === 'text/event-stream') return 'stream'
  return body.type === NDJSON ? 'lines' : 'text'
}

/** Reads the values of parameters from the address of a request. */
function readParameters({ path }: Operation, url: string): Record<string, string> {
  const { pathname, searchParams } = new URL(url, 'http://any.example')
  const pattern = path.replace(/[.]/g, '\\.').replace(/:\w+/g, '([^/]+?)')
  const [, ...values] = new RegExp(`^${pattern}$`).exec(pathname) ?? []
  const named = listPathParameters(path).map((name, at) => [
    name,
    decodeURIComponent(getAt(values, at)),
  ])
  return { ...Object.fromEntries(named), ...Object.fromEntries(searchParams) }
}

/** Adds to a parameter its value in the example, typed as its schema has it. */
export function addParameterExample(parameter: Parameter, value?: string): Parameter {
  if (value === undefined) return parameter
  const { type } = parameter.schema
  const isTyped = type === 'integer' || type === 'number' || type === 'boolean'
  return { ...parameter, example: isTyped ? JSON.parse(value) : value }
}
