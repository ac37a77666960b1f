import { requireValue } from '../core/present.ts'
import type {
  Storyboard,
  StoryboardPhase,
  StoryboardStep,
} from '../model/storyboards/storyboard.ts'
import type { StepResult } from '../model/storyboards/storyboard-result.ts'
import type { SingleStep } from '../model/storyboards/storyboard-run.ts'
import type { AgentAnswer, AgentSession } from './agent-session.ts'
import { findFlag, judgeContribution } from './branches.ts'
import { type RunnableStoryboard, readKit } from './catalog.ts'
import { describeExchange } from './describe-exchange.ts'
import { buildGuidance } from './guidance.ts'
import { judgeStep } from './judge-step.ts'
import { type PlannedStep, planStep, toSkippedResult } from './plan-step.ts'
import { chooseAuthorization } from './probe-credential.ts'
import { readDocument } from './read-documents.ts'
import { readUpstream } from './read-upstream.ts'
import { applyProtocolName } from './references.ts'
import { createState, type RunStart, type RunState, recordPassed } from './run-state.ts'
import { waitForCompletion } from './wait-for-completion.ts'
import { waitForWebhooks } from './wait-for-webhooks.ts'

/** Runs one step, or tells why it is skipped. */
export async function runStep(
  step: StoryboardStep,
  phase: StoryboardPhase,
  state: RunState,
  session: AgentSession,
): Promise<StepResult> {
  const planned = planStep(step, phase, state)
  if (planned.kind === 'skip') return toSkippedResult(step, planned.task, planned.reason)
  if (session.hasEnded) return toSkippedResult(step, planned.task, 'timed_out')
  const result = explain(await carryOut(step, planned, state, session), step, state)
  if (result.passed) recordPassed(state, step.id, findFlag(step, phase, state))
  return result
}

/** Adds to a failed result what to change. */
function explain(result: StepResult, step: StoryboardStep, { storyboard }: RunState): StepResult {
  if (result.passed !== false) return result
  const failed = result.validations.find(({ passed }) => !passed)
  return { ...result, guidance: buildGuidance(step, failed, storyboard) }
}

async function carryOut(
  step: StoryboardStep,
  planned: Exclude<PlannedStep, { kind: 'skip' }>,
  state: RunState,
  session: AgentSession,
): Promise<StepResult> {
  if (planned.kind === 'await') {
    return waitForWebhooks(step, planned.task, planned.inbox, state, session)
  }
  if (planned.kind === 'judge') return judgeContribution(step, planned, state)
  state.requestedAt.set(step.id, session.now())
  const answer =
    planned.kind === 'call'
      ? await callTask(step, planned, state, session)
      : await readDocument(planned.task, state, session)
  if (answer === undefined) return toSkippedResult(step, planned.task, 'not_applicable')
  if (answer.kind === 'silent') {
    // A call that the end of the run cut off says nothing about the agent.
    if (session.hasEnded) return toSkippedResult(step, planned.task, 'timed_out')
    return judgeStep(step, planned, answer, state)
  }
  const completion = await waitForCompletion(step, answer.outcome, session)
  const upstream = await readUpstream(step.id, planned.validations, state, session)
  return judgeStep(step, planned, answer, state, { completion, upstream })
}

function callTask(
  { auth }: StoryboardStep,
  { task, args }: Extract<PlannedStep, { kind: 'call' }>,
  state: RunState,
  session: AgentSession,
): Promise<AgentAnswer> {
  if (auth === undefined) return session.call(task, args)
  return session.probe(task, args, chooseAuthorization(auth, session.authorization, state))
}

/** Finds a step of a storyboard, its phase and the step that follows. */
export function findStep({ phases }: Pick<Storyboard, 'phases'>, stepId: string) {
  const places = phases.flatMap(phase => phase.steps.map(step => ({ phase, step })))
  const at = places.findIndex(({ step }) => step.id === stepId)
  const place = places[at]
  return place && { ...place, next: places[at + 1]?.step.id ?? null }
}

/** Start of a step that is run alone. */
type StepStart = Pick<RunStart, 'context' | 'startedAt' | 'protocolName'>

/** Runs one step alone. */
export async function runSingleStep(
  storyboard: RunnableStoryboard,
  stepId: string,
  session: AgentSession,
  start: StepStart,
): Promise<SingleStep> {
  const { phase, step } = requireValue(findStep(storyboard, stepId), 'step')
  const { tools, url: agentUrl } = session
  const kit = readKit(storyboard)
  const state = createState(storyboard, { ...start, tools, agentUrl, kit })
  const result = await runStep(step, phase, state, session)
  const single = describeSingle(storyboard, result, state)
  return { ...single, context: session.hide(single.context) }
}

/** Makes the request of one step, without an agent. */
export function previewStep(
  storyboard: RunnableStoryboard,
  stepId: string,
  url: string,
  start: StepStart,
): SingleStep {
  const { phase, step } = requireValue(findStep(storyboard, stepId), 'step')
  const { protocolName } = start
  const named = [step.task, step.task_default ?? '', step.requires_tool ?? '']
  const tools = new Set(named.map(task => applyProtocolName(task, protocolName)))
  const kit = readKit(storyboard)
  const state = createState(storyboard, { ...start, tools, agentUrl: url, kit })
  const planned = planStep(step, phase, state)
  if (planned.kind === 'skip') {
    return describeSingle(storyboard, toSkippedResult(step, planned.task, planned.reason), state)
  }
  const { task } = planned
  const args = planned.kind === 'call' ? planned.args : {}
  const result = {
    ...toSkippedResult(step, task, 'dry_run'),
    exchange: describeExchange({ url, task, args }),
  }
  return describeSingle(storyboard, result, state)
}

function describeSingle(
  storyboard: RunnableStoryboard,
  result: StepResult,
  { context }: RunState,
): SingleStep {
  const { phase, step, next } = requireValue(findStep(storyboard, result.step), 'step')
  return {
    ...result,
    requested_compliance_target: storyboard.source.target,
    adcp_version: storyboard.source.version,
    storyboard_id: storyboard.id,
    phase_id: phase.id,
    title: step.title,
    context: Object.fromEntries(context.values),
    next_step_id: next,
  }
}
