import { z } from 'zod'
import { refuse } from '../../../pipeline/core/errors.ts'
import {
  type StoryboardAnswers,
  StoryboardComparison,
  type StoryboardJobKind,
  type StoryboardJobOf,
} from '../../../pipeline/model/storyboard-run.ts'
import type { Principal } from '../../auth/principal.ts'
import { AgentParams, AnyId, requireOwnAgent } from '../../checks/own-agent.ts'
import type { TestKind } from '../../limits/storyboards.ts'
import { defineOperation } from '../../operation/operation.ts'
import type { Services } from '../../operation/services.ts'
import { replyOk } from '../../responses/reply.ts'
import { requireStoryboard } from './storyboards.ts'

/** Time that a job may wait for a crawler, and that the answer may take. */
const SLACK_MS = 20_000

const declared = {
  group: 'Agent Compliance',
  access: 'bearer',
  cache: 'none',
  checksInputFirst: true,
  writes: true,
} as const

const refusals = [
  'invalid_request',
  'forbidden',
  'not_found',
  'agent_needs_credential',
  'rate_limited',
  'unavailable',
] as const

export const compareStoryboard = defineOperation({
  ...declared,
  id: 'compareStoryboard',
  method: 'POST',
  path: '/api/registry/agents/:encodedUrl/storyboard/:storyboardId/compare',
  summary: 'Compare an agent with the reference agent',
  description:
    'Runs a storyboard against your agent and against the reference agent, both at once, for at most ' +
    '90 seconds each. The agent must be enrolled by your organization. It really is called: what the ' +
    'storyboard buys is for a sandbox account. A caller who leaves ends the run. 422 with ' +
    '`needs_oauth` when your agent wants a credential that the registry does not have.',
  params: z.object({
    ...AgentParams,
    storyboardId: AnyId.describe('Name of a storyboard, from their list'),
  }),
  reply: { 200: StoryboardComparison },
  errors: refusals,
  handle: async ({ params: { encodedUrl: url, storyboardId }, principal, signal, services }) => {
    requireOwnAgent(principal, url, services.reader)
    const { id } = requireStoryboard(storyboardId)
    const job = {
      kind: 'compare',
      agent_url: url,
      storyboard_id: id,
      caller: principal.org_id ?? principal.id,
    } as const
    const { result, headers } = await runJob('run', job, { principal, signal, services })
    return replyOk(result, headers)
  },
})

interface Asking {
  principal: Principal
  signal(): AbortSignal
  services: Services
}

/** Has a crawler do a job within the caller's quota; 422 where the agent wants a credential. */
function runJob<Kind extends StoryboardJobKind>(
  kind: TestKind,
  job: StoryboardJobOf<Kind>,
  { principal, signal, services }: Asking,
) {
  const { config, storyboards, writer } = services
  const ms = config.LIMITS.storyboardMs + SLACK_MS
  return storyboards.spend(kind, principal, async () => {
    const answer = await writer.runStoryboard(job, { ms, signal: signal() })
    return requireAnswered(answer)
  })
}

function requireAnswered<Kind extends StoryboardJobKind>(answer: StoryboardAnswers[Kind]) {
  if (!('needs_credential' in answer)) return answer
  const text = 'the agent wants a credential that the registry does not have'
  return refuse('agent_needs_credential', text, { needs_oauth: true })
}
