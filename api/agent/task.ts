import { z } from 'zod'
import type { Instant } from '../../pipeline/core/clock.ts'
import { TaskError } from './errors.ts'

/** Everything that a task knows besides its arguments. */
export interface TaskContext {
  protocolName: string
  /** Origin of this agent, without a trailing slash. */
  origin: string
  /** Protocols of the tenant that was called, such as `media_buy`. */
  protocols: readonly string[]
  now: Instant
}

/** A task as it is offered and carried out. */
export interface Task {
  name(protocolName: string): string
  title: string
  description: string
  input: z.ZodType
  run(input: never, context: TaskContext): Record<string, unknown>
}

interface TaskDefinition<Input extends z.ZodType> {
  name: string | ((protocolName: string) => string)
  title: string
  description: string
  input: Input
  /** Returns the payload; throws a TaskError where it cannot be done. */
  run(input: z.output<Input>, context: TaskContext): Record<string, unknown>
}

/** Declares a task: its input checks, types and describes the arguments. */
export function defineTask<Input extends z.ZodType>({
  name,
  ...rest
}: TaskDefinition<Input>): Task {
  return { ...rest, name: typeof name === 'string' ? () => name : name }
}

/** Fields that every request may carry; what else is unknown is ignored. */
const Envelope = z.looseObject({
  context: z.looseObject({}).optional().describe('Any object; the answer repeats it'),
})

/** Major versions of the protocol that are spoken here. */
export const MAJOR_VERSIONS = [3]

/** Carries out a task. Throws a TaskError where the arguments are wrong. */
export function runTask(
  task: Task,
  given: Record<string, unknown>,
  context: TaskContext,
): Record<string, unknown> {
  const version = given[`${context.protocolName}_major_version`]
  if (version !== undefined && !MAJOR_VERSIONS.includes(version as number)) {
    throw new TaskError(
      'VERSION_UNSUPPORTED',
      `Version ${JSON.stringify(version)} is not spoken here, only ${MAJOR_VERSIONS.join(', ')}`,
      { field: `${context.protocolName}_major_version` },
    )
  }
  parse(Envelope, given)
  const payload = task.run(parse(task.input, given) as never, context)
  return { status: 'completed', ...payload, ...readContext(given) }
}

/** Reads the context of a request, which each answer repeats, failures too. */
export function readContext(given: Record<string, unknown>): { context?: unknown } {
  return given.context === undefined ? {} : { context: given.context }
}

function parse(schema: z.ZodType, given: unknown): unknown {
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]!
  const field = formatPath(issue.path)
  const isFormatId = issue.path.some(part => /^(?:target_)?format_ids?$/.test(String(part)))
  throw new TaskError(
    isFormatId ? 'INVALID_FORMAT_ID' : 'INVALID_REQUEST',
    `${field}: ${issue.message}`,
    { field },
  )
}

/** A path as callers write it, such as `packages[0].budget`. */
function formatPath(path: readonly PropertyKey[]): string {
  return path
    .map(part => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '')
}
