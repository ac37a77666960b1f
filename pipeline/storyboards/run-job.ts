import { chooseAgentPort } from '../core/agent-port.ts'
import { toAgentUrlKey } from '../core/agent-url.ts'
import type { Config } from '../core/config.ts'
import type { McpFailure } from '../crawl/mcp/failure.ts'
import { decryptCredential } from '../model/agent-credential.ts'
import type { Storyboard } from '../model/storyboard.ts'
import type {
  AgentSilent,
  NeedsCredential,
  StoryboardAnswers,
  StoryboardJobKind,
  StoryboardJobOf,
  TestedAgent,
} from '../model/storyboard-run.ts'
import { type AgentTarget, openAgentSession, type SessionDeps } from './agent-session.ts'
import { findStoryboard } from './catalog.ts'
import { compareRuns } from './compare.ts'
import { describeRun, describeStatus } from './describe-run.ts'
import { readProfile } from './read-profile.ts'
import { runSingleStep } from './run-step.ts'
import { runStoryboard } from './run-storyboard.ts'
import { runSuite } from './run-suite.ts'

export interface JobDeps extends SessionDeps {
  config: Config
}

type Runners = {
  [Kind in StoryboardJobKind]: (
    job: StoryboardJobOf<Kind>,
    deps: JobDeps,
  ) => Promise<StoryboardAnswers[Kind]>
}

const runners: Runners = {
  async compare({ storyboard_id, ...agent }, deps) {
    const storyboard = requireStoryboard(storyboard_id)
    const [user, reference] = await Promise.all([
      runStoryboard(storyboard, findTarget(agent, deps.config), deps),
      runStoryboard(storyboard, buildReferenceTarget(storyboard, deps.config), deps),
    ])
    if (user.status === 'auth_required') return { needs_credential: true }
    return {
      comparison: compareRuns(storyboard, user, reference, deps.protocolName),
      user: describeStatus(storyboard, user),
      reference: describeStatus(storyboard, reference),
    }
  },
  async run({ storyboard_id, run_id, ...agent }, deps) {
    const storyboard = requireStoryboard(storyboard_id)
    const run = await runStoryboard(storyboard, findTarget(agent, deps.config), deps)
    if (run.status === 'auth_required') return { needs_credential: true }
    return describeRun(storyboard, run, run_id, deps.protocolName)
  },
  async step({ storyboard_id, step_id, context, ...agent }, deps) {
    const storyboard = requireStoryboard(storyboard_id)
    const session = await openAgentSession(findTarget(agent, deps.config), deps)
    if ('failure' in session) return describeSilence(session.failure)
    const { clock, protocolName } = deps
    const start = { context, startedAt: clock.now(), protocolName }
    return runSingleStep(storyboard, step_id, session, start)
  },
  async profile(agent, deps) {
    const session = await openAgentSession(findTarget(agent, deps.config), deps)
    if ('failure' in session) return describeSilence(session.failure)
    return { profile: await readProfile(session, deps.protocolName) }
  },
  suite: (agent, deps) => {
    const time = AbortSignal.timeout(deps.limits.complianceRunMs)
    const signal = AbortSignal.any([deps.signal, time])
    return runSuite(findTarget(agent, deps.config), { ...deps, signal })
  },
}

function describeSilence({ outcome }: McpFailure): NeedsCredential | AgentSilent {
  if (outcome === 'needs_auth') return { needs_credential: true }
  return outcome === 'timeout'
    ? { failed: 'timeout', message: 'the agent did not answer in time' }
    : { failed: 'no_answer', message: 'the agent cannot be reached' }
}

/** Runs a job. Rejects only where the API and this crawler know different storyboards. */
export function runStoryboardJob<Kind extends StoryboardJobKind>(
  job: StoryboardJobOf<Kind>,
  deps: JobDeps,
): Promise<StoryboardAnswers[Kind]> {
  return (runners[job.kind] as Runners[Kind])(job, deps)
}

function requireStoryboard(id: string): Storyboard {
  const storyboard = findStoryboard(id)
  if (storyboard === undefined) throw new Error(`there is no storyboard ${id}`)
  return storyboard
}

/** Builds the target of the tenant of the reference agent that a storyboard is about. */
function buildReferenceTarget({ default_agent }: Storyboard, config: Config): AgentTarget {
  return {
    url: `${findReferenceBase(config)}/${default_agent}/mcp`,
    authorization: buildReferenceHeader(config),
    isOperators: true,
  }
}

/**
 * Finds how an agent is reached. The reference agent's own credential goes to the reference agent
 * alone; another agent is sent the one that its organization gave, or none.
 */
function findTarget({ agent_url: url, credential }: TestedAgent, config: Config): AgentTarget {
  const isReference = toAgentUrlKey(url)!.startsWith(`${findReferenceBase(config)}/`)
  if (isReference) return { url, authorization: buildReferenceHeader(config), isOperators: true }
  const { CREDENTIALS_KEY: key } = config
  const authorization =
    credential && key
      ? decryptCredential(key, credential.sealed, { org_id: credential.org_id, agent_url: url })
      : undefined
  return { url, ...(authorization !== undefined && { authorization }) }
}

function buildReferenceHeader({ REFERENCE_AGENT_TOKEN, TEST_AGENT_TOKEN }: Config): string {
  return `Bearer ${REFERENCE_AGENT_TOKEN ?? TEST_AGENT_TOKEN}`
}

function findReferenceBase(config: Config): string {
  const { REFERENCE_AGENT_URL, AGENT_BASE_URL } = config
  const base =
    REFERENCE_AGENT_URL ?? AGENT_BASE_URL ?? `http://127.0.0.1:${chooseAgentPort(config)}`
  return toAgentUrlKey(base)!
}
