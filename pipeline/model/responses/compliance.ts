import { z } from 'zod'
import { tierNames } from '../../core/tiers.ts'
import { badgeRoles } from '../badge.ts'
import { complianceStatuses, lifecycleStages } from '../compliance.ts'
import { AgentUrl } from '../shared-fields.ts'
import { ValidationResult } from '../storyboards/storyboard-check.ts'
import { storyboardStatuses } from '../storyboards/storyboard-record.ts'
import { DidYouMean } from './authority.ts'

const text = z.string()
const count = z.int().nonnegative()
const moment = z.iso.datetime().nullable()

const trackStatuses = ['pass', 'partial', 'fail', 'skip'] as const

const version = {
  requested_compliance_target: text
    .nullable()
    .describe('Requested version of the protocol; null if none was requested'),
  adcp_version: text
    .nullable()
    .describe('Full version of the protocol that was tested, such as `3.0.6`; null if unknown'),
}

/** Members of a result that name the first step that failed. */
export const firstFailedStep = {
  first_failed_step_id: text
    .nullable()
    .describe('ID of the first step that failed; null if none did'),
  first_failed_step_title: text
    .nullable()
    .describe('Display name of the first step that failed; null if none did'),
  first_failed_step_task: text
    .nullable()
    .describe('Name of the tool that the first failed step called; null if no step failed'),
}

export const StoryboardResult = z
  .object({
    storyboard_id: text.describe(
      'ID of the storyboard, followed by the ID of the step if only one step was run',
    ),
    ...version,
    title: text.describe('Display name of the storyboard'),
    category: text
      .nullable()
      .describe('Category of the storyboard; null if the storyboard no longer exists'),
    track: text
      .nullable()
      .describe(
        'Part of the protocol that the storyboard tests; null if the storyboard no longer exists',
      ),
    status: z
      .enum(storyboardStatuses)
      .describe('Result of the last run; `untested` if no step could be run'),
    steps_passed: count.describe('Number of steps that passed in the last run'),
    steps_total: count.describe('Number of steps that the last run carried out'),
    failure_count: count.describe('Number of steps that failed in the last run'),
    skipped_count: count.describe('Number of steps that were not run, for any reason'),
    ...firstFailedStep,
    first_failure_message: text
      .nullable()
      .describe(
        'Reason for the first failure, in one line; visible only to the agent’s own organization',
      ),
    first_failure_validations: z
      .array(ValidationResult)
      .describe(
        'Failed checks of the first step that failed; visible only to the agent’s own organization',
      ),
    last_tested_at: moment.describe('Time of the last run'),
    last_passed_at: moment.describe('Time of the last run that passed; null if none did'),
  })
  .meta({ id: 'AgentStoryboardResult', description: 'An agent’s result in one storyboard' })
export type StoryboardResult = z.infer<typeof StoryboardResult>

export const VerifiedBadge = z
  .object({
    role: z.enum(badgeRoles).describe('Part of the protocol that the badge is for'),
    adcp_version: text.describe('Version of the protocol, as MAJOR.MINOR'),
    status: z
      .enum(['active', 'degraded'])
      .describe(
        'Status of the badge: `degraded` while some storyboards do not pass; after 48 hours, the badge is lost',
      ),
    verified_at: z.iso.datetime().describe('Time at which the badge was earned'),
    expires_at: z.iso
      .datetime()
      .describe('Time at which the badge ends unless all storyboards pass before then'),
    verified_specialisms: z
      .array(text)
      .describe('Specialisms that the agent claims and has proven'),
    verification_modes: z
      .array(z.enum(['spec', 'live']))
      .min(1)
      .describe('How the agent was tested: `spec` means with the storyboards'),
    verified_protocol_version: text
      .nullable()
      .describe('Full version of the protocol that was tested, such as `3.0.6`; null if unknown'),
    badge_url: text.describe('Path of the badge’s image'),
  })
  .meta({ id: 'VerifiedBadge', description: 'A badge that an agent has' })
export type VerifiedBadge = z.infer<typeof VerifiedBadge>

const lifecycle_stage = z
  .enum(lifecycleStages)
  .describe('Lifecycle stage of the agent, as set by its organization')

