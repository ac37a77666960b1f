import type { AgentRequest } from '../../model/agent-request.ts'
import type { Answer, OperationOf } from '../../model/submission.ts'
import type { Database } from '../../store/duckdb.ts'
import type { OperationDefinitions } from '../operation-definition.ts'
import type { AccountStamp } from '../stamp.ts'
import { refuseOther } from './monitoring.ts'

/** Stored calls of one agent at most. */
const REQUESTS_MAX = 500

/** Notes a call of an agent; beyond the maximum the oldest one is deleted. */
export async function keepRequest(
  db: Database,
  request: AgentRequest & { agent_url: string },
  seq: number,
): Promise<void> {
  await db.insert('agent_requests', [{ ...request, seq }])
  await db.write(
    'delete from',
    'agent_requests',
    `where agent_url = $agent_url and request_id not in (
       select request_id from agent_requests where agent_url = $agent_url
       order by created_at desc, request_id desc limit ${REQUESTS_MAX})`,
    { agent_url: request.agent_url },
  )
}

async function recordRequest(
  db: Database,
  { op: _, org_id, requested_at, ...request }: OperationOf<'agent.request.record'>,
  { seq }: AccountStamp,
): Promise<Answer> {
  const { agent_url, request_id } = request
  const refusal = await refuseOther(db, agent_url, org_id)
  if (refusal) return refusal
  await keepRequest(db, { ...request, created_at: requested_at }, seq)
  return { done: { request_id, agent_url } }
}

export const agentRequestDefinitions: OperationDefinitions<'agent.request.record'> = {
  'agent.request.record': {
    perform: recordRequest,
    requires: { membershipIn: ({ org_id }) => org_id },
    irreversible: 'the agent was called',
  },
}
