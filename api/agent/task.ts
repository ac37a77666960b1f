import { z } from 'zod'
import { getFirst } from '../../pipeline/core/present.ts'
import { describeIssue, formatPath } from '../../pipeline/core/validation-messages.ts'
import { TaskError } from './errors.ts'
import { checkVersion, describeVersion } from './protocol-version.ts'
import { IdempotencyKey, runOnce, toOwner } from './state/idempotency.ts'
import type { TaskContext } from './task-context.ts'
import { queueCompletion, readTarget } from './webhooks/outbox.ts'

type Payload = Record<string, unknown>

/** A task of the protocol: how it is described, and how it runs. */
export interface Task {
  name(protocolName: string): string
  title: string
  description: string
  input: z.ZodType
  /** True if it changes something: it then takes an idempotency_key and runs once for each. */
  mutates: boolean
  run(input: never, context: TaskContext): Payload
}

interface TaskDefinition<Input extends z.ZodObject> {
  name: string | ((protocolName: string) => string)
  title: string
  description: string
  input: Input
  mutates?: boolean
  /** Returns the payload; throws a TaskError if the task cannot be carried out. */
  run(input: z.output<Input>, context: TaskContext): Payload
}

/** Declares a task: its input checks, types and describes the arguments. */
export function defineTask<Input extends z.ZodObject>(definition: TaskDefinition<Input>): Task {
  const { name, input, mutates = false, ...rest } = definition
  return {
    ...rest,
    name: typeof name === 'string' ? () => name : name,
    input: mutates ? input.extend(Keyed.shape) : input,
    mutates,
  }
}

const Keyed = z.object({ idempotency_key: IdempotencyKey })

/** Fields that every request may carry; other unknown fields are ignored. */
const Envelope = z.looseObject({
  context: z.looseObject({}).optional().describe('Any object, which the answer repeats'),
})

/** Runs a task. Throws a TaskError if the arguments are invalid. */
export async function runTask(
  task: Task,
  args: Record<string, unknown>,
  context: TaskContext,
): Promise<Payload> {
  checkVersion(args, context.protocolName)
  const input = readArguments(task, args)
  const run = () => ({ status: 'completed', ...task.run(input, context) })
  const runAndNotify = () => {
    const done = run()
    const target = readTarget(args.push_notification_config)
    // A submitted task has queued the webhook of its completion.
    if (!target || done.status === 'submitted') return done
    queueCompletion({ task: task.name(context.protocolName), result: done }, target, context)
    return done
  }
  const { state, now } = context
  const keyed = { ...describeKey(task, args, context), now }
  state.refresh()
  const payload = task.mutates
    ? await runOnce(state, keyed, runAndNotify)
    : state.writeAs(toOwner(keyed.scope, keyed.share), run)
  return { ...payload, ...describeVersion(context.protocolName), ...readContext(args) }
}

/**
 * Describes the scope of a key: one caller of one agent, that is a signer, or everybody with the public
 * credential. The account is part of the request, since the protocol's own tests name another account under
 * the same key.
 */
function describeKey(task: Task, args: Payload, context: TaskContext) {
  const { tenant, caller, share, protocolName } = context
  return { scope: [tenant, caller], share, task: task.name(protocolName), args }
}

/** Reads the context of a request, which every answer repeats, also failures. */
export function readContext(args: Record<string, unknown>): { context?: unknown } {
  return args.context === undefined ? {} : { context: args.context }
}

/** Reads the arguments. Issues of the envelope and the key are named before those of the task. */
function readArguments(task: Task, args: Payload): never {
  const schemas = [Envelope, ...(task.mutates ? [Keyed] : []), task.input]
  const parsed = schemas.map(schema => schema.safeParse(args, { error: describeIssue }))
  const issues = parsed.flatMap(({ error }) => error?.issues ?? [])
  if (issues.length > 0) throw describeIssues(issues)
  return parsed.at(-1)?.data as never
}

/** Describes the first issue, or the first of a format id: its own code tells how to write the id. */
function describeIssues(issues: readonly z.core.$ZodIssue[]): TaskError {
  const ofFormatId = issues.find(({ path }) => path.some(isFormatIdField))
  const { path, message } = ofFormatId ?? getFirst(issues)
  const field = formatPath(path)
  const code = ofFormatId ? 'INVALID_FORMAT_ID' : 'INVALID_REQUEST'
  return new TaskError(code, `${field}: ${message}`, { field })
}

function isFormatIdField(part: PropertyKey): boolean {
  return /^(?:target_)?format_ids?$/.test(String(part))
}
