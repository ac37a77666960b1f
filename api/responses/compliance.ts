import { groupBy } from '../../pipeline/core/group.ts'
import { hasApiAccess } from '../../pipeline/core/tiers.ts'
import type {
  AgentCompliance,
  ComplianceHistory,
  ComplianceSummary,
  StoryboardResult,
} from '../../pipeline/model/responses/compliance.ts'
import { COMPLIANCE_TARGET, STORYBOARD_PROTOCOL_VERSION } from '../../pipeline/model/storyboard.ts'
import type { AgentRuns, RecordedRun } from '../../pipeline/model/storyboard-record.ts'
import { getMembers } from '../../pipeline/read/lookups/members.ts'
import { findAgentRuns } from '../../pipeline/read/lookups/records.ts'
import type { Reader } from '../../pipeline/read/reader.ts'
import { findStoryboard } from '../../pipeline/storyboards/catalog.ts'
import { canActFor } from '../auth/organization-access.ts'
import type { Principal } from '../auth/principal.ts'

/** The runs of an agent that a caller may see. */
export interface ShownRuns extends AgentRuns {
  /** True if the caller belongs to an organization that enrolled the agent. */
  isOwn: boolean
}

/**
 * Finds the runs of an agent for a caller: those of a public agent for everybody, of a members' agent for
 * callers with API access, and always for its own organization. To others the agent looks untested.
 */
export function findShownRuns(
  agent_url: string,
  principal: Principal | undefined,
  reader: Reader,
): ShownRuns {
  const members = getMembers(reader)
  const enrolments = members.all.flatMap(({ org_id, agents }) =>
    agents.filter(({ url }) => url === agent_url).map(({ visibility }) => ({ org_id, visibility })),
  )
  const isOwn = enrolments.some(({ org_id }) => canActFor(principal, org_id))
  const isMember = principal !== undefined && hasApiAccess(principal.tier)
  const isShown = enrolments.some(
    ({ visibility }) => visibility === 'public' || (visibility === 'members_only' && isMember),
  )
  const runs = isOwn || isShown ? findAgentRuns(reader, agent_url) : undefined
  return { agent_url, storyboards: [], runs: [], ...runs, isOwn }
}

const version = {
  requested_compliance_target: COMPLIANCE_TARGET,
  adcp_version: STORYBOARD_PROTOCOL_VERSION,
}
const noVersion = { requested_compliance_target: null, adcp_version: null }

/** Lists the last result of each storyboard; failures are shown only to the agent's own organization. */
export function listResults({ storyboards, isOwn }: ShownRuns): StoryboardResult[] {
  return storyboards.map(
    ({ run_id: _, duration_ms: __, tested_at, first_failure_message, ...result }) => {
      const storyboard = findStoryboard(result.storyboard_id)
      return {
        ...result,
        ...version,
        title: storyboard?.title ?? result.storyboard_id,
        category: storyboard?.category ?? null,
        track: storyboard?.track ?? null,
        first_failure_message: isOwn ? first_failure_message : null,
        last_tested_at: tested_at,
      }
    },
  )
}

/** Counts the passed results, and those with a verdict. */
export function countPassing(results: readonly Pick<StoryboardResult, 'status'>[]) {
  return {
    passing: results.filter(({ status }) => status === 'passing').length,
    total: results.filter(({ status }) => status !== 'untested').length,
  }
}

/** Summarizes the last result of each storyboard. */
export function describeCompliance(shown: ShownRuns): AgentCompliance {
  const { agent_url, runs } = shown
  const results = listResults(shown)
  const { passing, total } = countPassing(results)
  const failed = runs.find(({ status }) => status === 'failing' || status === 'partial')
  return {
    agent_url,
    ...(runs.length > 0 ? version : noVersion),
    status: chooseStatus(passing, total),
    tracks: sumByTrack(results),
    headline: runs.length > 0 ? `${passing} of ${total} storyboards pass` : null,
    storyboards_passing: passing,
    storyboards_total: total,
    last_checked_at: runs[0]?.tested_at ?? null,
    last_passed_at: runs.find(({ status }) => status === 'passing')?.tested_at ?? null,
    last_failed_at: failed?.tested_at ?? null,
    storyboard_statuses: results,
  }
}

function chooseStatus(passing: number, total: number): AgentCompliance['status'] {
  if (total === 0) return 'unknown'
  if (passing === total) return 'passing'
  return passing === 0 ? 'failing' : 'degraded'
}

function sumByTrack(results: readonly StoryboardResult[]): AgentCompliance['tracks'] {
  const tracks = groupBy(
    results.filter(({ track }) => track !== null),
    ({ track }) => track!,
  )
  const words = { passing: 'pass', degraded: 'partial', failing: 'fail', unknown: 'skip' } as const
  return Object.fromEntries(
    [...tracks].map(([track, members]) => {
      const { passing, total } = countPassing(members)
      return [track, words[chooseStatus(passing, total)]]
    }),
  )
}

/** Summarizes the results of an agent that the caller may see; undefined if it was never tested. */
export function findComplianceSummary(
  reader: Reader,
  agentUrl: string,
): ComplianceSummary | undefined {
  const runs = findAgentRuns(reader, agentUrl)
  if (runs === undefined || runs.runs.length === 0) return undefined
  const {
    agent_url: _,
    last_passed_at: __,
    last_failed_at: ___,
    storyboard_statuses: ____,
    ...summary
  } = describeCompliance({ ...runs, isOwn: false })
  return summary
}

/** Lists runs, newest first. */
export function describeHistory({ agent_url, runs }: ShownRuns, limit: number): ComplianceHistory {
  const listed = runs.slice(0, limit).map(toHistoryRun)
  return { agent_url, runs: listed, count: listed.length }
}

function toHistoryRun(run: RecordedRun): ComplianceHistory['runs'][number] {
  const { run_id, storyboard_id, status, duration_ms, tested_at } = run
  return {
    id: run_id,
    ...version,
    storyboard_id,
    overall_status: status,
    headline: `${run.steps_passed} of ${run.steps_total} steps passed`,
    total_duration_ms: duration_ms,
    triggered_by: 'owner_test',
    tested_at,
  }
}
