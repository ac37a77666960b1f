import { randomUUID } from 'node:crypto'
import { toIso } from '../../../pipeline/core/clock.ts'
import { PublicError, type PublicErrorName, refuse } from '../../../pipeline/core/errors.ts'
import type { AgentTests } from '../../../pipeline/model/agent-test.ts'
import type {
  AgentSilent,
  NeedsCredential,
  StoryboardAnswers,
  StoryboardJobKind,
  StoryboardJobOf,
} from '../../../pipeline/model/storyboards/storyboard-job.ts'
import type { StoryboardStatus } from '../../../pipeline/model/storyboards/storyboard-run.ts'
import type { OperationOf } from '../../../pipeline/model/submission.ts'
import { findAgentCredential } from '../../../pipeline/read/lookups/agent-tests.ts'
import type { Reader } from '../../../pipeline/read/reader.ts'
import type { Principal } from '../../auth/principal.ts'
import type { TestKind } from '../../limits/storyboard-quota.ts'
import type { Services } from '../../operation/services.ts'
import { unwrapAnswer } from '../../operation/submission-result.ts'

/** Time that a job may wait for a crawler, and its answer may take. */
export const SLACK_MS = 20_000
export const NEEDS_CREDENTIAL = 'the agent requires a credential that the registry does not have'

/** Refuses a test of an agent whose tests are paused, or that has opted out. */
export function refuseUntested(settings: AgentTests['settings'] | undefined): void {
  if (settings?.is_opted_out || settings?.paused_at) {
    refuse('conflict', 'the tests of this agent are paused, or it has opted out')
  }
}

/** Describes a job, with the credential that the organization has set for its agent. */
export function describeJob<Kind extends StoryboardJobKind>(
  kind: Kind,
  agent_url: string,
  { org_id: caller, id }: Principal,
  { org_id, reader }: { org_id: string; reader: Reader },
) {
  const known = findAgentCredential(reader, org_id, agent_url)
  const credential = known && { org_id, sealed: known.sealed }
  return { kind, agent_url, caller: caller ?? id, ...(credential && { credential }) }
}

/** A run of one storyboard to be stored. */
interface FinishedRun {
  run_id: string
  kind: 'run'
  agent_url: string
  org_id: string
  tested_at: string
  duration_ms: number
  user: StoryboardStatus
}

/** Has a run stored, with its caller. */
export async function recordRun(
  { user, ...run }: FinishedRun,
  { id: requested_by }: Principal,
  { writer, runStorage }: Services,
  more: Pick<OperationOf<'storyboard.record'>, 'track' | 'diagnostics' | 'has_coverage_gap'>,
): Promise<void> {
  const { first_failure_validations: _, ...result } = user
  const operation = {
    op: 'storyboard.record',
    ...run,
    ...result,
    requested_by,
    ...more,
  } as const
  const { run_id: submission_id } = run
  await runStorage.store(submission_id, async () =>
    unwrapAnswer(await writer.submit(operation, { submission_id })),
  )
}

export interface Asking {
  principal: Principal
  signal(): AbortSignal
  services: Services
}

/** Runs a job on a crawler within the caller's quota; refuses if the agent could not be called. */
export function runJob<Kind extends StoryboardJobKind>(
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

/** Returns what a job found; refuses where the agent could not be called. */
export function requireAnswered<Kind extends StoryboardJobKind>(
  answer: StoryboardAnswers[Kind],
): Answered<Kind> {
  if ('needs_credential' in answer) {
    const { message = NEEDS_CREDENTIAL } = answer
    return refuse('agent_needs_credential', message, { needs_oauth: true })
  }
  if ('failed' in answer) {
    const { failed, reason, message } = answer
    return refuse(failed === 'timeout' ? 'gateway_timeout' : 'bad_gateway', message, { reason })
  }
  return answer as Answered<Kind>
}

/**
 * Runs a job whose result is not stored, and has it recorded among the calls of the agent, also if the agent
 * could not be called.
 */
export async function runBriefJob<Kind extends 'step' | 'profile' | 'token'>(
  job: StoryboardJobOf<Kind>,
  org_id: string,
  asking: Asking,
): Promise<{ result: Answered<Kind>; headers: Readonly<Record<string, string>> }> {
  const { writer, clock, runStorage } = asking.services
  const { kind, agent_url }: StoryboardJobOf<'step' | 'profile' | 'token'> = job
  const request_id = randomUUID()
  const requested_at = toIso(clock.now())
  const started = performance.now()
  const note = async (error_message: string | null) => {
    const operation = {
      op: 'agent.request.record',
      request_id,
      agent_url,
      org_id,
      request_type: briefTypes[kind],
      response_time_ms: Math.round(performance.now() - started),
      success: error_message === null,
      error_message,
      requested_at,
    } as const
    await runStorage.store(request_id, async () =>
      unwrapAnswer(await writer.submit(operation, { submission_id: request_id })),
    )
  }
  try {
    const answered = await runJob('step', job, asking)
    await note(null)
    return answered
  } catch (error) {
    if (error instanceof PublicError && agentFailures.has(error.error)) await note(error.message)
    throw error
  }
}

const briefTypes = { step: 'step', profile: 'discovery', token: 'token' } as const
/** Refusals after which the agent, or its token endpoint, was called. */
const agentFailures = new Set<PublicErrorName>([
  'agent_needs_credential',
  'bad_gateway',
  'gateway_timeout',
])
