import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { toIso } from '../../../pipeline/core/clock.ts'
import { PublicError, refuse } from '../../../pipeline/core/errors.ts'
import { getFirst } from '../../../pipeline/core/present.ts'
import { ApplicableStoryboards } from '../../../pipeline/model/responses/storyboards.ts'
import type { AgentProfile } from '../../../pipeline/model/storyboards/storyboard-result.ts'
import {
  SingleStep,
  StepContext,
  StoryboardRun,
} from '../../../pipeline/model/storyboards/storyboard-run.ts'
import { findAgentCredential } from '../../../pipeline/read/lookups/agent-tests.ts'
import { checkClaims, describeClaimFault } from '../../../pipeline/resolve/agent-claims.ts'
import { describeRuns } from '../../../pipeline/resolve/test-report.ts'
import {
  chooseTargets,
  listApplicable,
  listSpecialisms,
  type RunnableStoryboard,
} from '../../../pipeline/storyboards/catalog.ts'
import { requireOwnOrganization } from '../../auth/organization-access.ts'
import { OrganizationQuery } from '../../auth/organization-query.ts'
import {
  AgentParams,
  AnyId,
  ChosenOrganization,
  deriveContextId,
  organization_id,
} from '../../checks/own-agent.ts'
import { defineOperation } from '../../operation/operation.ts'
import { toAgentDiagnostics } from '../../responses/diagnostics.ts'
import { replyOk } from '../../responses/reply.ts'
import { describeTarget } from '../../responses/shown-runs.ts'
import { describeJob, recordRun, runBriefJob, runJob } from './run-jobs.ts'
import { requireStoryboard } from './storyboards.ts'

const declared = {
  group: 'Agent Compliance',
  access: 'bearer',
  cache: 'none',
  pathComesFirst: true,
  writes: true,
  agentOwner: 'named',
} as const

const refusals = [
  'invalid_request',
  'forbidden',
  'not_found',
  'agent_needs_credential',
  'rate_limited',
  'unavailable',
] as const

const runNote =
  'Your organization must have added the agent. The agent is actually called; purchases use a ' +
  'sandbox account. The run ends when the caller disconnects. Returns 422 with `needs_oauth` if the agent requires a credential that the registry does not have.'

const place = z.object({
  ...AgentParams,
  storyboardId: AnyId.describe('ID of a storyboard, from the list of storyboards'),
})

export const runAgentStoryboard = defineOperation({
  ...declared,
  id: 'runAgentStoryboard',
  limits: ['storyboardRunsPerHour'],
  method: 'POST',
  path: '/api/registry/agents/:encodedUrl/storyboard/:storyboardId/run',
  summary: 'Run a storyboard against an agent',
  description: `Returns every step with its checks. ${runNote}`,
  params: place,
  body: ChosenOrganization,
  reply: { 200: StoryboardRun },
  errors: refusals,
  handle: async ({ params, principal, signal, services }) => {
    const { encodedUrl: url, storyboardId } = params
    const org_id = requireOwnOrganization(principal)
    const { id, track, title } = requireStoryboard(storyboardId)
    const description = describeJob('run', url, principal, { org_id, reader: services.reader })
    const { kind, agent_url } = description
    const run_id = randomUUID()
    const job = { ...description, storyboard_id: id, run_id }
    const tested_at = toIso(services.clock.now())
    const { result, headers } = await runJob('run', job, { principal, signal, services })
    const { run, diagnostics } = result
    const { storyboard_status: user, total_duration_ms: duration_ms } = run
    const finished = { run_id, kind, agent_url, org_id, tested_at, user, duration_ms }
    const steps = run.phases.flatMap(phase => phase.steps)
    const hasGap = steps.some(({ result }) => result.coverage_gap_skipped)
    await recordRun(finished, principal, services, {
      track,
      diagnostics,
      ...(hasGap && { has_coverage_gap: true }),
    })
    const shown = toAgentDiagnostics({ run_id, agent_url, captured_at: tested_at }, diagnostics)
    const observations = describeRuns([{ title, ...user }])
    return replyOk({ ...run, diagnostics: shown, observations }, headers)
  },
})

const CONTEXT_CHARS = 50_000
const stepRefusals = refusals.filter(error => error !== 'agent_needs_credential')

/** Finds a step, as the answer describes one that was not run; refuses with 404 if the id is unknown. */
function findPlace({ id, phases, source }: RunnableStoryboard, stepId: string): SingleStep {
  const steps = phases.flatMap(phase => phase.steps.map(step => ({ phase_id: phase.id, step })))
  const at = steps.findIndex(({ step }) => step.id === stepId)
  const found = steps[at] ?? refuse('not_found', 'the storyboard has no step with this ID')
  const { phase_id, step } = found
  return {
    requested_compliance_target: source.target,
    adcp_version: source.version,
    storyboard_id: id,
    phase_id,
    step: step.id,
    title: step.title,
    task: step.task,
    passed: null,
    duration_ms: 0,
    validations: [],
    context: {},
    next_step_id: steps[at + 1]?.step.id ?? null,
  }
}

