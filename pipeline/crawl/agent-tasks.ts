import type { AgentParts, AgentTool } from '../model/documents.ts'
import { readCapabilities } from './agent-capabilities.ts'
import { readClaims } from './agent-claims.ts'
import { readFormats } from './agent-formats.ts'
import type { Faults } from './faults.ts'
import { errorKeyOf, extractResult } from './mcp/result.ts'
import type { McpDeps, McpSession, TimeLeft } from './mcp/session.ts'
import { actionOf, taskErrorOf, wantsCredential } from './mcp/task-error.ts'
import type { Trouble } from './mcp/trouble.ts'
import { Part } from './part.ts'

type TaskParts = Pick<AgentParts, 'capabilities' | 'formats' | 'claims' | 'needs_auth' | 'unread'>

export interface Asking {
  session: McpSession
  time: TimeLeft
  deps: McpDeps
  faults: Faults
}

/**
 * Asks what an agent can do, which formats it knows and whom it sells, where it offers to say so. What
 * brings nothing that can be kept is unread, like what is not answered.
 */
export async function askTasks(tools: readonly AgentTool[], asking: Asking): Promise<TaskParts> {
  const parts: TaskParts = { needs_auth: false, unread: [] }
  const { limits, protocolName } = asking.deps
  const tasks = {
    capabilities: `get_${protocolName}_capabilities`,
    formats: 'list_creative_formats',
    claims: 'list_authorized_properties',
  } as const
  const read = { capabilities: readCapabilities, formats: readFormats, claims: readClaims }
  for (const name of ['capabilities', 'formats', 'claims'] as const) {
    const tool = tools.find(one => one.name.toLowerCase() === tasks[name])
    if (tool === undefined) continue
    const answer = await runTask(tool.name, {}, asking)
    if ('needsAuth' in answer) parts.needs_auth ||= answer.needsAuth
    const value =
      'payload' in answer
        ? read[name](new Part(answer.payload, '', asking.faults), limits)
        : undefined
    if (value === undefined) parts.unread.push(name)
    else Object.assign(parts, { [name]: value })
  }
  return parts
}

export type TaskAnswer =
  | { payload: Record<string, unknown> }
  | { needsAuth: boolean; trouble?: Trouble }

/** Calls one task. Why there is no payload is a fault as well. */
export async function runTask(
  name: string,
  args: object,
  { session, time, deps, faults }: Asking,
): Promise<TaskAnswer> {
  const errorKey = errorKeyOf(deps.protocolName)
  const reply = await session.call('tools/call', { name, arguments: args }, time)
  if ('trouble' in reply) {
    faults.error(name, 'refused_answer', `was not answered: the agent ${reply.trouble.detail}`)
    const { trouble } = reply
    return { needsAuth: trouble.outcome === 'needs_auth', trouble }
  }
  const payload = extractResult(reply.result, errorKey)
  if (payload !== undefined) return { payload }
  const error = taskErrorOf(reply.result, 'mcp', errorKey)
  faults.error(name, 'refused_answer', whyNot(reply.result.isError === true, error))
  return { needsAuth: wantsCredential(error) }
}

/** Codes are words of the protocol; what a peer writes beside them is not repeated. */
function whyNot(isError: boolean, error: ReturnType<typeof taskErrorOf>): string {
  if (error === undefined) {
    return isError ? 'failed without a code' : 'must be answered with a JSON object'
  }
  const code = /^[A-Z][A-Z0-9_]*$/.test(error.code) ? error.code : 'a code of its own'
  return `failed with ${code}${actionOf(error) === 'retry' ? ', which passes' : ''}`
}
