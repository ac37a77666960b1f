import { toIso } from '../../pipeline/core/clock.ts'
import { hasApiAccess } from '../../pipeline/core/tiers.ts'
import type { AgentTests, SuiteRun } from '../../pipeline/model/agent-test.ts'
import { type ComplianceState, usualSettings } from '../../pipeline/model/compliance.ts'
import type {
  AgentCompliance,
  ComplianceHistory,
  ComplianceSummary,
  StoryboardResult,
} from '../../pipeline/model/responses/compliance.ts'
import { COMPLIANCE_TARGET, STORYBOARD_PROTOCOL_VERSION } from '../../pipeline/model/storyboard.ts'
import type { AgentRuns, RecordedRun } from '../../pipeline/model/storyboard-record.ts'
import { findAgentTests } from '../../pipeline/read/lookups/agent-tests.ts'
import { getMembers } from '../../pipeline/read/lookups/members.ts'
import { findAgentRuns } from '../../pipeline/read/lookups/records.ts'
import type { Reader } from '../../pipeline/read/reader.ts'
import { judgeSpecialisms } from '../../pipeline/resolve/badges.ts'
import {
  chooseCompliance,
  countPassing,
  describeResults,
  sumByTrack,
  untestedState,
} from '../../pipeline/resolve/compliance.ts'
import { findStoryboard } from '../../pipeline/storyboards/catalog.ts'
import { canActFor } from '../auth/organization-access.ts'
import type { Principal } from '../auth/principal.ts'
import { listBadges, toVerifiedBadge } from './badges.ts'

/** The runs of an agent that a caller may see. */
export interface ShownRuns extends AgentRuns {
  /** Settings and results of its tests; absent where the caller may not see it, or nothing is known. */
  tests?: AgentTests | undefined
  /** True if the caller belongs to an organization that enrolled the agent. */
  isOwn: boolean
}

/**
 * Finds the runs of an agent for a caller: of a public agent for everybody, of one for members for
 * those with API access, and always for its own organization. What may not be seen is as if it was
 * never tested; after an opt-out there is nothing to see.
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
  const none = { agent_url, storyboards: [], runs: [], isOwn }
  if (!isOwn && !isShown) return none
  const tests = findAgentTests(reader, agent_url)
  return isOptedOut(tests) ? { ...none, tests } : findRuns(reader, agent_url, { tests, isOwn })
}

/** Finds the runs that count: those of storyboards that apply, where all were run once. */
function findRuns(
  reader: Reader,
  agent_url: string,
  { tests, isOwn }: Pick<ShownRuns, 'tests' | 'isOwn'>,
): ShownRuns {
  const { storyboards = [], runs = [] } = findAgentRuns(reader, agent_url) ?? {}
  const counted = tests?.state && new Set(tests.state.storyboards.map(run => run.storyboard_id))
  return {
    agent_url,
    storyboards: storyboards.filter(run => counted?.has(run.storyboard_id) ?? true),
    runs,
    tests,
    isOwn,
  }
}

export function isOptedOut(tests: AgentTests | undefined): boolean {
  return tests?.settings?.is_opted_out ?? false
}

const version = {
  requested_compliance_target: COMPLIANCE_TARGET,
  adcp_version: STORYBOARD_PROTOCOL_VERSION,
}
const noVersion = { requested_compliance_target: null, adcp_version: null }

