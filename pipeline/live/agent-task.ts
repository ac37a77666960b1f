import { type Asking, runTask } from '../crawl/agent-tasks.ts'
import type { Trouble } from '../crawl/mcp/trouble.ts'
import type { JsonObject } from '../crawl/part.ts'
import type { AgentTool } from '../model/documents.ts'
import type { AgentList } from '../model/live-agent.ts'

export type Listed = AgentList | { trouble: Trouble }
export const notOffered: AgentList = { items: [], offered: false, total: 0 }

/** Items of one answer, and bytes of all of them. */
const MOST_ITEMS = 200

/** The payload of a task, `undefined` where the agent has no such task. */
export async function payloadOf(
  tools: readonly AgentTool[],
  name: string,
  args: object,
  asking: Asking,
): Promise<{ payload: JsonObject } | { trouble: Trouble } | undefined> {
  const tool = tools.find(one => one.name.toLowerCase() === name)
  if (tool === undefined) return undefined
  const answer = await runTask(tool.name, args, asking)
  if ('payload' in answer) return answer
  const { needsAuth, trouble } = answer
  if (trouble !== undefined) return { trouble }
  return needsAuth
    ? { trouble: { outcome: 'needs_auth', detail: 'wants a credential' } }
    : { trouble: { outcome: 'unusable', detail: 'answered the task with nothing usable' } }
}

export function listOf(items: readonly JsonObject[], total = items.length): AgentList {
  return { items: items.slice(0, MOST_ITEMS), offered: true, total }
}
