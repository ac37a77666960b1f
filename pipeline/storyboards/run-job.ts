import { toAgentUrlKey } from '../core/agent-url.ts'
import type { Config } from '../core/config.ts'
import { chooseAgentPort } from '../core/ports.ts'
import { requireValue } from '../core/present.ts'
import { pauseUnless } from '../crawl/deadline.ts'
import type { McpFailure } from '../crawl/mcp/failure.ts'
import { nameReason } from '../crawl/mcp/failure-reason.ts'
import { decryptCredential, type OpenedCredential } from '../model/agent-credential.ts'
import { isStepRefused } from '../model/storyboards/storyboard-check.ts'
import type {
  AgentSilent,
  NeedsCredential,
  StoryboardAnswers,
  StoryboardJobKind,
  StoryboardJobOf,
  StoryboardProgress,
  TestedAgent,
} from '../model/storyboards/storyboard-job.ts'
import { fetchAccessToken } from './access-token.ts'
import { AgentSession, type AgentTarget, type SessionDeps } from './agent-session.ts'
import { findStoryboard, type RunnableStoryboard } from './catalog.ts'
import { compareRuns } from './compare.ts'
import { openAgentSession } from './connect-agent.ts'
import { describeRun, describeStatus, listDiagnostics } from './describe-run.ts'
import { readProfile } from './read-profile.ts'
import { previewStep, runSingleStep } from './run-step.ts'
import { runStoryboard } from './run-storyboard.ts'
import { deniedSuite, runSuite } from './run-suite.ts'

export interface JobDeps extends SessionDeps {
  config: Config
  /** Reports the steps of a comparison, after each. */
  report(progress: StoryboardProgress): void
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
    const target = await resolveTarget(agent, deps)
    if ('needs_credential' in target) return target
    const done = { user: 0, reference: 0 }
    const watch = (side: keyof StoryboardProgress) => () => {
      done[side]++
      deps.report({ ...done })
    }
    const reference = () =>
      runStoryboard(storyboard, buildReferenceTarget(storyboard, deps.config), deps, {
        onStep: watch('reference'),
        isCompared: true,
      })
    const user = () =>
      runStoryboard(storyboard, target, deps, { onStep: watch('user'), isCompared: true })
    // Two runs against the reference agent at once would change what the other one has set up.
    const [ofUser, ofReference] = target.isOperators
      ? [await user(), await reference()]
      : await Promise.all([user(), reference()])
    if (ofUser.status === 'auth_required') return describeRefusal(target)
    return {
      comparison: compareRuns(storyboard, ofUser, ofReference, deps.protocolName),
      user: describeStatus(storyboard, ofUser),
      reference: describeStatus(storyboard, ofReference),
    }
  },
  async run({ storyboard_id, run_id, ...agent }, deps) {
    const storyboard = requireStoryboard(storyboard_id)
    const target = await resolveTarget(agent, deps)
    if ('needs_credential' in target) return target
    const run = await runStoryboard(storyboard, target, deps)
    if (run.status === 'auth_required') return describeRefusal(target)
    return {
      run: describeRun(storyboard, run, run_id, deps.protocolName),
      diagnostics: listDiagnostics(storyboard, run),
    }
  },
  async step({ storyboard_id, step_id, context, dry_run, ...agent }, deps) {
    const storyboard = requireStoryboard(storyboard_id)
    const { clock, protocolName } = deps
    const start = { context, startedAt: clock.now(), protocolName }
    if (dry_run) return previewStep(storyboard, step_id, agent.agent_url, start)
    const session = await openSession(agent, deps)
    if (!(session instanceof AgentSession)) return session
    return runSingleStep(storyboard, step_id, session, start)
  },
  async profile(agent, deps) {
    const session = await openSession(agent, deps)
    if (!(session instanceof AgentSession)) return session
    return { profile: await readProfile(session, deps.protocolName) }
  },
  async token(agent, deps) {
    const opened = openCredential(agent, deps.config)
    if (opened === undefined || 'authorization' in opened) {
      const message = 'the client credentials cannot be opened: save them again'
      return { ok: false, latency_ms: 0, error: { kind: 'malformed', message } }
    }
    const started = performance.now()
    const answer = await fetchAccessToken(opened.credentials, deps)
    const latency_ms = Math.round(performance.now() - started)
    return 'token' in answer
      ? { ok: true, latency_ms }
      : { ok: false, latency_ms, error: answer.failure }
  },
  async suite(agent, deps) {
    const time = AbortSignal.timeout(deps.limits.complianceRunMs)
    const limited = { ...deps, signal: AbortSignal.any([deps.signal, time]) }
    const target = await resolveTarget(agent, limited)
    if ('needs_credential' in target) return deniedSuite
    const suite = await runSuite(target, limited)
    const isRefused = suite.diagnostics.some(
      ({ step_passed, failed_validations, exchange }) =>
        step_passed === false &&
        isStepRefused(failed_validations, exchange?.response_record?.status),
    )
    // What an agent refuses to strangers says nothing about how well it does it.
    if (isRefused && target.authorization === undefined) return deniedSuite
    if (suite.outcome !== 'unreachable') return suite
    // A verdict lasts for hours, a lost connection does not.
    await pauseUnless(limited.signal, deps.limits.complianceAgainMs)
    return runSuite(target, limited)
  },
}

