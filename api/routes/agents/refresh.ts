import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { MINUTE, toIso } from '../../../pipeline/core/clock.ts'
import { refuse } from '../../../pipeline/core/errors.ts'
import { AgentRefreshed } from '../../../pipeline/model/responses/monitoring.ts'
import type { AgentSilent } from '../../../pipeline/model/storyboards/storyboard-job.ts'
import { findAgentTests } from '../../../pipeline/read/lookups/agent-tests.ts'
import { getMembers } from '../../../pipeline/read/lookups/members.ts'
import { requireOwnOrganization } from '../../auth/organization-access.ts'
import { AgentParams, ChosenOrganization } from '../../checks/own-agent.ts'
import { defineOperation } from '../../operation/operation.ts'
import { unwrapAnswer } from '../../operation/submission-result.ts'
import { describeCompliance } from '../../responses/compliance.ts'
import { replyOk } from '../../responses/reply.ts'
import { findShownRuns } from '../../responses/shown-runs.ts'
import { type Asking, describeJob, NEEDS_CREDENTIAL, refuseUntested, SLACK_MS } from './run-jobs.ts'

export const refreshAgent = defineOperation({
  id: 'refreshAgent',
  limits: ['agentRunSeconds', 'storyboardRunsPerHour'],
  method: 'POST',
  path: '/api/registry/agents/:encodedUrl/refresh',
  group: 'Agent Compliance',
  access: 'bearer',
  cache: 'none',
  pathComesFirst: true,
  writes: true,
  agentOwner: 'named',
  summary: 'Probe and test an agent now',
  description:
    'The agent is probed and then tested with all storyboards that apply; this counts as a scheduled run. ' +
    'With many storyboards this takes minutes; the run ends when the caller disconnects. Returns 409 while its tests are paused or it is opted out, and 502 if its response is not usable. Your organization must have added the agent.',
  params: z.object(AgentParams),
  body: ChosenOrganization,
  reply: { 200: AgentRefreshed },
  errors: [
    'invalid_request',
    'forbidden',
    'conflict',
    'rate_limited',
    'bad_gateway',
    'gateway_timeout',
    'unavailable',
  ],
  handle: async ({ params: { encodedUrl: agent_url }, principal, signal, services }) => {
    const { reader, storyboards } = services
    const org_id = requireOwnOrganization(principal)
    refuseUntested(findAgentTests(reader, agent_url)?.settings)
    await storyboards.lockAgent(agent_url)
    const asking = { principal, signal, services }
    const { result, headers } = await storyboards.spend('run', principal, () =>
      refresh({ agent_url, org_id }, asking),
    )
    return replyOk(result, headers)
  },
})

interface Place {
  agent_url: string
  org_id: string
}

async function refresh(place: Place, asking: Asking): Promise<AgentRefreshed> {
  const limitMs = asking.services.config.LIMITS.storyboardMs + SLACK_MS
  const { answer, failed } = await askAgent(place, asking, limitMs)
  if (failed) {
    const { failed: kind, message, reason } = failed
    return refuse(kind === 'timeout' ? 'gateway_timeout' : 'bad_gateway', message, { reason })
  }
  if (answer.oauth_required) return answer
  return { ...answer, compliance: await testAll(place, asking) }
}

interface ProbeReply {
  answer: AgentRefreshed
  /** Why the agent did not answer; absent where it did. */
  failed?: AgentSilent
}

/** Probes an agent with the credential of its organization, without running storyboards. */
export async function askAgent(place: Place, asking: Asking, ms: number): Promise<ProbeReply> {
  const { principal, signal, services } = asking
  const { reader, writer, clock } = services
  const { agent_url, org_id } = place
  const found = getMembers(reader).all.flatMap(({ agents }) => agents)
  const inferred_type = found.find(({ url }) => url === agent_url)?.type ?? 'unknown'
  const facts = { inferred_type, type_promoted: false, checked_at: toIso(clock.now()) } as const
  const started = performance.now()
  const job = describeJob('profile', agent_url, principal, { org_id, reader })
  const probe = await writer.runStoryboard<'profile'>(job, { ms, signal: signal() })
  const response_time_ms = Math.round(performance.now() - started)
  if ('failed' in probe) {
    const { message: error } = probe
    const silent = { online: false, tools_count: null, response_time_ms: null, error }
    const compliance = { ran: false, error }
    return { failed: probe, answer: { ...facts, ...silent, oauth_required: false, compliance } }
  }
  const online = { ...facts, online: true, response_time_ms }
  if ('needs_credential' in probe) {
    const { message: error = NEEDS_CREDENTIAL } = probe
    const compliance = { ran: false, error }
    return { answer: { ...online, tools_count: null, oauth_required: true, error, compliance } }
  }
  const tools_count = probe.profile.tools.length
  const compliance = {
    ran: false,
    error: 'the agent was only asked what it is: POST …/refresh tests it',
  }
  return { answer: { ...online, tools_count, oauth_required: false, compliance } }
}

/** Runs all storyboards that apply, has the run stored, and describes the results of the agent after it. */
async function testAll(
  { agent_url, org_id }: Place,
  { principal, signal, services }: Asking,
): Promise<AgentRefreshed['compliance']> {
  const { reader, writer, config, clock } = services
  const run_id = randomUUID()
  const tested_at = toIso(clock.now())
  const job = describeJob('suite', agent_url, principal, { org_id, reader })
  const ms = config.LIMITS.complianceRunMs + MINUTE
  const suite = await writer.runStoryboard<'suite'>(job, { ms, signal: signal() })
  const operation = {
    op: 'compliance.record',
    run_id,
    agent_url,
    org_id,
    tested_at,
    requested: true,
    ...suite,
  } as const
  unwrapAnswer(await writer.submit(operation, { submission_id: run_id }))
  await reader.refresh()
  const after = describeCompliance(findShownRuns(agent_url, principal, reader), reader)
  return {
    ran: suite.outcome === 'tested',
    run_id,
    ...(after.requested_compliance_target !== null && {
      requested_compliance_target: after.requested_compliance_target,
    }),
    ...(after.adcp_version !== null && { adcp_version: after.adcp_version }),
    badge_eligible: after.verified,
    badge_eligible_adcp_versions: [...new Set(Object.values(after.verified_role_versions).flat())],
    ...(after.status !== 'opted_out' && { overall_status: after.status }),
    storyboards_passing: after.storyboards_passing,
    storyboards_total: after.storyboards_total,
    observations_count: after.observations.length,
    notices_count: after.notices.length,
  }
}
