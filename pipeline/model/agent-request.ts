import { z } from 'zod'
import { EnrolledUrl } from './accounts/member.ts'

/** Reasons for which the registry calls an agent that is tested. */
export const agentRequestTypes = [
  'scheduled_run',
  'requested_run',
  'storyboard_run',
  'comparison',
  'step',
  'discovery',
  'token',
] as const

const facts = {
  request_id: z.uuid(),
  request_type: z.enum(agentRequestTypes),
  response_time_ms: z.number().nonnegative().nullable(),
  /** True if the agent could be called, whatever it answered. */
  success: z.boolean(),
  error_message: z.string().max(1_000).nullable(),
}

/** Operations that record a call of an agent when nothing else of it is stored. */
export const agentRequestOperations = [
  z.object({
    op: z.literal('agent.request.record'),
    agent_url: EnrolledUrl,
    org_id: z.string().min(1).max(300),
    ...facts,
    requested_at: z.iso.datetime(),
  }),
] as const

/** A call of an agent as its organization reads it. */
export interface AgentRequest {
  request_id: string
  request_type: (typeof agentRequestTypes)[number]
  response_time_ms: number | null
  success: boolean
  error_message: string | null
  created_at: string
}
