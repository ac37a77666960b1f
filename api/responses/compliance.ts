import { getFirst } from '../../pipeline/core/present.ts'
import { hasApiAccess, tiers } from '../../pipeline/core/tiers.ts'
import type { AgentDiagnostics } from '../../pipeline/model/agent-test.ts'
import type { Badge } from '../../pipeline/model/badge.ts'
import { type ComplianceState, usualSettings } from '../../pipeline/model/compliance.ts'
import type {
  AgentCompliance,
  ComplianceSummary,
  StoryboardResult,
} from '../../pipeline/model/responses/compliance.ts'
import type { RecordedRun } from '../../pipeline/model/storyboards/storyboard-record.ts'
import { findTarget } from '../../pipeline/model/storyboards/storyboard-target.ts'
import { findAgentDiagnostics, findAgentTests } from '../../pipeline/read/lookups/agent-tests.ts'
import type { Reader } from '../../pipeline/read/reader.ts'
import { judgeSpecialisms, listTestedVersions } from '../../pipeline/resolve/badges.ts'
import {
  chooseCompliance,
  countPassing,
  describeResults,
  sumByTrack,
  untestedState,
} from '../../pipeline/resolve/compliance.ts'
import { describeRuns, listNotices, summarizeTracks } from '../../pipeline/resolve/test-report.ts'
import { findEntry } from '../../pipeline/storyboards/catalog.ts'
import { listBadges, toVerifiedBadge } from './badges.ts'
import { listHistory } from './compliance-history.ts'
import { describeTarget, findRuns, isOptedOut, type ShownRuns } from './shown-runs.ts'

const noVersion = { requested_compliance_target: null, adcp_version: null }

/** Lists the last result of each storyboard; only the agent's own organization sees what failed. */
export function listResults(
  { agent_url, storyboards, owner }: ShownRuns,
  reader: Reader,
): StoryboardResult[] {
  const diagnosed = owner && (findAgentDiagnostics(reader, agent_url)?.runs ?? [])
  return storyboards.map(({ run_id: _, kind: __, duration_ms: ___, tested_at, ...result }) => ({
    ...result,
    ...describeTarget(findTarget(result.storyboard_id)),
    ...describeStoryboard(result.storyboard_id),
    first_failure_message: owner ? result.first_failure_message : null,
    first_failure_validations: findFailedChecks(diagnosed, { ...result, tested_at }),
    last_tested_at: tested_at,
  }))
}

function describeStoryboard(id: string) {
  const { title = id, category = null, track = null } = findEntry(id)?.storyboard ?? {}
  return { title, category, track }
}

/** Finds the failed checks of the first failed step of a run, as long as its steps are stored. */
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

/** Summarizes the last result of each storyboard, with the settings and the badges of the agent. */
export function describeCompliance(shown: ShownRuns, reader: Reader): AgentCompliance {
  const { agent_url, tests } = shown
  const results = listResults(shown, reader)
  const state = tests?.state ?? deriveState(shown, results)
  const { passing, total } = countPassing(results)
  const settings = tests?.settings ?? usualSettings
  const { is_opted_out, needs_requalification } = settings
  const badges = tests ? listBadges(reader, agent_url) : []
  const known = is_opted_out ? untestedState : state
  const withGap = new Set(
    known.storyboards.flatMap(run => (run.has_coverage_gap ? run.storyboard_id : [])),
  )
  return {
    agent_url,
    ...(known.last_checked_at === null
      ? noVersion
      : describeTarget(getFirst(listTestedVersions(known)))),
    status: is_opted_out ? 'opted_out' : known.status,
    lifecycle_stage: settings.lifecycle_stage,
    compliance_opt_out: is_opted_out,
    badge_requalification_required: needs_requalification,
    streak_days: known.streak_days,
    monitoring_paused: settings.paused_at !== null,
    check_interval_hours: settings.interval_hours,
    verified: badges.length > 0,
    verified_roles: [...new Set(badges.map(({ role }) => role))],
    verified_role_versions: listRoleVersions(badges),
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
      shown.storyboards.map(run => ({
        ...run,
        ...describeStoryboard(run.storyboard_id),
        has_coverage_gap: withGap.has(run.storyboard_id),
      })),
    ),
    notices: tests ? listNotices(known, settings, badges) : [],
    observations: describeRuns(results),
    ...describeOwner(shown, reader),
  }
}

/** Lists the versions of badges by their roles, the newest first, as badges are listed. */
function listRoleVersions(badges: readonly Badge[]): Record<string, string[]> {
  const byRole = Map.groupBy(badges, ({ role }) => role)
  return Object.fromEntries(
    [...byRole].map(([role, members]) => [role, members.map(({ adcp_version }) => adcp_version)]),
  )
}

/**
 * Describes what only the agent's own organization may read: its membership, and what caused the last run.
 */
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
