import { randomUUID } from 'node:crypto'
import { DAY, toIso } from '../core/clock.ts'
import { requireValue } from '../core/present.ts'
import {
  COMPLIANCE_TARGET,
  STORYBOARD_PROTOCOL_VERSION,
  type Storyboard,
  type StoryboardPhase,
  type StoryboardStep,
} from '../model/storyboards/storyboard.ts'
import type { StepResult } from '../model/storyboards/storyboard-result.ts'
import type { SingleStep } from '../model/storyboards/storyboard-run.ts'
import type { AgentSession } from './agent-session.ts'
import { describeExchange } from './describe-exchange.ts'
import { judgeStep } from './judge-step.ts'
import { planStep, type RunState, toSkippedResult } from './plan-step.ts'
import { applyProtocolName } from './references.ts'

/** Prefix of what was made for a run, among the values that steps hand on. */
const MADE = '#'
/** Moment at which the run began, to which its requests are relative. */
const STARTED_AT = `${MADE}started_at`
/** A run that is walked through step by step takes no longer. */
const GOES_ON_MS = 7 * DAY

/** Creates the state of a run that starts, or continues with values of earlier steps. */
export function createState(
  session: Pick<AgentSession, 'tools'>,
  startedAt: number,
  protocolName: string,
  context: Readonly<Record<string, unknown>> = {},
): RunState {
  const values = new Map(Object.entries(context))
  const began = Date.parse(String(values.get(STARTED_AT)))
  // Callers hand it on, and may have changed it.
  const goesOn = Math.abs(began - startedAt) < GOES_ON_MS
  if (!goesOn) values.set(STARTED_AT, toIso(startedAt))
  const generate = (name: string) => {
    const known = values.get(`${MADE}${name}`)
    const id = typeof known === 'string' ? known : randomUUID()
    values.set(`${MADE}${name}`, id)
    return id
  }
  return {
    context: {
      values,
      generate,
      startedAt: goesOn ? began : startedAt,
      protocolName,
    },
    tools: session.tools,
    hasBrokenState: false,
    brokenPhases: new Set(),
  }
}

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
  const answer = await session.call(planned.task, planned.args)
  return judgeStep(step, planned, answer, state.context)
}

/** Finds a step of a storyboard, its phase and the step that follows. */
export function findStep({ phases }: Pick<Storyboard, 'phases'>, stepId: string) {
  const places = phases.flatMap(phase => phase.steps.map(step => ({ phase, step })))
  const at = places.findIndex(({ step }) => step.id === stepId)
  const place = places[at]
  return place && { ...place, next: places[at + 1]?.step.id ?? null }
}

/** Start of a step that is run alone. */
interface StepStart {
  /** Values that earlier steps put out. */
  context: Readonly<Record<string, unknown>>
  startedAt: number
  protocolName: string
}

/** Runs one step alone. */
export async function runSingleStep(
  storyboard: Storyboard,
  stepId: string,
  session: AgentSession,
  { context, startedAt, protocolName }: StepStart,
): Promise<SingleStep> {
  const { phase, step } = requireValue(findStep(storyboard, stepId), 'step')
  const state = createState(session, startedAt, protocolName, context)
  const result = await runStep(step, phase, state, session)
  const single = describeSingle(storyboard, result, state)
  return { ...single, context: session.hide(single.context) }
}

/** Makes the request of one step, without an agent. */
export function previewStep(
  storyboard: Storyboard,
  stepId: string,
  url: string,
  { context, startedAt, protocolName }: StepStart,
): SingleStep {
  const { phase, step } = requireValue(findStep(storyboard, stepId), 'step')
  const tools = new Set([applyProtocolName(step.task, protocolName)])
  const state = createState({ tools }, startedAt, protocolName, context)
  const planned = planStep(step, phase, state)
  if (planned.kind === 'skip') {
    return describeSingle(storyboard, toSkippedResult(step, planned.task, planned.reason), state)
  }
  const { task, args } = planned
  const result = {
    ...toSkippedResult(step, task, 'dry_run'),
    exchange: describeExchange({ url, task, args }),
  }
  return describeSingle(storyboard, result, state)
}

function describeSingle(
  storyboard: Storyboard,
  result: StepResult,
  { context }: RunState,
): SingleStep {
  const { phase, step, next } = requireValue(findStep(storyboard, result.step), 'step')
  return {
    ...result,
    requested_compliance_target: COMPLIANCE_TARGET,
    adcp_version: STORYBOARD_PROTOCOL_VERSION,
    storyboard_id: storyboard.id,
    phase_id: phase.id,
    title: step.title,
    context: Object.fromEntries(context.values),
    next_step_id: next,
  }
}