export const runAgentStep = defineOperation({
  ...declared,
  id: 'runAgentStoryboardStep',
  limits: ['storyboardStepsPerHour'],
  method: 'POST',
  path: '/api/registry/agents/:encodedUrl/storyboard/:storyboardId/step/:stepId',
  summary: 'Run one step of a storyboard against an agent',
  description:
    'Send the `context` of the last response, which has the outputs of earlier steps; with ' +
    '`dry_run` the request is shown but not sent. The result contains the request and the agent’s response, shortened and without secrets. Your organization must have added the agent. The agent is actually ' +
    'called; purchases use a sandbox account. Returns `needs_oauth` if the agent requires a credential ' +
    'that the registry does not have.',
  params: z.object({
    ...place.shape,
    stepId: AnyId.describe('ID of a step, as in its storyboard'),
  }),
  body: z
    .object({
      context: StepContext.refine(
        context => JSON.stringify(context).length <= CONTEXT_CHARS,
        `must take at most ${CONTEXT_CHARS} characters`,
      ).optional(),
      dry_run: z
        .boolean()
        .optional()
        .describe('Whether to show the request without calling the agent'),
      organization_id,
    })
    .optional(),
  reply: { 200: SingleStep },
  errors: [...stepRefusals, 'bad_gateway', 'gateway_timeout'],
  handle: async ({ params, body, principal, signal, services }) => {
    const { encodedUrl: url, storyboardId, stepId } = params
    const org_id = requireOwnOrganization(principal)
    const storyboard = requireStoryboard(storyboardId)
    const place = findPlace(storyboard, stepId)
    const described = describeJob('step', url, principal, { org_id, reader: services.reader })
    const context = body?.context ?? {}
    const job = { ...described, storyboard_id: storyboard.id, step_id: stepId, context }
    const asking = { principal, signal, services }
    if (body?.dry_run) {
      const { result, headers } = await runJob('step', { ...job, dry_run: true }, asking)
      return replyOk(result, headers)
    }
    try {
      const { result, headers } = await runBriefJob<'step'>(job, org_id, asking)
      return replyOk(result, headers)
    } catch (error) {
      if (!(error instanceof PublicError) || error.error !== 'agent_needs_credential') throw error
      const known = findAgentCredential(services.reader, org_id, url)
      return replyOk({
        ...place,
        context,
        error: error.message,
        needs_oauth: true,
        ...(known && { agent_context_id: deriveContextId(org_id, url) }),
      })
    }
  },
})

export const listAgentStoryboards = defineOperation({
  ...declared,
  id: 'listApplicableStoryboards',
  limits: ['storyboardStepsPerHour'],
  method: 'GET',
  path: '/api/registry/agents/:encodedUrl/applicable-storyboards',
  summary: 'List the storyboards that apply to an agent',
  description:
    'The agent is called to discover what it is. Returns 422 with `needs_oauth` if it requires a credential that the registry does not have, and 422 with `error_kind` if its claims are unknown or contradictory, such as an unknown specialism, a specialism without its protocol, or a different version. A 502 or 504 includes `reason`. Your organization ' +
    'must have added the agent.',
  params: z.object(AgentParams),
  query: OrganizationQuery,
  reply: { 200: ApplicableStoryboards },
  errors: [
    ...refusals.filter(error => error !== 'not_found'),
    'unresolved_claims',
    'bad_gateway',
    'gateway_timeout',
  ],
  handle: async ({ params: { encodedUrl: url }, principal, signal, services }) => {
    const { reader } = services
    const org_id = requireOwnOrganization(principal)
    const job = describeJob('profile', url, principal, { org_id, reader })
    const { result, headers } = await runBriefJob<'profile'>(job, org_id, {
      principal,
      signal,
      services,
    })
    const fault = checkClaims(result.profile, listSpecialisms())
    if (fault) return refuse('unresolved_claims', describeClaimFault(fault), { ...fault })
    return replyOk(describeApplicable(url, result.profile, services.config.PROTOCOL_NAME), headers)
  },
})

function describeApplicable(
  agent_url: string,
  profile: AgentProfile,
  protocolName: string,
): ApplicableStoryboards {
  const { name, supported_protocols = [], specialisms = [], capabilities_probe_error } = profile
  const entries = listApplicable(profile, protocolName)
  const bundles = Map.groupBy(entries, ({ bundle }) => `${bundle.kind} ${bundle.id}`)
  return {
    agent_url,
    agent_name: name,
    supported_protocols,
    specialisms,
    ...describeTarget(getFirst(chooseTargets(profile))),
    ...(capabilities_probe_error !== undefined && { capabilities_probe_error }),
    bundles: [...bundles.values()].map(members => ({
      ...getFirst(members).bundle,
      storyboards: members.map(({ storyboard: { id, title, summary, step_count } }) => ({
        id,
        title,
        summary,
        step_count,
      })),
    })),
    total_storyboards: entries.length,
  }
}
