import { z } from 'zod'
import { SECOND } from '../../../pipeline/core/clock.ts'
import { refuse } from '../../../pipeline/core/errors.ts'
import { isModerator } from '../../../pipeline/core/roles.ts'
import { buildUserAgent } from '../../../pipeline/core/user-agent.ts'
import type { AgentTests } from '../../../pipeline/model/agent-test.ts'
import {
  IntervalHours,
  lifecycleStages,
  type MonitoringSettings,
  usualSettings,
} from '../../../pipeline/model/compliance.ts'
import {
  AgentDiagnosticList,
  AgentRequestList,
  MonitoringSchedule,
  RegistryMetadata,
  Requeued,
} from '../../../pipeline/model/responses/monitoring.ts'
import type { OperationOf } from '../../../pipeline/model/submission.ts'
import {
  findAgentCredential,
  findAgentDiagnostics,
  findAgentExchanges,
  findAgentTests,
} from '../../../pipeline/read/lookups/agent-tests.ts'
import { requireOwnOrganization } from '../../auth/organization-access.ts'
import type { Principal } from '../../auth/principal.ts'
import { AgentParams, chooseOwner, requireOwnAgent } from '../../checks/own-agent.ts'
import { createPageSize } from '../../inputs/fields.ts'
import { defineOperation } from '../../operation/operation.ts'
import type { Services } from '../../operation/services.ts'
import { unwrapAnswer } from '../../operation/submission-result.ts'
import { toAgentDiagnostics } from '../../responses/diagnostics.ts'
import { replyOk } from '../../responses/reply.ts'
import { writeErrors } from '../write-errors.ts'
import { refuseUntested } from './run-jobs.ts'

const params = z.object(AgentParams)
const read = {
  method: 'GET',
  group: 'Agent Compliance',
  access: 'bearer',
  cache: 'none',
  pathComesFirst: true,
  params,
} as const
const change = { ...read, method: 'PUT', writes: true, agentOwner: 'any' } as const
const owned = 'Your organization must have added the agent.'
const answering =
  'If several organizations added the agent, only the one that has verified its domain can change this; if none has, only the first one can.'

export const setLifecycle = defineOperation({
  ...change,
  id: 'setAgentLifecycle',
  path: '/api/registry/agents/:encodedUrl/lifecycle',
  summary: 'Set an agent’s lifecycle stage',
  description: `The stage is shown next to the agent’s test results. ${owned} ${answering}`,
  body: z.object({
    lifecycle_stage: z
      .enum(lifecycleStages)
      .describe('New lifecycle stage of the agent, such as development or production'),
  }),
  reply: { 200: RegistryMetadata },
  errors: writeErrors,
  handle: async ({ params: { encodedUrl }, body, principal, services }) =>
    replyOk(toMetadata(encodedUrl, await changeSettings(encodedUrl, body, principal, services))),
})

export const setOptOut = defineOperation({
  ...change,
  id: 'setAgentComplianceOptOut',
  path: '/api/registry/agents/:encodedUrl/compliance/opt-out',
  summary: 'Opt an agent out of tests, or back in',
  description:
    'After an opt-out the agent is not tested, its results are hidden, and its badges end at once. ' +
    `When it is tested again, it gets badges after it passes a full run. ${owned} ${answering}`,
  body: z.object({ opt_out: z.boolean().describe('Whether to opt the agent out of tests') }),
  reply: { 200: RegistryMetadata },
  errors: writeErrors,
  handle: async ({ params: { encodedUrl }, body, principal, services }) =>
    replyOk(toMetadata(encodedUrl, await changeSettings(encodedUrl, body, principal, services))),
})

export const readMonitoring = defineOperation({
  ...read,
  id: 'getAgentMonitoring',
  path: '/api/registry/agents/:encodedUrl/monitoring/settings',
  summary: 'Get an agent’s test schedule',
  description: owned,
  reply: { 200: MonitoringSchedule },
  errors: ['invalid_request', 'forbidden'],
  handle: ({ params: { encodedUrl }, principal, services: { reader } }) => {
    requireOwnAgent(principal, encodedUrl, reader)
    return replyOk(toSchedule(findAgentTests(reader, encodedUrl)?.settings ?? usualSettings))
  },
})

export const pauseMonitoring = defineOperation({
  ...change,
  id: 'pauseAgentMonitoring',
  path: '/api/registry/agents/:encodedUrl/monitoring/pause',
  summary: 'Pause or resume an agent’s tests',
  description: `The agent’s badges end when it is not tested for three intervals. ${owned} ${answering}`,
  body: z.object({ paused: z.boolean().describe('Whether to pause scheduled runs') }),
  reply: { 200: MonitoringSchedule },
  errors: writeErrors,
  handle: async ({ params: { encodedUrl }, body, principal, services }) =>
    replyOk(toSchedule(await changeSettings(encodedUrl, body, principal, services))),
})

export const setMonitoringInterval = defineOperation({
  ...change,
  id: 'setAgentMonitoringInterval',
  path: '/api/registry/agents/:encodedUrl/monitoring/interval',
  summary: 'Set how often an agent is tested',
  description: `${owned} ${answering}`,
  body: z.object({ interval_hours: IntervalHours.describe('Hours between scheduled runs') }),
  reply: { 200: MonitoringSchedule },
  errors: writeErrors,
  handle: async ({ params: { encodedUrl }, body, principal, services }) =>
    replyOk(toSchedule(await changeSettings(encodedUrl, body, principal, services))),
})

