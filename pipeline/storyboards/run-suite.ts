import { randomUUID } from 'node:crypto'
import { BADGE_VERSION } from '../model/badge.ts'
import type { ShownSpecialism, Suite, SuiteResult } from '../model/compliance.ts'
import type { StepDiagnostic } from '../model/storyboards/step-diagnostic.ts'
import type { AgentRun } from '../model/storyboards/storyboard-result.ts'
import type { AgentTarget, SessionDeps } from './agent-session.ts'
import {
  chooseTargets,
  listApplicable,
  type RunnableStoryboard,
  readStoryboard,
} from './catalog.ts'
import { connectAgent } from './connect-agent.ts'
import { describeStatus, hasCoverageGap, listDiagnostics } from './describe-run.ts'
import { readKnownAgent, runStoryboard } from './run-storyboard.ts'
import { listShown } from './shown-specialisms.ts'

const DIAGNOSTICS_MAX = 1_000
const MAJOR_VERSION = `v${BADGE_VERSION.split('.')[0]}`

/** Runs every storyboard that applies to an agent, one after the other, and calls `onRun` after each. */
export async function runSuite(
  target: AgentTarget,
  deps: SessionDeps,
  onRun: (storyboard: RunnableStoryboard, run: AgentRun) => void = () => undefined,
): Promise<Suite> {
  const started = performance.now()
  const connection = await connectAgent(target, deps)
  if ('failure' in connection) {
    const outcome = connection.failure.outcome === 'needs_auth' ? 'auth_required' : 'unreachable'
    return { ...nothingTested, outcome, duration_ms: Math.round(performance.now() - started) }
  }
  const { profile, capabilities } = await readKnownAgent(connection, deps)
  const results: SuiteResult[] = []
  const diagnostics: StepDiagnostic[] = []
  for (const entry of listApplicable(profile, deps.protocolName)) {
    const storyboard = readStoryboard(entry)
    connection.requests.restart()
    const run = await runStoryboard(storyboard, target, deps, {
      known: { connection, profile, capabilities },
    })
    onRun(storyboard, run)
    results.push(describeResult(storyboard, run, listShown(entry)))
    diagnostics.push(...listDiagnostics(storyboard, run))
  }
  return {
    outcome: 'tested',
    supports_version:
      profile.adcp_version === MAJOR_VERSION && chooseTargets(profile).includes(BADGE_VERSION),
    specialisms: profile.specialisms ?? [],
    results,
    diagnostics: diagnostics.slice(0, DIAGNOSTICS_MAX),
    duration_ms: Math.round(performance.now() - started),
  }
}

const nothingTested = { supports_version: false, specialisms: [], results: [], diagnostics: [] }

/** Result for an agent that takes no call for want of a credential, or issues no token for the stored one. */
export const deniedSuite: Suite = { outcome: 'auth_required', duration_ms: 0, ...nothingTested }

function describeResult(
  storyboard: RunnableStoryboard,
  run: AgentRun,
  shows: ShownSpecialism[],
): SuiteResult {
  const { first_failure_validations: _, ...status } = describeStatus(storyboard, run)
  return {
    run_id: randomUUID(),
    track: storyboard.track,
    duration_ms: run.duration_ms,
    ...(shows.length > 0 && { shows }),
    ...(hasCoverageGap(run) && { has_coverage_gap: true }),
    ...status,
  }
}
