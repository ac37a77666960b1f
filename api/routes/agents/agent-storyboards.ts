import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { toIso } from '../../../pipeline/core/clock.ts'
import { refuse } from '../../../pipeline/core/errors.ts'
import { groupBy } from '../../../pipeline/core/group.ts'
import { ApplicableStoryboards } from '../../../pipeline/model/responses/storyboards.ts'
import {
  COMPLIANCE_TARGET,
  STORYBOARD_PROTOCOL_VERSION,
} from '../../../pipeline/model/storyboard.ts'
import {
  type AgentProfile,
  type AgentSilent,
  type NeedsCredential,
  SingleStep,
  StepContext,
  type StoryboardAnswers,
  StoryboardComparison,
  type StoryboardJobKind,
  type StoryboardJobOf,
  StoryboardRun,
  type StoryboardStatus,
} from '../../../pipeline/model/storyboard-run.ts'
import type { OperationOf } from '../../../pipeline/model/submission.ts'
import { findAgentCredential } from '../../../pipeline/read/lookups/agent-tests.ts'
import type { Reader } from '../../../pipeline/read/reader.ts'
import { listApplicable } from '../../../pipeline/storyboards/catalog.ts'
import type { Principal } from '../../auth/principal.ts'
import { AgentParams, AnyId, requireOwnAgent } from '../../checks/own-agent.ts'
import type { TestKind } from '../../limits/storyboards.ts'
import { defineOperation } from '../../operation/operation.ts'
import type { Services } from '../../operation/services.ts'
import { unwrapAnswer } from '../../operation/submission-result.ts'
import { replyOk } from '../../responses/reply.ts'
import { requireStoryboard } from './storyboards.ts'

/** Time that a job may wait for a crawler, and its answer may take. */
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

const asked =
  'The agent must be enrolled by your organization. It is really called: purchases of the storyboard are ' +
  'for a sandbox account. The run ends when the caller disconnects. 422 with `needs_oauth` when the agent ' +
  'requires a credential that the registry does not have.'

const place = z.object({
  ...AgentParams,
  storyboardId: AnyId.describe('Name of a storyboard, from the list of storyboards'),
})

export const compareStoryboard = defineOperation({
  ...declared,
  id: 'compareStoryboard',
  method: 'POST',
  path: '/api/registry/agents/:encodedUrl/storyboard/:storyboardId/compare',
  summary: 'Compare an agent with the reference agent',
  description:
    'Runs a storyboard against your agent and against the reference agent, both at once, for at most ' +
    `90 seconds each; ten an hour, together with runs. ${asked}`,
  params: place,
  reply: { 200: StoryboardComparison },
  errors: refusals,
  handle: async ({ params: { encodedUrl: url, storyboardId }, principal, signal, services }) => {
    const org_id = requireOwnAgent(principal, url, services.reader)
    const { id } = requireStoryboard(storyboardId)
    const asked = describeJob('compare', url, principal, { org_id, reader: services.reader })
    const { kind, agent_url } = asked
    const job = { ...asked, storyboard_id: id }
    const tested_at = toIso(services.clock.now())
    const { result, headers } = await runJob('run', job, { principal, signal, services })
    const { comparison, user, reference } = result
    const finished = { run_id: randomUUID(), kind, agent_url, org_id, tested_at, user }
    await recordRun(
      { ...finished, duration_ms: comparison.total_duration_ms },
      principal,
      services,
      {
        reference_status: reference.status,
        differing_steps: listDiffering(comparison),
      },
    )
    return replyOk(comparison, headers)
  },
})

export const runAgentStoryboard = defineOperation({
  ...declared,
  id: 'runAgentStoryboard',
  method: 'POST',
  path: '/api/registry/agents/:encodedUrl/storyboard/:storyboardId/run',
  summary: 'Run a storyboard against an agent',
  description: `Every step with its checks. ${asked}`,
  params: place,
  reply: { 200: StoryboardRun },
  errors: refusals,
  handle: async ({ params: { encodedUrl: url, storyboardId }, principal, signal, services }) => {
    const org_id = requireOwnAgent(principal, url, services.reader)
    const { id, track } = requireStoryboard(storyboardId)
    const asked = describeJob('run', url, principal, { org_id, reader: services.reader })
    const { kind, agent_url } = asked
    const run_id = randomUUID()
    const job = { ...asked, storyboard_id: id, run_id }
    const tested_at = toIso(services.clock.now())
    const { result, headers } = await runJob('run', job, { principal, signal, services })
    const { storyboard_status: user, total_duration_ms: duration_ms } = result
    const finished = { run_id, kind, agent_url, org_id, tested_at, user, duration_ms }
    await recordRun(finished, principal, services, { track })
    return replyOk(result, headers)
  },
})

const CONTEXT_CHARS = 50_000