/** Results of an agent without those of each storyboard. */
const summary = {
  ...version,
  status: z
    .enum(complianceStatuses)
    .describe('Test result: `degraded` if some storyboards do not pass, `unknown` if none was run'),
  lifecycle_stage,
  streak_days: count.describe('Number of full days for which every run has passed'),
  monitoring_paused: z.boolean().describe('Whether scheduled runs are paused'),
  check_interval_hours: count.describe('Hours between scheduled runs'),
  verified: z.boolean().describe('Whether the agent has a badge'),
  verified_roles: z
    .array(z.enum(badgeRoles))
    .describe('Parts of the protocol for which the agent has a badge'),
  verified_role_versions: z
    .record(text, z.array(text))
    .describe('Versions of the agent’s badges, newest first, by part of the protocol'),
  tracks: z.record(text, z.enum(trackStatuses)).describe('Result for each part of the protocol'),
  headline: text.nullable().describe('Test result in one line; null if there is none'),
  storyboards_passing: count.describe('Number of storyboards that pass'),
  storyboards_total: count.describe('Number of storyboards with a verdict'),
  last_checked_at: moment.describe(
    'Time of the last run of any storyboard; null if there was none',
  ),
}

export const ComplianceSummary = z
  .object(summary)
  .meta({ id: 'AgentComplianceSummary', description: 'Summary of an agent’s test results' })
export type ComplianceSummary = z.infer<typeof ComplianceSummary>

const TrackDetail = z
  .object({
    track: text.describe('Name of the part of the protocol'),
    status: z
      .enum(trackStatuses)
      .describe('Result for this part; `skip` if nothing could be judged'),
    scenario_count: count.describe('Number of storyboards that were run'),
    passed_count: count.describe('Number of storyboards that pass'),
    duration_ms: z.number().describe('Total duration of the runs, in milliseconds'),
    has_coverage_gap_skip: z
      .boolean()
      .describe('Whether steps were not run because the agent does not offer their tasks'),
  })
  .meta({ id: 'AgentTrackDetail', description: 'An agent’s results for one part of the protocol' })

const severity = z
  .enum(['info', 'warning'])
  .describe('Severity; `warning` if something should be done')

/** Kinds of notices beside results. */
export const noticeCodes = [
  'monitoring_paused',
  'requalification_required',
  'badge_degraded',
  'specialism_failing',
  'not_reached',
] as const

/** Notices in one answer. */
export const NOTICES_MAX = 50

const TestNotice = z
  .object({
    code: z.enum(noticeCodes).describe('Stable name of the notice, for programs'),
    severity,
    message: text.describe('Human-readable form of `code`, in one sentence'),
    capability_path: text
      .optional()
      .describe('Path of the capability that the notice is about, such as `specialisms`'),
    capability_pointer: text
      .optional()
      .describe('JSON pointer to the entry that the notice is about'),
    requirement: text.optional().describe('What must be true for the notice to disappear'),
    effective_version: text
      .optional()
      .describe('Version of the protocol that the notice applies to, as MAJOR.MINOR'),
    reference_url: text
      .optional()
      .describe('URL of a page of this registry that explains the notice'),
  })
  .meta({ id: 'AgentTestNotice', description: 'A notice about an agent’s test results' })

export const TestObservation = z
  .object({
    category: z
      .enum(['coverage', 'reachability'])
      .describe(
        'Kind of finding: `coverage` if steps were skipped, `reachability` if none could be run',
      ),
    severity,
    message: text.describe('Human-readable description of the finding'),
  })
  .meta({
    id: 'AgentTestObservation',
    description: 'A finding from a run, in addition to the verdict',
  })

/** Fields that only the agent's own organization reads; for others they are null or false. */
const ownersFields = {
  membership_tier: z
    .enum(tierNames)
    .nullable()
    .describe('Membership tier of your organization; null if it has none, and for other callers'),
  membership_tier_label: text
    .nullable()
    .describe('Display name of the membership tier; null if `membership_tier` is null'),
  subscription_status: z
    .literal('active')
    .nullable()
    .describe(
      'Status of the membership: `active` while your organization has one; null for other callers',
    ),
  is_api_access_tier: z
    .boolean()
    .describe('Whether the membership includes API access, without which no badge is issued'),
  verdict_source: z
    .enum(['heartbeat', 'owner_test', 'manual'])
    .nullable()
    .describe('Trigger of the last run, as in the history; null for other callers'),
}

