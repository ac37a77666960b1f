import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { toIso } from '../../../pipeline/core/clock.ts'
import { PublicError, refuse } from '../../../pipeline/core/errors.ts'
import {
  ComparisonProgress,
  ComparisonStarted,
} from '../../../pipeline/model/responses/comparison-progress.ts'
import type { Storyboard } from '../../../pipeline/model/storyboards/storyboard.ts'
import { StoryboardComparison } from '../../../pipeline/model/storyboards/storyboard-comparison.ts'
import {
  type ComparedRuns,
  type NeedsCredential,
  StoryboardJob,
  type StoryboardJobOf,
  type StoryboardProgress,
} from '../../../pipeline/model/storyboards/storyboard-job.ts'
import { buildComparisonRecord } from '../../../pipeline/resolve/comparison-record.ts'
import { requireEditor, requireOwnOrganization } from '../../auth/organization-access.ts'
import type { Principal } from '../../auth/principal.ts'
import { AgentParams, AnyId, ChosenOrganization, requireOwnAgent } from '../../checks/own-agent.ts'
import { defineOperation } from '../../operation/operation.ts'
import type { Services } from '../../operation/services.ts'
import { unwrapAnswer } from '../../operation/submission-result.ts'
import { noContent, replyOk, type Sent } from '../../responses/reply.ts'
import {
  type Asking,
  describeJob,
  NEEDS_CREDENTIAL,
  requireAnswered,
  runJob,
  SLACK_MS,
} from './run-jobs.ts'
import { requireStoryboard } from './storyboards.ts'

const declared = {
  group: 'Agent Compliance',
  access: 'bearer',
  cache: 'none',
  pathComesFirst: true,
} as const

const path = '/api/registry/agents/:encodedUrl/storyboard/:storyboardId/compare'
const place = z.object({
  ...AgentParams,
  storyboardId: AnyId.describe('ID of a storyboard, from the list of storyboards'),
})

export const compareStoryboard = defineOperation({
  ...declared,
  id: 'compareStoryboard',
  limits: ['storyboardRunsPerHour'],
  method: 'POST',
  path,
  summary: 'Compare an agent with the reference agent',
  description:
    'Runs a storyboard against your agent and against the reference agent, both at once, for at most ' +
    '90 seconds each. Your organization must have added the agent. ' +
    'The agent is actually called; purchases use a sandbox account. The run ends when the ' +
    'caller disconnects. With `Prefer: respond-async` (RFC 7240), the response is an immediate 202, and `progress_url` shows the progress. Returns 422 with `needs_oauth` if the agent requires a credential that ' +
    'the registry does not have.',
  writes: true,
  agentOwner: 'named',
  params: place,
  body: ChosenOrganization,
  reply: { 200: StoryboardComparison, 202: ComparisonStarted },
  requestHeaders: ['Prefer'],
  responseHeaders: ['Location', 'Preference-Applied'],
  errors: [
    'invalid_request',
    'forbidden',
    'not_found',
    'agent_needs_credential',
    'rate_limited',
    'unavailable',
  ],
  handle: async ({ params, header, principal, signal, services }) => {
    const { encodedUrl: url, storyboardId } = params
    const { reader, clock } = services
    const org_id = requireOwnOrganization(principal)
    const { id } = requireStoryboard(storyboardId)
    const job = { ...describeJob('compare', url, principal, { org_id, reader }), storyboard_id: id }
    const record = { org_id, requested_by: principal.id, tested_at: toIso(clock.now()) }
    const run_id = randomUUID()
    if (/\brespond-async\b/.test(String(header('prefer')))) {
      return startComparison(run_id, { ...job, record }, { principal, services })
    }
    const { result, headers } = await runJob('run', job, { principal, signal, services })
    await storeComparison({ run_id, agent_url: url, ...record }, result, services)
    return replyOk(result.comparison, headers)
  },
})

const jobPlace = place.extend({
  comparisonId: z.uuid().describe('ID of the comparison, from the response that started it'),
})

export const readComparison = defineOperation({
  ...declared,
  id: 'getStoryboardComparison',
  method: 'GET',
  path: `${path}/:comparisonId`,
  summary: 'Get the progress of a comparison',
  description:
    'For a comparison that was started with `Prefer: respond-async`. Returns the phases and steps that are done, and the result at the end. Only the organization that started the comparison can read it, until an hour after it ends.',
  params: jobPlace,
  reply: { 200: ComparisonProgress },
  errors: ['invalid_request', 'forbidden', 'not_found', 'unavailable'],
  handle: async ({ params, principal, services }) => {
    const storyboard = requireComparison(params, principal, services)
    const { job, found } = await findComparison(params, principal, services)
    const done = (found.progress ?? { user: 0, reference: 0 }) as StoryboardProgress
    const answer = found.answer as ComparedRuns | NeedsCredential | undefined
    return replyOk({
      comparison_id: params.comparisonId,
      progress_url: buildProgressUrl(job, params.comparisonId),
      agent_url: job.agent_url,
      storyboard_id: job.storyboard_id,
      status: found.status,
      requested_at: toIso(found.queued_at),
      ...countSteps(storyboard, done),
      ...(found.status === 'failed' && { error: 'the comparison was not finished; try again' }),
      ...(answer && describeEnd(answer)),
    })
  },
})

