import type { AgentParts, AgentTool } from '../model/documents/index.ts'
import { Faults } from '../parse/faults.ts'
import { ObjectReader } from '../parse/object-reader.ts'
import { readCapabilities } from './agent-capabilities.ts'
import { readClaims } from './agent-claims.ts'
import { readFormats } from './agent-formats.ts'
import { buildProductRequest, readProducts } from './agent-products.ts'
import type { McpFailure } from './mcp/failure.ts'
import { extractResult, toErrorKey } from './mcp/result.ts'
import type { McpDeps, McpSession, TimeBudget } from './mcp/session.ts'
import { chooseAction, needsCredential, readTaskError } from './mcp/task-error.ts'

type TaskParts = Pick<
  AgentParts,
  'capabilities' | 'formats' | 'claims' | 'products' | 'needs_auth' | 'unread'
>

export interface TaskContext {
  session: McpSession
  time: TimeBudget
  deps: McpDeps
  faults: Faults
}

/**
 * Calls the tasks that an agent offers for its capabilities, formats and publishers. A result
 * without a storable value is treated as unread, like no answer.
 */
export async function callTasks(tools: readonly AgentTool[], ctx: TaskContext): Promise<TaskParts> {
  const parts: TaskParts = { needs_auth: false, unread: [] }
  const { limits, protocolName } = ctx.deps
  const tasks = {
    capabilities: `get_${protocolName}_capabilities`,
    formats: 'list_creative_formats',
    claims: 'list_authorized_properties',
  } as const
  const read = { capabilities: readCapabilities, formats: readFormats, claims: readClaims }
  for (const name of ['capabilities', 'formats', 'claims'] as const) {
    const tool = tools.find(tool => tool.name.toLowerCase() === tasks[name])
    if (tool === undefined) continue
    const answer = await runTask(tool.name, {}, ctx)
    if ('needsAuth' in answer) parts.needs_auth ||= answer.needsAuth
    const value =
      'payload' in answer
        ? read[name](new ObjectReader(answer.payload, '', ctx.faults), limits)
        : undefined
    if (value === undefined) parts.unread.push(name)
    else Object.assign(parts, { [name]: value })
  }
  if (!parts.needs_auth) Object.assign(parts, await callProducts(tools, parts, ctx))
  return parts
}

/**
 * Requests a seller's products, last of all and only if no earlier task required a credential. A seller
 * that requires one for this says nothing to the public, which is no fault.
 */
async function callProducts(
  tools: readonly AgentTool[],
  { unread }: Pick<TaskParts, 'unread'>,
  ctx: TaskContext,
): Promise<Partial<TaskParts>> {
  const tool = tools.find(tool => tool.name.toLowerCase() === 'get_products')
  if (tool === undefined) return {}
  const faults = new Faults(1)
  const answer = await runTask(tool.name, buildProductRequest(), { ...ctx, faults })
  if ('needsAuth' in answer && answer.needsAuth) return { needs_auth: true }
  for (const { field, code, message } of faults.list()) ctx.faults.error(field, code, message)
  const products =
    'payload' in answer ? readProducts(new ObjectReader(answer.payload, '', ctx.faults)) : undefined
  return products === undefined ? { unread: [...unread, 'products'] } : { products }
}

export type TaskAnswer =
  | { payload: Record<string, unknown> }
  | { needsAuth: boolean; failure?: McpFailure }

/** Runs one task. The reason for a missing payload is recorded as a fault. */
export async function runTask(
  name: string,
  args: object,
  { session, time, deps, faults }: TaskContext,
): Promise<TaskAnswer> {
  const errorKey = toErrorKey(deps.protocolName)
  const reply = await session.call('tools/call', { name, arguments: args }, time)
  if ('failure' in reply) {
    faults.error(name, 'refused_answer', `was not answered: the agent ${reply.failure.detail}`)
    const { failure } = reply
    return { needsAuth: failure.outcome === 'needs_auth', failure }
  }
  const payload = extractResult(reply.result, errorKey)
  if (payload !== undefined) return { payload }
  const error = readTaskError(reply.result, 'mcp', errorKey)
  faults.error(name, 'refused_answer', explainFailure(reply.result.isError === true, error))
  return { needsAuth: needsCredential(error) }
}

/** Explains a failure by its code, which is a word of the protocol; the peer's own message is not repeated. */
function explainFailure(isError: boolean, error: ReturnType<typeof readTaskError>): string {
  if (error === undefined) {
    return isError ? 'failed without an error code' : 'must be answered with a JSON object'
  }
  const code = /^[A-Z][A-Z0-9_]*$/.test(error.code) ? error.code : 'a code of its own'
  return `failed with ${code}${chooseAction(error) === 'retry' ? ', which is temporary' : ''}`
}
