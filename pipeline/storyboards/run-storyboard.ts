import { randomUUID } from 'node:crypto'
import type { Storyboard, StoryboardPhase, StoryboardStep } from '../model/storyboard.ts'
import type { AgentProfile, AgentRun, StepResult } from '../model/storyboard-run.ts'
import {
  type AgentSession,
  type AgentTarget,
  openAgentSession,
  type SessionDeps,
} from './agent-session.ts'
import { judgeStep } from './judge-step.ts'
import { planStep, type RunState, recordResult, toSkippedResult } from './plan-step.ts'
import { readProfile } from './read-profile.ts'
import { chooseStatus } from './summarize.ts'

/** Runs a storyboard against an agent, step by step. Whatever the agent does is a result. */
export async function runStoryboard(
  storyboard: Storyboard,
  target: AgentTarget,
  deps: SessionDeps,
): Promise<AgentRun> {
  const startedAt = deps.clock.now()
  const started = performance.now()
  const run = (more: Pick<AgentRun, 'status' | 'phases'> & { profile?: AgentProfile }) => ({
    url: target.url,
    duration_ms: Math.round(performance.now() - started),
    tested_at: new Date(startedAt).toISOString(),
    ...more,
  })
  const session = await openAgentSession(target, deps)
  if ('failure' in session) {
    const status = session.failure.outcome === 'needs_auth' ? 'auth_required' : 'unreachable'
    return run({ status, phases: [] })
  }
  const profile = await readProfile(session, deps.protocolName)
  const state = createState(session, startedAt, deps.protocolName)
  const phases: AgentRun['phases'] = []
  for (const phase of storyboard.phases) {
    const steps: StepResult[] = []
    for (const step of phase.steps) {
      const result = await runStep(step, phase, state, session)
      recordResult(state, phase, step, result)
      steps.push(result)
    }
    phases.push({ phase_id: phase.id, steps })
  }
  return run({ status: chooseStatus(phases.flatMap(({ steps }) => steps)), phases, profile })
}

function createState(session: AgentSession, startedAt: number, protocolName: string): RunState {
  const ids = new Map<string, string>()
  const generate = (name: string) => {
    const id = ids.get(name) ?? randomUUID()
    ids.set(name, id)
    return id
  }
  return {
    context: { values: new Map(), generate, startedAt, protocolName },
    tools: session.tools,
    hasBrokenState: false,
    brokenPhases: new Set(),
  }
}

async function runStep(
  step: StoryboardStep,
  phase: StoryboardPhase,
  state: RunState,
  session: AgentSession,
): Promise<StepResult> {
  const planned = planStep(step, phase, state)
  if (planned.kind === 'skip') return toSkippedResult(step, planned.task, planned.reason)
  if (session.isOver) return toSkippedResult(step, planned.task, 'timed_out')
  const answer = await session.call(planned.task, planned.args)
  return judgeStep(step, planned, answer, state.context)
}
