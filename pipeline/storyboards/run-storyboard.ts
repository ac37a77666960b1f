import type { Storyboard } from '../model/storyboards/storyboard.ts'
import type { AgentProfile, AgentRun, StepResult } from '../model/storyboards/storyboard-result.ts'
import { type AgentTarget, openAgentSession, type SessionDeps } from './agent-session.ts'
import { recordResult } from './plan-step.ts'
import { readProfile } from './read-profile.ts'
import { createState, runStep } from './run-step.ts'
import { chooseStatus } from './summarize.ts'

/**
 * Runs a storyboard against an agent, step by step, and calls `onStep` after each. Whatever the agent does
 * is a result.
 */
export async function runStoryboard(
  storyboard: Storyboard,
  target: AgentTarget,
  deps: SessionDeps,
  onStep: () => void = () => undefined,
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
      steps.push(result.passed === true ? omitExchange(result) : result)
      onStep()
    }
    phases.push({ phase_id: phase.id, steps })
  }
  return run({ status: chooseStatus(phases.flatMap(({ steps }) => steps)), phases, profile })
}

/** Omits request and answer, which nobody needs to see of a step that passed. */
function omitExchange({ exchange: _, ...result }: StepResult): StepResult {
  return result
}
