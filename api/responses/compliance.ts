import { toIso } from '../../pipeline/core/clock.ts'
import { hasApiAccess, tiers } from '../../pipeline/core/tiers.ts'
import type { AgentDiagnostics, AgentTests, SuiteRun } from '../../pipeline/model/agent-test.ts'
import { type ComplianceState, usualSettings } from '../../pipeline/model/compliance.ts'
import type { StoredMember } from '../../pipeline/model/member.ts'
import type {
  AgentCompliance,
  ComplianceHistory,
  ComplianceSummary,
  StoryboardResult,
} from '../../pipeline/model/responses/compliance.ts'
import { COMPLIANCE_TARGET, STORYBOARD_PROTOCOL_VERSION } from '../../pipeline/model/storyboard.ts'
import type { AgentRuns, RecordedRun } from '../../pipeline/model/storyboard-record.ts'
import { findAgentDiagnostics, findAgentTests } from '../../pipeline/read/lookups/agent-tests.ts'
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
import { describeRuns, listNotices, summarizeTracks } from '../../pipeline/resolve/test-report.ts'
import { findStoryboard } from '../../pipeline/storyboards/catalog.ts'
import { canActFor } from '../auth/organization-access.ts'
import type { Principal } from '../auth/principal.ts'
import { listBadges, toVerifiedBadge } from './badges.ts'

/** The runs of an agent that a caller may see. */
export interface ShownRuns extends AgentRuns {
  /** Settings and results of its tests; absent where the caller may not see it, or nothing is known. */
  tests?: AgentTests | undefined
  /** The caller's organization that enrolled the agent. */
  owner?: StoredMember | undefined
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
  const enrolments = members.all.flatMap(({ agents }) =>
    agents.filter(({ url }) => url === agent_url),
  )
  const owner = members.all.find(
    ({ org_id, agents }) =>
      canActFor(principal, org_id) && agents.some(({ url }) => url === agent_url),
  )
  const isMember = principal !== undefined && hasApiAccess(principal.tier)
  const isShown = enrolments.some(
    ({ visibility }) => visibility === 'public' || (visibility === 'members_only' && isMember),
  )
  const none = { agent_url, storyboards: [], runs: [], owner }
  if (!owner && !isShown) return none
  const tests = findAgentTests(reader, agent_url)
  return isOptedOut(tests) ? { ...none, tests } : findRuns(reader, agent_url, { tests, owner })
}

/** Finds the runs that count: those of storyboards that apply, where all were run once. */
function findRuns(
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

const version = {
  requested_compliance_target: COMPLIANCE_TARGET,
  adcp_version: STORYBOARD_PROTOCOL_VERSION,
}
const noVersion = { requested_compliance_target: null, adcp_version: null }

/** Lists the last result of each storyboard; what was wrong is for the agent's own organization. */
export function listResults(
  { agent_url, storyboards, owner }: ShownRuns,
  reader: Reader,
): StoryboardResult[] {
  const diagnosed = owner && (findAgentDiagnostics(reader, agent_url)?.runs ?? [])
  return storyboards.map(({ run_id: _, kind: __, duration_ms: ___, tested_at, ...result }) => ({
    ...result,
    ...version,
    ...describeStoryboard(result.storyboard_id),
    first_failure_message: owner ? result.first_failure_message : null,
    first_failure_validations: findFailedChecks(diagnosed, { ...result, tested_at }),
    last_tested_at: tested_at,
  }))
}

function describeStoryboard(id: string) {
  const { title = id, category = null, track = null } = findStoryboard(id) ?? {}
  return { title, category, track }
}

/** Finds the checks that the first failed step of a run failed, as long as its steps are stored. */
function findFailedChecks(
  diagnosed: AgentDiagnostics['runs'] | undefined,
  run: Pick<RecordedRun, 'tested_at' | 'storyboard_id' | 'first_failed_step_id'>,
): StoryboardResult['first_failure_validations'] {
  const ofRun = diagnosed?.filter(({ captured_at }) => captured_at === run.tested_at) ?? []
  const step = ofRun
    .flatMap(({ steps }) => steps)
    .find(
      ({ storyboard_id, step_id }) =>
        storyboard_id === run.storyboard_id && step_id === run.first_failed_step_id,
    )
  return step?.failed_validations ?? []
}

/** Sums the last result of each storyboard up, with the settings and the badges of the agent. */
export function describeCompliance(shown: ShownRuns, reader: Reader): AgentCompliance {
  const { agent_url, tests } = shown
  const results = listResults(shown, reader)
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
    track_details: summarizeTracks(
      shown.storyboards.map(run => ({ ...run, ...describeStoryboard(run.storyboard_id) })),
    ),
    notices: tests ? listNotices(known, settings, badges) : [],
    observations: describeRuns(results),
    ...describeOwner(shown, reader),
  }
}

/** Describes what only the agent's own organization may read: its membership, and whose verdict it is. */
function describeOwner(shown: ShownRuns, reader: Reader) {
  const { owner } = shown
  const tier = owner?.membership_tier ?? null
  const last = owner && listHistory(shown, reader)[0]
  return {
    membership_tier: tier,
    membership_tier_label: tier && tiers[tier].label,
    subscription_status: tier && ('active' as const),
    is_api_access_tier: hasApiAccess(tier),
    verdict_source: last?.triggered_by ?? null,
  }
}

/** Derives the state of an agent that was tested before states were stored. */
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
  const shown = findRuns(reader, agentUrl, { tests })
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
  shown: ShownRuns,
  reader: Reader,
  limit: number,
): ComplianceHistory {
  const listed = listHistory(shown, reader).slice(0, limit)
  return { agent_url: shown.agent_url, runs: listed, count: listed.length }
}

function listHistory({ agent_url, runs, tests }: ShownRuns, reader: Reader): HistoryRun[] {
  const suites = isOptedOut(tests) ? [] : (tests?.suites ?? [])
  const requests = findAgentDiagnostics(reader, agent_url)?.requests ?? []
  const requested = new Set(
    requests.flatMap(({ request_id, request_type }) =>
      request_type === 'requested_run' ? [request_id] : [],
    ),
  )
  const shownSuites = suites.map(run => toHistorySuite(run, requested.has(run.run_id)))
  return [...shownSuites, ...runs.map(toHistoryRun)].sort(
    (a, b) => Date.parse(b.tested_at) - Date.parse(a.tested_at),
  )
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

function toHistorySuite(run: SuiteRun, isRequested: boolean): HistoryRun {
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
    triggered_by: isRequested ? 'manual' : 'heartbeat',
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