function describeRefusal({ authorization }: AgentTarget): NeedsCredential {
  if (authorization === undefined) return { needs_credential: true }
  return { needs_credential: true, message: 'the agent refuses the credential that it was given' }
}

async function openSession(
  agent: TestedAgent,
  deps: JobDeps,
): Promise<AgentSession | NeedsCredential | AgentSilent> {
  const target = await resolveTarget(agent, deps)
  if ('needs_credential' in target) return target
  const session = await openAgentSession(target, deps)
  if (!('failure' in session)) return session
  return session.failure.outcome === 'needs_auth'
    ? describeRefusal(target)
    : describeSilence(session.failure)
}

function describeSilence({ outcome, detail }: McpFailure): AgentSilent {
  if (outcome === 'timeout') {
    return { failed: 'timeout', reason: 'timeout', message: 'the agent did not answer in time' }
  }
  const reason = nameReason(outcome)
  const message = 'the agent cannot be reached'
  // Which of them it was would tell addresses of private networks apart.
  if (reason === 'network') return { failed: 'no_answer', reason, message }
  return { failed: 'no_answer', reason, message: `${message}: ${detail}` }
}

/** Runs a job. Rejects only if the API names a storyboard that this crawler does not have. */
export function runStoryboardJob<Kind extends StoryboardJobKind>(
  job: StoryboardJobOf<Kind>,
  deps: JobDeps,
): Promise<StoryboardAnswers[Kind]> {
  return (runners[job.kind] as Runners[Kind])(job, deps)
}

function requireStoryboard(id: string): RunnableStoryboard {
  const storyboard = findStoryboard(id)
  if (storyboard === undefined) throw new Error(`there is no storyboard ${id}`)
  return storyboard
}

/** Builds the target of the tenant of the reference agent that a storyboard is about. */
function buildReferenceTarget({ tenant }: RunnableStoryboard, config: Config): AgentTarget {
  return {
    url: `${findReferenceBase(config)}/${tenant}/mcp`,
    authorization: buildReferenceHeader(config),
    isOperators: true,
  }
}

/**
 * Resolves how an agent is reached. The reference agent's own credential goes to the reference agent
 * alone; another agent is sent the one that its organization gave, or a token that was asked for with
 * it, or none. A token lasts for one job, and is stored nowhere.
 */
async function resolveTarget(
  agent: TestedAgent,
  deps: JobDeps,
): Promise<AgentTarget | NeedsCredential> {
  const { agent_url: url } = agent
  const isReference = requireValue(toAgentUrlKey(url), 'key of the address').startsWith(
    `${findReferenceBase(deps.config)}/`,
  )
  if (isReference) {
    return { url, authorization: buildReferenceHeader(deps.config), isOperators: true }
  }
  const opened = openCredential(agent, deps.config)
  if (opened === undefined) return { url }
  if ('authorization' in opened) return { url, authorization: opened.authorization }
  const answer = await fetchAccessToken(opened.credentials, deps)
  if ('failure' in answer) return { needs_credential: true, message: answer.failure.message }
  const { client_secret } = opened.credentials
  return { url, authorization: `Bearer ${answer.token}`, secrets: [client_secret] }
}

function openCredential(
  { agent_url, credential }: TestedAgent,
  { CREDENTIALS_KEY: key }: Config,
): OpenedCredential | undefined {
  if (credential === undefined || key === undefined) return undefined
  const { org_id, sealed } = credential
  return decryptCredential(key, sealed, { org_id, agent_url })
}

function buildReferenceHeader({ REFERENCE_AGENT_TOKEN, TEST_AGENT_TOKEN }: Config): string {
  return `Bearer ${REFERENCE_AGENT_TOKEN ?? TEST_AGENT_TOKEN}`
}

function findReferenceBase(config: Config): string {
  const { REFERENCE_AGENT_URL, AGENT_BASE_URL } = config
  const base =
    REFERENCE_AGENT_URL ?? AGENT_BASE_URL ?? `http://127.0.0.1:${chooseAgentPort(config)}`
  return requireValue(toAgentUrlKey(base), 'key of the address')
}
