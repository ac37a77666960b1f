import type { Storyboard } from '../model/storyboards/storyboard.ts'
import type {
  ComparedPhase,
  StoryboardComparison,
} from '../model/storyboards/storyboard-comparison.ts'
import type { AgentRun, SideResult } from '../model/storyboards/storyboard-result.ts'
import type { RunnableStoryboard } from './catalog.ts'
import { applyProtocolName } from './references.ts'
import { omitExchange } from './run-storyboard.ts'
import { summarizeRun } from './summarize.ts'

/** Name of the reference agent if it gives none. */
const REFERENCE_NAME = 'Reference agent'

/** Joins two runs of a storyboard by phase and step. */
export function compareRuns(
  storyboard: RunnableStoryboard,
  user: AgentRun,
  reference: AgentRun,
  protocolName: string,
): StoryboardComparison {
  const { id, title, category } = storyboard
  return {
    storyboard: { id, title, category },
    user_agent: describeSide(storyboard, user),
    reference_agent: {
      ...describeSide(storyboard, reference),
      name: reference.profile?.name ?? REFERENCE_NAME,
    },
    adcp_version: storyboard.source.version,
    requested_compliance_target: storyboard.source.target,
    badge_eligible: false,
    badge_eligible_adcp_versions: [],
    phases: storyboard.phases.map(phase =>
      comparePhase(id, phase, [user, reference], protocolName),
    ),
    total_duration_ms: Math.max(user.duration_ms, reference.duration_ms),
  }
}

function describeSide(storyboard: Storyboard, run: AgentRun) {
  const { url, profile } = run
  return { url, ...(profile && { profile }), summary: summarizeRun(storyboard, run) }
}

function comparePhase(
  storyboardId: string,
  { id, title, narrative, steps }: Storyboard['phases'][number],
  [user, reference]: [AgentRun, AgentRun],
  protocolName: string,
): ComparedPhase {
  return {
    id,
    title,
    ...(narrative !== undefined && { narrative }),
    steps: steps.map(({ id: step, title, task, expected }) => {
      const found = [user, reference].map(run => findResult(storyboardId, id, step, run))
      const [first, second] = found as [SideResult, SideResult]
      const differs = first.passed !== second.passed
      const [user_result, reference_result] = differs
        ? [first, second]
        : [omitExchanges(first), omitExchanges(second)]
      return {
        id: step,
        title,
        task: applyProtocolName(task, protocolName),
        expected,
        user_result,
        reference_result,
        differs,
      }
    }),
  }
}

/** Omits what a side that passed was sent and answered, where the other side did the same. */
function omitExchanges(side: SideResult): SideResult {
  if (side.passed !== true) return side
  const scenarios = side.scenarios.map(({ steps, ...scenario }) => ({
    ...scenario,
    steps: steps.map(omitExchange),
  }))
  return { ...side, scenarios }
}

/** Finds the result of a step in a run, as a scenario of its own. */
export function findResult(
  storyboard: string,
  phase: string,
  step: string,
  run: AgentRun,
): SideResult {
  const phaseRun = run.phases.find(({ phase_id }) => phase_id === phase)
  const result = phaseRun?.steps.find(({ step: id }) => id === step)
  if (result === undefined) return { passed: null, scenarios: [] }
  const scenario = {
    agent_url: run.url,
    scenario: `${storyboard}/${phase}`,
    overall_passed: result.passed,
    steps: [result],
    total_duration_ms: result.duration_ms,
    tested_at: run.tested_at,
  }
  return { passed: result.passed, scenarios: [scenario] }
}