export const runAgentStep = defineOperation({
  ...declared,
  id: 'runAgentStoryboardStep',
  method: 'POST',
  path: '/api/registry/agents/:encodedUrl/storyboard/:storyboardId/step/:stepId',
  summary: 'Run one step of a storyboard against an agent',
  description:
    'Send the `context` of the last answer along, which has the outputs of earlier steps. ' +
    `Sixty an hour. ${asked}`,
  params: z.object({
    ...place.shape,
    stepId: AnyId.describe('Name of a step, from its storyboard'),
  }),
  body: z
    .object({
      context: StepContext.refine(
        context => JSON.stringify(context).length <= CONTEXT_CHARS,
        `must take at most ${CONTEXT_CHARS} characters`,
      ).optional(),
    })
    .optional(),
  reply: { 200: SingleStep },
  errors: [...refusals, 'bad_gateway', 'gateway_timeout'],
  handle: async ({ params, body, principal, signal, services }) => {
    const { encodedUrl: url, storyboardId, stepId } = params
    const org_id = requireOwnAgent(principal, url, services.reader)
    const { id, phases } = requireStoryboard(storyboardId)
    if (!phases.some(({ steps }) => steps.some(step => step.id === stepId))) {
      return refuse('not_found', 'the storyboard has no step with this id')
    }
    const asked = describeJob('step', url, principal, { org_id, reader: services.reader })
    const context = body?.context ?? {}
    const job = { ...asked, storyboard_id: id, step_id: stepId, context }
    const { result, headers } = await runJob('step', job, { principal, signal, services })
    return replyOk(result, headers)
  },
})

export const listAgentStoryboards = defineOperation({
  ...declared,
  id: 'listApplicableStoryboards',
  method: 'GET',
  path: '/api/registry/agents/:encodedUrl/applicable-storyboards',
  summary: 'List the storyboards that apply to an agent',
  description:
    'The agent is called to discover what it is. It must be enrolled by your organization.',
  params: z.object(AgentParams),
  reply: { 200: ApplicableStoryboards },
  errors: [...refusals.filter(error => error !== 'not_found'), 'bad_gateway', 'gateway_timeout'],
  handle: async ({ params: { encodedUrl: url }, principal, signal, services }) => {
    const { reader } = services
    const org_id = requireOwnAgent(principal, url, reader)
    const job = describeJob('profile', url, principal, { org_id, reader })
    const { result, headers } = await runJob('step', job, { principal, signal, services })
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
  const bundles = groupBy(entries, ({ bundle }) => `${bundle.kind} ${bundle.id}`)
  return {
    agent_url,
    agent_name: name,
    supported_protocols,
    specialisms,
    requested_compliance_target: COMPLIANCE_TARGET,
    adcp_version: STORYBOARD_PROTOCOL_VERSION,
    ...(capabilities_probe_error !== undefined && { capabilities_probe_error }),
    bundles: [...bundles.values()].map(members => ({
      ...members[0]!.bundle,
      storyboards: members.map(({ storyboard: { id, title, summary, phases } }) => ({
        id,
        title,
        summary,
        step_count: phases.reduce((sum, { steps }) => sum + steps.length, 0),
      })),
    })),
    total_storyboards: entries.length,
  }
}

/** Describes a job, with the credential that the organization has given of its agent. */
function describeJob<Kind extends StoryboardJobKind>(
  kind: Kind,
  agent_url: string,
  { org_id: caller, id }: Principal,
  { org_id, reader }: { org_id: string; reader: Reader },
) {
  const known = findAgentCredential(reader, org_id, agent_url)
  const credential = known && { org_id, sealed: known.sealed }
  return { kind, agent_url, caller: caller ?? id, ...(credential && { credential }) }
}

/** A run to be stored. */
interface FinishedRun {
  run_id: string
  kind: 'run' | 'compare'
  agent_url: string
  org_id: string
  tested_at: string
  duration_ms: number
  user: StoryboardStatus
}

/** Submits a run, with its caller, for storage. */
async function recordRun(
  { user, ...run }: FinishedRun,
  { id: requested_by }: Principal,
  { writer }: Services,
  more: Pick<OperationOf<'storyboard.record'>, 'reference_status' | 'differing_steps' | 'track'>,
): Promise<void> {
  const { first_failure_validations: _, ...result } = user
  const operation = {
    op: 'storyboard.record',
    ...run,
    ...result,
    requested_by,
    ...more,
  } as const
  unwrapAnswer(await writer.submit(operation))
}

function listDiffering({ phases = [] }: StoryboardComparison): string[] {
  const steps = phases.flatMap(phase => phase.steps)
  return steps.filter(({ differs }) => differs).map(({ id }) => id)
}

interface Asking {
  principal: Principal
  signal(): AbortSignal
  services: Services
}

/** Runs a job on a crawler within the caller's quota; refuses if the agent could not be called. */
function runJob<Kind extends StoryboardJobKind>(
  kind: TestKind,
  job: StoryboardJobOf<Kind>,
  { principal, signal, services }: Asking,
): Promise<{ result: Answered<Kind>; headers: Readonly<Record<string, string>> }> {
  const { config, storyboards, writer } = services
  const ms = config.LIMITS.storyboardMs + SLACK_MS
  return storyboards.spend(kind, principal, async () =>
    requireAnswered<Kind>(await writer.runStoryboard<Kind>(job, { ms, signal: signal() })),
  )
}

type Answered<Kind extends StoryboardJobKind> = Exclude<
  StoryboardAnswers[Kind],
  NeedsCredential | AgentSilent
>

function requireAnswered<Kind extends StoryboardJobKind>(
  answer: StoryboardAnswers[Kind],
): Answered<Kind> {
  if ('needs_credential' in answer) {
    const text = 'the agent requires a credential that the registry does not have'
    return refuse('agent_needs_credential', text, { needs_oauth: true })
  }
  if ('failed' in answer) {
    return refuse(answer.failed === 'timeout' ? 'gateway_timeout' : 'bad_gateway', answer.message)
  }
  return answer as Answered<Kind>
}
