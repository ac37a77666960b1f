import type { FastifySchemaCompiler } from 'fastify'
import type { z } from 'zod'
import { PublicError } from '../pipeline/core/errors.ts'
import { faultWords } from './fault-words.ts'

type Result = { value: unknown } | { error: Error }

/** Checks a part of a request by its schema; a fault is a 400 that names the field. */
export const compileValidator: FastifySchemaCompiler<z.ZodType> =
  ({ schema, httpPart }) =>
  (given): Result => {
    // A body that is not there arrives as null.
    const data = given ?? undefined
    // Asking for our words costs ten times the check itself, so it is only done for a fault.
    const read = schema.safeParse(data)
    if (read.success) return { value: read.data }
    const { error } = schema.safeParse(data, { error: faultWords })
    return { error: new PublicError('invalid_request', textOf(httpPart, error ?? read.error)) }
  }

function textOf(part: string | undefined, { issues }: z.ZodError): string {
  return issues
    .slice(0, 5)
    .map(
      ({ path, message }) => `${path.length > 0 ? nameOf(path) : (part ?? 'request')}: ${message}`,
    )
    .join('; ')
}

const NAME_CHARS = 200

/** `domains[3]`, cut where the caller's own names make it long. */
function nameOf(path: PropertyKey[]): string {
  const name = path
    .map((step, i) =>
      typeof step === 'number' ? `[${step}]` : `${i === 0 ? '' : '.'}${String(step)}`,
    )
    .join('')
  return name.length > NAME_CHARS ? `${name.slice(0, NAME_CHARS)}…` : name
}