export const AgentCompliance = z
  .object({
    agent_url: AgentUrl,
    ...summary,
    status: z
      .enum([...complianceStatuses, 'opted_out'])
      .describe(
        'Test result: `degraded` if some storyboards do not pass, `unknown` if none was run, `opted_out` if the agent’s organization opted out of tests',
      ),
    compliance_opt_out: z
      .boolean()
      .describe(
        'Whether the agent’s organization opted out of tests, so that the results are hidden',
      ),
    badge_requalification_required: z
      .boolean()
      .describe('Whether the agent must pass a full run to get a badge again after an opt-out'),
    status_changed_at: moment.describe('Time at which `status` last changed; null if it never has'),
    declared_specialisms: z.array(text).describe('Specialisms that the agent claims'),
    specialism_status: z
      .record(text, z.enum(['passing', 'failing', 'untested']))
      .describe('Test result for each stable specialism that the agent claims'),
    verified_badges: z
      .array(VerifiedBadge)
      .describe('Badges that the agent has now; empty if it has none'),
    last_passed_at: moment.describe('Time of the last run that passed; null if none did'),
    last_failed_at: moment.describe(
      'Time of the last run that did not pass; null if there was none',
    ),
    storyboard_statuses: z.array(StoryboardResult).describe('Last result of each storyboard'),
    track_details: z
      .array(TrackDetail)
      .describe('Last results for each part of the protocol, with counts'),
    notices: z
      .array(TestNotice)
      .max(NOTICES_MAX)
      .describe(`Notices about the results, at most ${NOTICES_MAX}`),
    observations: z
      .array(TestObservation)
      .describe('Findings from the last runs, in addition to their verdicts'),
    ...ownersFields,
    did_you_mean: DidYouMean.optional(),
  })
  .meta({ id: 'AgentCompliance', description: 'An agent’s test results' })
export type AgentCompliance = z.infer<typeof AgentCompliance>

export const ComplianceHistory = z
  .object({
    agent_url: AgentUrl,
    runs: z
      .array(
        z.object({
          id: z.uuid().describe('ID of the run, unique within the agent'),
          ...version,
          storyboard_id: text
            .nullable()
            .describe(
              'ID of the storyboard that was run, or of its step; null if the run covered all that apply',
            ),
          overall_status: z
            .enum([...storyboardStatuses, 'unknown'])
            .describe('Result of the run; `unknown` if the agent requires a credential'),
          headline: text.nullable().describe('Test result in one line; null if there is none'),
          tracks_passed: count.describe('Number of parts of the protocol that passed'),
          tracks_failed: count.describe('Number of parts of the protocol in which nothing passed'),
          tracks_partial: count.describe(
            'Number of parts of the protocol in which only some steps passed',
          ),
          tracks_skipped: count.describe(
            'Number of parts of the protocol in which nothing could be judged',
          ),
          tracks_json: z
            .record(text, z.enum(trackStatuses))
            .describe('Result for each part of the protocol; empty for the run of one storyboard'),
          total_duration_ms: z.number().describe('Duration of the run, in milliseconds'),
          triggered_by: z
            .enum(['heartbeat', 'owner_test', 'manual'])
            .describe(
              'Trigger of the run: `heartbeat` for the schedule, `manual` if the agent’s organization requested all storyboards, `owner_test` if it requested one',
            ),
          tested_at: z.iso.datetime().describe('Time at which the run started'),
        }),
      )
      .describe('Runs of storyboards, newest first'),
    count: count.describe('Number of items in the list'),
    did_you_mean: DidYouMean.optional(),
  })
  .meta({ id: 'AgentComplianceHistory', description: 'Runs of storyboards against an agent' })
export type ComplianceHistory = z.infer<typeof ComplianceHistory>

export const AgentStoryboards = z
  .object({
    agent_url: AgentUrl,
    status: z
      .literal('opted_out')
      .optional()
      .describe('`opted_out` if the agent’s organization opted out of tests; absent otherwise'),
    storyboards: z.array(StoryboardResult).describe('Last result of each storyboard'),
    passing_count: count.describe('Number of storyboards that pass'),
    total_count: count.describe('Number of storyboards with a verdict'),
    did_you_mean: DidYouMean.optional(),
  })
  .meta({ id: 'AgentStoryboardStatus', description: 'An agent’s results by storyboard' })

export const AgentStoryboardsBulk = z
  .object({
    agents: z
      .record(
        text,
        z.union([
          z.array(StoryboardResult),
          z.object({
            status: z
              .literal('opted_out')
              .describe('`opted_out`: the agent’s organization opted out of tests'),
          }),
        ]),
      )
      .describe('Last result of each storyboard, by agent URL as sent'),
    invalid_urls: count.optional().describe('Number of invalid URLs; absent if there are none'),
  })
  .meta({
    id: 'AgentStoryboardStatusBulk',
    description: 'Results of several agents by storyboard',
  })