export const cancelComparison = defineOperation({
  ...declared,
  id: 'cancelStoryboardComparison',
  method: 'DELETE',
  path: `${path}/:comparisonId`,
  summary: 'Cancel a comparison',
  description: 'Stops calling the agent and stores nothing. A finished comparison is deleted.',
  writes: true,
  agentOwner: 'any',
  params: jobPlace,
  reply: { 204: null },
  errors: ['invalid_request', 'forbidden', 'not_found', 'unavailable'],
  handle: async ({ params, principal, services }) => {
    requireComparison(params, principal, services)
    requireEditor((await findComparison(params, principal, services)).membership)
    await services.writer.cancelStoryboardJob(params.comparisonId)
    return noContent
  },
})

type RecordedComparison = StoryboardJobOf<'compare'> &
  Required<Pick<StoryboardJobOf<'compare'>, 'record'>>

/**
 * Begins a comparison that goes on after the answer. It is stored at its end, with who asked; if this
 * process is gone by then, the indexer does so (jobs/indexer/comparison-recorder.ts).
 */
async function startComparison(
  run_id: string,
  job: RecordedComparison,
  { principal, services }: Omit<Asking, 'signal'>,
): Promise<Sent> {
  const { writer, storyboards, config, log } = services
  const { headers, release } = await storyboards.reserve('run', principal)
  const ms = config.LIMITS.storyboardMs + SLACK_MS
  const progress_url = buildProgressUrl(job, run_id)
  return new Promise((resolve, reject) => {
    const body = { comparison_id: run_id, progress_url, status: 'queued' }
    const answerHeaders = {
      ...headers,
      location: progress_url,
      'preference-applied': 'respond-async',
    }
    const onQueued = () => resolve({ status: 202, body, headers: answerHeaders })
    const signal = new AbortController().signal
    writer
      .runStoryboard<'compare'>(job, { ms, signal, handle: { id: run_id, onQueued } })
      .then(answer => {
        const place = { run_id, agent_url: job.agent_url, ...job.record }
        return storeComparison(place, requireAnswered<'compare'>(answer), services)
      })
      .catch(async error => {
        await release()
        if (!(error instanceof PublicError)) log.error({ error, run: run_id }, 'comparison failed')
        reject(error)
      })
  })
}

async function storeComparison(
  place: Parameters<typeof buildComparisonRecord>[0],
  compared: ComparedRuns,
  { writer, runStorage }: Services,
): Promise<void> {
  const operation = buildComparisonRecord(place, compared)
  const { run_id: submission_id } = place
  await runStorage.store(submission_id, async () =>
    unwrapAnswer(await writer.submit(operation, { submission_id })),
  )
}

type Place = z.output<typeof jobPlace>

function requireComparison(
  { encodedUrl, storyboardId }: Place,
  principal: Principal,
  { reader }: Services,
): Storyboard {
  requireOwnAgent(principal, encodedUrl, reader)
  return requireStoryboard(storyboardId)
}

/** Finds a comparison that an organization of the caller began; refuses with 404 for any other. */
async function findComparison(
  { encodedUrl, storyboardId, comparisonId }: Place,
  { memberships }: Principal,
  { writer }: Services,
) {
  const found = await writer.findStoryboardJob(comparisonId)
  const job = StoryboardJob.safeParse(found?.data).data
  const isTheirs =
    job?.kind === 'compare' && job.agent_url === encodedUrl && job.storyboard_id === storyboardId
  const membership = isTheirs && memberships.find(({ org_id }) => org_id === job.caller)
  if (found === undefined || !membership) {
    return refuse('not_found', 'there is no such comparison, or its end is over an hour ago')
  }
  return { job, found, membership }
}

function buildProgressUrl(
  { agent_url, storyboard_id }: StoryboardJobOf<'compare'>,
  id: string,
): string {
  const at = `/api/registry/agents/${encodeURIComponent(agent_url)}`
  return `${at}/storyboard/${encodeURIComponent(storyboard_id)}/compare/${id}`
}

/** Counts the steps that both sides have finished; each side takes them in order. */
function countSteps({ phases }: Storyboard, { user, reference }: StoryboardProgress) {
  let before = 0
  const counted = phases.map(({ id, title, steps }) => {
    const steps_total = steps.length
    const within = (done: number) => Math.max(0, Math.min(done - before, steps_total))
    const phase = {
      id,
      title,
      steps_total,
      user_steps_done: within(user),
      reference_steps_done: within(reference),
    }
    before += steps_total
    return phase
  })
  return {
    steps_total: before,
    user_steps_done: user,
    reference_steps_done: reference,
    phases: counted,
  }
}

/** Describes the end of a comparison: its result, or why there is none. */
function describeEnd(answer: ComparedRuns | NeedsCredential): Partial<ComparisonProgress> {
  if ('comparison' in answer) return { result: answer.comparison }
  const { message = NEEDS_CREDENTIAL } = answer
  return { status: 'failed', error: message, needs_oauth: true }
}
