import { runTask, type TaskContext } from '../crawl/call-agent-tasks.ts'
import type { McpFailure } from '../crawl/mcp/failure.ts'
import type { AgentTool } from '../model/documents/index.ts'
import type { AgentList } from '../model/live/live-agent.ts'
import type { JsonObject } from '../parse/object-reader.ts'

export type Listed = AgentList | { failure: McpFailure }
export const notOffered: AgentList = { items: [], offered: false, total: 0 }

/** Maximum items of one answer, and bytes of all of them. */
const ITEMS_MAX = 200

/** Fetches the payload of a task; `undefined` if the agent has no such task. */
export async function fetchPayload(
  tools: readonly AgentTool[],
  name: string,
  args: object,
  ctx: TaskContext,
): Promise<{ payload: JsonObject } | { failure: McpFailure } | undefined> {
  const tool = tools.find(tool => tool.name.toLowerCase() === name)
  if (tool === undefined) return undefined
  const answer = await runTask(tool.name, args, ctx)
  if ('payload' in answer) return answer
  const { needsAuth, failure } = answer
  if (failure !== undefined) return { failure }
  return needsAuth
    ? { failure: { outcome: 'needs_auth', detail: 'requires a credential' } }
    : { failure: { outcome: 'unusable', detail: 'gave no usable answer to the task' } }
}

export function toAgentList(items: readonly JsonObject[], total = items.length): AgentList {
  return { items: items.slice(0, ITEMS_MAX), offered: true, total }
}