/** Lists the last result of each storyboard; what was wrong is for the agent's own organization. */
export function listResults({ storyboards, isOwn }: Omit<ShownRuns, 'runs'>): StoryboardResult[] {
  return storyboards.map(
    ({ run_id: _, kind: __, duration_ms: ___, tested_at, first_failure_message, ...result }) => {
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

/** Sums the last result of each storyboard up, with the settings and the badges of the agent. */
export function describeCompliance(shown: ShownRuns, reader: Reader): AgentCompliance {
  const { agent_url, tests } = shown
  const results = listResults(shown)
  const state = tests?.state ?? deriveState(shown, results)
  const { passing, total } = countPassing(results)
  const settings = tests?.settings ?? usualSettings
  const { is_opted_out, needs_requalification } = settings
  const badges = tests ? listBadges(reader, agent_url) : []
  const known = is_opted_out ? untestedState : state
  return {
    agent_url,
    ...(known.last_checked_at === null ? noVersion : version),
    status: is_opted_out ? 'opted_out' : known.status,
    lifecycle_stage: settings.lifecycle_stage,
    compliance_opt_out: is_opted_out,
    badge_requalification_required: needs_requalification,
    streak_days: known.streak_days,
    monitoring_paused: settings.paused_at !== null,
    check_interval_hours: settings.interval_hours,
    verified: badges.length > 0,
    verified_roles: badges.map(({ role }) => role),
    verified_role_versions: Object.fromEntries(
      badges.map(({ role, adcp_version }) => [role, [adcp_version]]),
    ),
    tracks: sumByTrack(results),
    headline: known.headline,
    status_changed_at: known.status_changed_at,
    storyboards_passing: passing,
    storyboards_total: total,
    last_checked_at: known.last_checked_at,
    last_passed_at: known.last_passed_at,
    last_failed_at: known.last_failed_at,
    declared_specialisms: known.specialisms,
    specialism_status: judgeSpecialisms(known),
    verified_badges: badges.map(badge => toVerifiedBadge(agent_url, badge)),
    storyboard_statuses: results,
  }
}

/** Derives how an agent fares that was tested before its state was kept. */
function deriveState({ runs }: ShownRuns, results: readonly StoryboardResult[]): ComplianceState {
  const failed = runs.find(({ status }) => status === 'failing' || status === 'partial')
  return {
    ...untestedState,
    status: chooseCompliance(results),
    headline: runs.length > 0 ? (describeResults(results) ?? '0 of 0 storyboards pass') : null,
    last_checked_at: runs[0]?.tested_at ?? null,
    last_passed_at: runs.find(({ status }) => status === 'passing')?.tested_at ?? null,
    last_failed_at: failed?.tested_at ?? null,
  }
}

/** Summarizes the results of an agent that the caller may see; undefined if it was never tested. */
export function findComplianceSummary(
  reader: Reader,
  agentUrl: string,
): ComplianceSummary | undefined {
  const tests = findAgentTests(reader, agentUrl)
  if (isOptedOut(tests)) return undefined
  const shown = findRuns(reader, agentUrl, { tests, isOwn: false })
  const all = describeCompliance(shown, reader)
  if (all.last_checked_at === null || all.status === 'opted_out') return undefined
  const { requested_compliance_target, adcp_version, status, lifecycle_stage, streak_days } = all
  const { monitoring_paused, check_interval_hours } = all
  const { verified, verified_roles, verified_role_versions } = all
  const { tracks, headline, storyboards_passing, storyboards_total, last_checked_at } = all
  return {
    requested_compliance_target,
    adcp_version,
    status,
    lifecycle_stage,
    streak_days,
    monitoring_paused,
    check_interval_hours,
    verified,
    verified_roles,
    verified_role_versions,
    tracks,
    headline,
    storyboards_passing,
    storyboards_total,
    last_checked_at,
  }
}

/** Lists runs, the newest first: scheduled ones, and those of single storyboards. */
export function describeHistory(
  { agent_url, runs, tests }: ShownRuns,
  limit: number,
): ComplianceHistory {
  const suites = isOptedOut(tests) ? [] : (tests?.suites ?? [])
  const all = [...suites.map(toHistorySuite), ...runs.map(toHistoryRun)].sort(
    (a, b) => Date.parse(b.tested_at) - Date.parse(a.tested_at),
  )
  const listed = all.slice(0, limit)
  return { agent_url, runs: listed, count: listed.length }
}

type HistoryRun = ComplianceHistory['runs'][number]

function toHistoryRun(run: RecordedRun): HistoryRun {
  const { run_id, storyboard_id, status, duration_ms, tested_at } = run
  const track = findStoryboard(storyboard_id)?.track ?? null
  return {
    id: run_id,
    ...version,
    storyboard_id,
    overall_status: status,
    headline: `${run.steps_passed} of ${run.steps_total} steps passed`,
    ...countTracks(sumByTrack([{ track, status }])),
    tracks_json: {},
    total_duration_ms: duration_ms,
    triggered_by: 'owner_test',
    tested_at,
  }
}

function toHistorySuite(run: SuiteRun): HistoryRun {
  const { run_id, overall_status, headline, tracks, duration_ms, tested_at } = run
  return {
    id: run_id,
    ...version,
    storyboard_id: null,
    overall_status,
    headline,
    ...countTracks(tracks),
    tracks_json: tracks as HistoryRun['tracks_json'],
    total_duration_ms: duration_ms,
    triggered_by: 'heartbeat',
    tested_at: toIso(Date.parse(tested_at)),
  }
}

function countTracks(tracks: Readonly<Record<string, string>>) {
  const count = (word: string) => Object.values(tracks).filter(status => status === word).length
  return {
    tracks_passed: count('pass'),
    tracks_failed: count('fail'),
    tracks_partial: count('partial'),
    tracks_skipped: count('skip'),
  }
}