export const requeueMonitoring = defineOperation({
  ...change,
  method: 'POST',
  id: 'requeueAgentMonitoring',
  limits: ['agentRunSeconds'],
  path: '/api/registry/agents/:encodedUrl/monitoring/requeue',
  summary: 'Test an agent now',
  description: `Runs all storyboards that apply to the agent. Earlier results remain until the run is done. Returns 429 within a minute of the last request, unless a credential was saved since, and 409 while the agent’s tests are paused or it is opted out. ${owned} ${answering}`,
  reply: { 200: Requeued },
  errors: ['invalid_request', 'forbidden', 'conflict', 'rate_limited', 'unavailable'],
  handle: async ({ params: { encodedUrl }, principal, services }) => {
    const { reader, clock, config } = services
    const settings = findAgentTests(reader, encodedUrl)?.settings
    refuseUntested(settings)
    const last = settings?.requeued_at ?? null
    const { org_id } = chooseOwner(principal, encodedUrl, reader)
    const saved = findAgentCredential(reader, org_id, encodedUrl)?.saved_at ?? ''
    const betweenMs = config.LIMITS.agentRunSeconds * SECOND
    // A new credential is tested at once: the run that lacked it says nothing.
    const isFirst = last === null || saved > last
    const waitMs = isFirst ? 0 : Date.parse(last) + betweenMs - clock.now()
    if (waitMs > 0) {
      const retry_after = Math.ceil(waitMs / SECOND)
      return refuse('rate_limited', 'a test of this agent was requested a moment ago', {
        retry_after,
      })
    }
    await changeSettings(encodedUrl, { requeue: true }, principal, services)
    return replyOk({ requeued: true })
  },
})

export const readDiagnostics = defineOperation({
  ...read,
  id: 'getAgentDiagnostics',
  path: '/api/registry/agents/:encodedUrl/compliance/diagnostics',
  summary: 'List the steps of a storyboard run',
  description:
    'Returns the steps of the last run, or of another one: the last five scheduled runs and the last five others are kept. A failed step has its request and response, shortened and without secrets. ' +
    owned,
  query: z.object({
    run_id: z
      .uuid()
      .optional()
      .describe('ID of the run, from the agent’s history; defaults to the last run'),
    limit: createPageSize({ defaultSize: 500, max: 1_000 }),
  }),
  reply: { 200: AgentDiagnosticList },
  errors: ['invalid_request', 'forbidden'],
  handle: ({ params: { encodedUrl: agent_url }, query, principal, services: { reader } }) => {
    if (!isModerator(principal.roles)) requireOwnAgent(principal, agent_url, reader)
    const runs = findAgentDiagnostics(reader, agent_url)?.runs ?? []
    const run = query.run_id ? runs.find(({ run_id }) => run_id === query.run_id) : runs[0]
    const diagnostics = run
      ? toAgentDiagnostics(
          { ...run, agent_url },
          run.steps.slice(0, query.limit),
          findAgentExchanges(reader, agent_url),
        )
      : []
    const run_id = run?.run_id ?? query.run_id ?? null
    return replyOk({ agent_url, run_id, count: diagnostics.length, diagnostics })
  },
})

export const readRequests = defineOperation({
  ...read,
  id: 'listAgentRequests',
  path: '/api/registry/agents/:encodedUrl/monitoring/requests',
  summary: 'List the registry’s test requests to an agent',
  description:
    'Returns runs, comparisons, single steps, discoveries and token requests, newest first. The last 500 are kept. ' +
    `Callers are not shown. ${owned}`,
  query: z.object({
    limit: createPageSize({ defaultSize: 50, max: 200 }),
    since: z.iso.datetime({ offset: true }).optional().describe('Only requests since this time'),
  }),
  reply: { 200: AgentRequestList },
  errors: ['invalid_request', 'forbidden'],
  handle: ({ params: { encodedUrl: agent_url }, query, principal, services }) => {
    const { reader, config } = services
    if (!isModerator(principal.roles)) requireOwnAgent(principal, agent_url, reader)
    const all = findAgentDiagnostics(reader, agent_url)?.requests ?? []
    const from = query.since === undefined ? 0 : Date.parse(query.since)
    const found = all.filter(({ created_at }) => Date.parse(created_at) >= from)
    const user_agent = buildUserAgent(config.CRAWL_CONTACT)
    const requests = found
      .slice(0, query.limit)
      .map(({ request_id: id, ...request }) => ({ id, agent_url, user_agent, ...request }))
    return replyOk({ agent_url, requests, count: requests.length, total: found.length })
  },
})

type Change = Omit<OperationOf<'monitoring.change'>, 'op' | 'agent_url' | 'org_id'>

async function changeSettings(
  agent_url: string,
  changed: Change,
  principal: Principal,
  { writer }: Services,
): Promise<MonitoringSettings> {
  const org_id = requireOwnOrganization(principal)
  const answer = await writer.submit({ op: 'monitoring.change', agent_url, org_id, ...changed })
  return unwrapAnswer(answer) as unknown as NonNullable<AgentTests['settings']>
}

function toSchedule({ paused_at, interval_hours }: MonitoringSettings) {
  return {
    monitoring_paused: paused_at !== null,
    check_interval_hours: interval_hours,
    monitoring_paused_at: paused_at,
  }
}

function toMetadata(agent_url: string, settings: MonitoringSettings): RegistryMetadata {
  return {
    agent_url,
    lifecycle_stage: settings.lifecycle_stage,
    compliance_opt_out: settings.is_opted_out,
    badge_requalification_required: settings.needs_requalification,
    ...toSchedule(settings),
    created_at: settings.created_at,
    updated_at: settings.updated_at,
  }
}
