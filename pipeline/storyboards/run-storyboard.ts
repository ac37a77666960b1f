import type { StoryboardPhase } from '../model/storyboards/storyboard.ts'
import type {
  AgentProfile,
  AgentRun,
  SkipReason,
  StepResult,
} from '../model/storyboards/storyboard-result.ts'
import type { JsonObject } from '../parse/object-reader.ts'
import type { AgentSession, AgentTarget, Connected, SessionDeps } from './agent-session.ts'
import { isTriedBranch, settleBranches, settleSubstitutes } from './branches.ts'
import { resolveTask } from './build-request.ts'
import { type RunnableStoryboard, readKit } from './catalog.ts'
import { connectAgent, openSession } from './connect-agent.ts'
import { recordResult, toSkippedResult } from './plan-step.ts'
import { prepareRun } from './prepare-run.ts'
import { readProfile } from './read-profile.ts'
import { createState, type RunState } from './run-state.ts'
import { runStep } from './run-step.ts'
import { chooseStatus } from './summarize.ts'
import { listRefusals, needsInbox } from './webhook-inbox.ts'

/** An agent that is connected, and what it says of itself. */
export interface KnownAgent {
  connection: Connected
  profile: AgentProfile
  capabilities: JsonObject | undefined
}

interface RunOptions {
  onStep?: () => void
  /** Keeps request and answer of steps that passed too: another run is shown beside this one. */
  isCompared?: boolean
  /** Connection and profile, if a storyboard before used them too. */
  known?: KnownAgent
}

/** Reads what a connected agent says of itself. */
export async function readKnownAgent(
  connection: Connected,
  deps: SessionDeps,
): Promise<KnownAgent> {
  const session = openSession(connection, deps)
  const profile = await readProfile(session, deps.protocolName)
  return { connection, profile, capabilities: session.capabilities }
}

/**
 * Runs a storyboard against an agent, step by step, and calls `onStep` after each. Whatever the agent does
 * is a result.
 */
export async function runStoryboard(
  storyboard: RunnableStoryboard,
  target: AgentTarget,
  deps: SessionDeps,
  { onStep = () => undefined, isCompared = false, known }: RunOptions = {},
): Promise<AgentRun> {
  const startedAt = deps.clock.now()
  const started = performance.now()
  const run = (more: Pick<AgentRun, 'status' | 'phases'> & { profile?: AgentProfile }) => ({
    url: target.url,
    duration_ms: Math.round(performance.now() - started),
    tested_at: new Date(startedAt).toISOString(),
    ...more,
  })
  const connection = known?.connection ?? (await connectAgent(target, deps))
  if ('failure' in connection) {
    const status = connection.failure.outcome === 'needs_auth' ? 'auth_required' : 'unreachable'
    return run({ status, phases: [] })
  }
  const session = openSession(connection, deps)
  session.capabilities = known?.capabilities
  const profile = known?.profile ?? (await readProfile(session, deps.protocolName))
  const { protocolName } = deps
  const state = createState(storyboard, {
    tools: session.tools,
    agentUrl: target.url,
    startedAt,
    protocolName,
    kit: readKit(storyboard),
  })
  const inbox = needsInbox(storyboard)
    ? await deps.openInbox?.(listRefusals(storyboard))
    : undefined
  if (inbox !== undefined) state.inbox = inbox
  const phases = await runPhases(state, session, onStep).finally(() => inbox?.close())
  const settled = settleBranches(storyboard, isCompared ? phases : omitPassed(phases), state)
  const status = chooseStatus(settled.flatMap(({ steps }) => steps))
  return run({ status, phases: settled, profile })
}

async function runPhases(
  state: RunState,
  session: AgentSession,
  onStep: () => void,
): Promise<AgentRun['phases']> {
  const reason = await prepareRun(state, session)
  const phases: AgentRun['phases'] = []
  for (const phase of state.storyboard.phases) {
    const steps =
      reason === undefined
        ? await runPhase(phase, state, session, onStep)
        : skipPhase(phase, state, reason, onStep)
    phases.push({ phase_id: phase.id, steps })
  }
  return phases
}

async function runPhase(
  phase: StoryboardPhase,
  state: RunState,
  session: AgentSession,
  onStep: () => void,
): Promise<StepResult[]> {
  if (isLeftOut(phase, state, session.authorization)) {
    return skipPhase(phase, state, 'not_applicable', onStep)
  }
  const steps: StepResult[] = []
  for (const step of phase.steps) {
    const result = await runStep(step, phase, state, session)
    recordResult(state, phase, step, result)
    steps.push(result)
    onStep()
  }
  state.hasTriedBranch ||= isTriedBranch(phase, steps)
  return settleSubstitutes(phase, steps)
}

/** Tells whether a phase is for agents with another test kit. The agent’s own credential stands for that of the kit. */
function isLeftOut({ skip_if }: StoryboardPhase, { kit }: RunState, own?: string): boolean {
  return skip_if === '!test_kit.auth.api_key' && (own ?? kit?.auth.api_key) === undefined
}

function skipPhase(
  { steps }: StoryboardPhase,
  state: RunState,
  reason: SkipReason,
  onStep: () => void,
): StepResult[] {
  return steps.map(step => {
    onStep()
    return toSkippedResult(step, resolveTask(step, state), reason)
  })
}

/** Omits requests and answers of steps that passed, which nobody needs to see. */
function omitPassed(phases: AgentRun['phases']): AgentRun['phases'] {
  return phases.map(({ steps, ...phase }) => ({
    ...phase,
    steps: steps.map(step => (step.passed === true ? omitExchange(step) : step)),
  }))
}

export function omitExchange({ exchange: _, ...result }: StepResult): StepResult {
  return result
}
