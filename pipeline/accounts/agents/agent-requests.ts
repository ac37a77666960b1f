import type { AgentRequest } from '../../model/agent-request.ts'
import type { Answer, OperationOf } from '../../model/submission.ts'
import type { Sqlite } from '../../store/sqlite.ts'
import type { OperationDefinitions } from '../operation-definition.ts'
import type { AccountStamp } from '../stamp.ts'
import { refuseOther } from './monitoring.ts'

/** Stored calls of one agent at most. */
const REQUESTS_MAX = 500

/** Notes a call of an agent; beyond the maximum the oldest one is deleted. */
export function keepRequest(
  db: Sqlite,
  request: AgentRequest & { agent_url: string },
  seq: number,
): void {
  db.insert('agent_requests', [{ ...request, seq }])
  db.run(
    `delete from agent_requests where agent_url = $agent_url and request_id not in (
       select request_id from agent_requests where agent_url = $agent_url
       order by created_at desc, request_id desc limit ${REQUESTS_MAX})`,
    { agent_url: request.agent_url },
  )
}

function recordRequest(
  db: Sqlite,
  { op: _, org_id, requested_at, ...request }: OperationOf<'agent.request.record'>,
  { seq }: AccountStamp,
): Answer {
  const { agent_url, request_id } = request
  const refusal = refuseOther(db, agent_url, org_id)
  if (refusal) return refusal
  keepRequest(db, { ...request, created_at: requested_at }, seq)
  return { done: { request_id, agent_url } }
}

export const agentRequestDefinitions: OperationDefinitions<'agent.request.record'> = {
  'agent.request.record': {
    perform: recordRequest,
    requires: { membershipIn: ({ org_id }) => org_id },
    irreversible: 'the agent was called',
  },
}
