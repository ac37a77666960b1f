import { hasApiAccess } from '../../pipeline/core/tiers.ts'
import type { StoredMember } from '../../pipeline/model/accounts/member.ts'
import type { AgentTests } from '../../pipeline/model/agent-test.ts'
import type { AgentRuns } from '../../pipeline/model/storyboards/storyboard-record.ts'
import { findAgentRuns, findAgentTests } from '../../pipeline/read/lookups/agent-tests.ts'
import { resolveAgentUrl } from '../../pipeline/read/lookups/agent-urls.ts'
import { getMembers } from '../../pipeline/read/lookups/members.ts'
import type { Reader } from '../../pipeline/read/reader.ts'
import { findVersion } from '../../pipeline/storyboards/catalog.ts'
import { isInOrganization } from '../auth/organization-access.ts'
import type { Principal } from '../auth/principal.ts'

/** The runs of an agent that a caller may see. */
export interface ShownRuns extends AgentRuns {
  /** Settings and results of its tests; absent where the caller may not see it, or nothing is known. */
  tests?: AgentTests | undefined
  /** The caller's organization that enrolled the agent. */
  owner?: StoredMember | undefined
}

/**
 * Finds the runs of an agent that a caller may see: those of public agents for everybody, those of agents
 * shown to members for callers with API access, and those of the caller's own agents. An agent that the
 * caller may not see looks as if it had never been tested, as does one that opted out. Where the caller sees none with
 * exactly this URL, it is resolved.
 */
export function findShownRuns(
  url: string,
  principal: Principal | undefined,
  reader: Reader,
): ShownRuns {
  const exact = findEnrolment(url, principal, reader)
  const agent_url = exact.isShown ? url : resolveAgentUrl(reader, url)
  const { owner, isShown } = agent_url === url ? exact : findEnrolment(agent_url, principal, reader)
  const none = { agent_url, storyboards: [], runs: [], owner }
  if (!isShown) return none
  const tests = findAgentTests(reader, agent_url)
  return isOptedOut(tests) ? { ...none, tests } : findRuns(reader, agent_url, { tests, owner })
}

/** Finds whether a caller may see the runs of an agent, and which organization of the caller enrolled it. */
function findEnrolment(agentUrl: string, principal: Principal | undefined, reader: Reader) {
  const enrolments = getMembers(reader).listEnrolments(agentUrl)
  const owner = enrolments.find(({ member }) => isInOrganization(principal, member.org_id))?.member
  const isMember = principal !== undefined && hasApiAccess(principal.tier)
  const isShown = enrolments.some(
    ({ visibility }) => visibility === 'public' || (visibility === 'members_only' && isMember),
  )
  return { owner, isShown: owner !== undefined || isShown }
}

/** Finds the runs that count: those of storyboards that apply, where all were run once. */
export function findRuns(
  reader: Reader,
  agent_url: string,
  { tests, owner }: Pick<ShownRuns, 'tests' | 'owner'>,
): ShownRuns {
  const { storyboards = [], runs = [] } = findAgentRuns(reader, agent_url) ?? {}
  const counted = tests?.state && new Set(tests.state.storyboards.map(run => run.storyboard_id))
  return {
    agent_url,
    storyboards: storyboards.filter(run => counted?.has(run.storyboard_id) ?? true),
    runs,
    tests,
    owner,
  }
}

export function isOptedOut(tests: AgentTests | undefined): boolean {
  return tests?.settings?.is_opted_out ?? false
}

/** Describes the version of the protocol that a target is tested by; in short where no bundle of it is left. */
export function describeTarget(target: string) {
  return { requested_compliance_target: target, adcp_version: findVersion(target) ?? target }
}
