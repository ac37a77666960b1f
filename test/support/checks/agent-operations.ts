import type { Access } from '../../../api/operation/operation.ts'

/**
 * An operation as the public registry has it, whose clients must find it here. Members that may be absent
 * have a question mark; items of a list have the path of the list.
 */
export interface ComparedOperation {
  call: string
  access: Access
  query?: string
  body?: string
  answer?: string
  statuses: readonly number[]
}

const agent = '/api/registry/agents/{encodedUrl}'
const storyboard = `${agent}/storyboard/{storyboardId}`

/** Puts the members of an object below a path. */
const below = (path: string, members: string) =>
  members
    .trim()
    .split(/\s+/)
    .map(member => `${path}.${member}`)
    .join(' ')

const version = 'requested_compliance_target adcp_version'
const result = `storyboard_id ${version} title category track status steps_passed steps_total failure_count
  skipped_count first_failed_step_id first_failed_step_title first_failed_step_task
  first_failure_message last_tested_at last_passed_at`
const badge = `role adcp_version verified_at verified_specialisms verification_modes
  verified_protocol_version badge_url`
const metadata = `agent_url lifecycle_stage compliance_opt_out badge_requalification_required
  monitoring_paused check_interval_hours monitoring_paused_at created_at updated_at`
const schedule = 'monitoring_paused check_interval_hours monitoring_paused_at'
const refreshed = `online tools_count response_time_ms inferred_type type_promoted oauth_required checked_at
  error? compliance ${below(
    'compliance',
    `ran run_id? requested_compliance_target? adcp_version? badge_eligible?
    badge_eligible_adcp_versions? overall_status? storyboards_passing? storyboards_total?
    observations_count? notices_count? error?`,
  )}`
const connected = `connected has_auth agent_context_id refresh? ${below('refresh', refreshed)}`
const profile =
  'name tools adcp_version? supported_protocols? specialisms? capabilities_probe_error?'
const summary = `tracks_passed tracks_failed tracks_skipped tracks_partial tracks_silent headline
  total_steps? steps_passed? steps_failed? steps_skipped? skipped_by_reason?`
const scenario = `agent_url scenario overall_passed steps? ${below(
  'steps',
  'step task? passed duration_ms error? skipped? skip_reason?',
)} total_duration_ms tested_at`
const side = `passed scenarios ${below('scenarios', scenario)}`
const diagnostic = `id run_id agent_url storyboard_id phase_id step_id task step_passed duration_ms?
  request_url? request_jsonb? response_status? response_headers_jsonb? response_jsonb?
  extraction_path? extraction_note? error_text? adcp_error_jsonb? failed_validations_jsonb?
  served_by_agent_url? captured_at`
const badgePicture = { access: 'public', statuses: [200, 400] } as const
const badgeEmbed = {
  ...badgePicture,
  answer: 'agent_url role verified adcp_version? badge_svg_url registry_url html markdown',
} as const

/** The group of operations by which agents are tested. */
export const agentOperations: ComparedOperation[] = [
  {
    call: `GET ${agent}/compliance`,
    access: 'optional',
    answer: `agent_url ${version} status lifecycle_stage compliance_opt_out
      badge_requalification_required tracks track_details
      ${below('track_details', 'track status scenario_count passed_count duration_ms has_coverage_gap_skip')}
      streak_days last_checked_at last_passed_at last_failed_at headline status_changed_at
      storyboards_passing storyboards_total check_interval_hours declared_specialisms
      specialism_status storyboard_statuses
      ${below('storyboard_statuses', `${result} first_failure_validations`)}
      notices observations ${below('observations', 'category severity message')}
      membership_tier membership_tier_label subscription_status is_api_access_tier verdict_source
      verified verified_badges ${below('verified_badges', badge)}`,
    statuses: [200, 400],
  },
  {
    call: `GET ${agent}/compliance/history`,
    access: 'optional',
    query: 'limit?',
    answer: `agent_url runs count ${below(
      'runs',
      `id ${version} overall_status headline tracks_passed tracks_failed tracks_skipped
      tracks_partial tracks_json total_duration_ms triggered_by tested_at`,
    )}`,
    statuses: [200, 400],
  },
  {
    call: `GET ${agent}/verification`,
    access: 'public',
    answer: `agent_url verified badges registry_url ${below('badges', badge)}`,
    statuses: [200, 400],
  },
  { call: `GET ${agent}/badge/{role}.svg`, ...badgePicture },
  { call: `GET ${agent}/badge/{role}/{version}.svg`, ...badgePicture },
  { call: `GET ${agent}/badge/{role}/embed`, ...badgeEmbed },
  { call: `GET ${agent}/badge/{role}/{version}/embed`, ...badgeEmbed },
  {
    call: `GET ${agent}/storyboard-status`,
    access: 'bearer',
    answer: `agent_url status? storyboards ${below('storyboards', result)} passing_count total_count`,
    statuses: [200, 400, 401, 403],
  },
  {
    call: 'POST /api/registry/agents/storyboard-status',
    access: 'bearer',
    body: 'agent_urls',
    answer: `agents ${below('agents', result)} invalid_urls?`,
    statuses: [200, 400, 401, 403],
  },
  {
    call: `GET ${agent}/compliance/diagnostics`,
    access: 'bearer',
    query: 'run_id? limit?',
    answer: `agent_url run_id count diagnostics ${below('diagnostics', diagnostic)}`,
    statuses: [200, 400, 401, 403],
  },
  {
    call: 'GET /api/storyboards',
    access: 'public',
    query: 'category? compliance_target?',
    answer: `${version} storyboards count ${below(
      'storyboards',
      'id title category summary interaction_model examples phase_count step_count',
    )}`,
    statuses: [200, 400],
  },
  {
    call: 'GET /api/storyboards/{id}',
    access: 'public',
    answer: `${version} test_kit storyboard ${below(
      'storyboard',
      `id title category summary agent agent.interaction_model agent.examples? phases phases.title
      phases.steps phases.steps.id phases.steps.title phases.steps.description
      phases.steps.expected_output prerequisites? required_tools? track?`,
    )}`,
    statuses: [200, 404],
  },
  {
    call: 'GET /api/storyboards/{id}/first-step',
    access: 'public',
    answer: `${version} storyboard storyboard.id storyboard.title step`,
    statuses: [200, 404],
  },
  {
    call: `PUT ${agent}/lifecycle`,
    access: 'bearer',
    body: 'lifecycle_stage',
    answer: metadata,
    statuses: [200, 400, 401, 403],
  },
  {
    call: `PUT ${agent}/compliance/opt-out`,
    access: 'bearer',
    body: 'opt_out',
    answer: metadata,
    statuses: [200, 400, 401, 403],
  },
  {
    call: `GET ${agent}/monitoring/settings`,
    access: 'bearer',
    answer: schedule,
    statuses: [200, 400, 401, 403],
  },
  {
    call: `PUT ${agent}/monitoring/pause`,
    access: 'bearer',
    body: 'paused',
    answer: schedule,
    statuses: [200, 400, 401, 403],
  },
  {
    call: `PUT ${agent}/monitoring/interval`,
    access: 'bearer',
    body: 'interval_hours',
    answer: schedule,
    statuses: [200, 400, 401, 403],
  },
  {
    call: `POST ${agent}/monitoring/requeue`,
    access: 'bearer',
    answer: 'requeued',
    statuses: [200, 400, 401, 403, 429],
  },
  {
    call: `GET ${agent}/monitoring/requests`,
    access: 'bearer',
    query: 'limit? since?',
    answer: `agent_url count total requests ${below(
      'requests',
      'id agent_url request_type user_agent response_time_ms success error_message created_at',
    )}`,
    statuses: [200, 400, 401, 403],
  },
  {
    call: `POST ${agent}/refresh`,
    access: 'bearer',
    body: 'organization_id?',
    answer: refreshed,
    statuses: [200, 400, 401, 403, 409, 429, 502],
  },
  {
    call: `GET ${agent}/auth-status`,
    access: 'bearer',
    query: 'org?',
    answer: `has_auth agent_context_id auth_type has_oauth_token has_valid_oauth
      oauth_token_expires_at has_oauth_client_credentials`,
    statuses: [200, 400, 401],
  },
  {
    call: `PUT ${agent}/connect`,
    access: 'bearer',
    body: 'auth_token? auth_type? organization_id?',
    answer: connected,
    statuses: [200, 400, 401, 403],
  },
  {
    call: `PUT ${agent}/oauth-client-credentials`,
    access: 'bearer',
    body: `token_endpoint client_id client_secret scope? resource? audience? auth_method?
      organization_id?`,
    answer: `${connected} auth_type`,
    statuses: [200, 400, 401, 403],
  },
  {
    call: `POST ${agent}/oauth-client-credentials/test`,
    access: 'bearer',
    body: 'organization_id?',
    answer: `ok latency_ms error? ${below(
      'error',
      'kind message oauth_error? oauth_error_description? http_status?',
    )}`,
    statuses: [200, 400, 401, 403, 404],
  },
  {
    call: `GET ${agent}/applicable-storyboards`,
    access: 'bearer',
    query: 'org?',
    answer: `agent_url agent_name supported_protocols specialisms ${version}
      capabilities_probe_error? bundles ${below(
        'bundles',
        'kind id storyboards storyboards.id storyboards.title storyboards.summary storyboards.step_count',
      )} total_storyboards`,
    // An agent that fails is a 502 here and not a 500, which is for errors of the registry itself.
    statuses: [200, 400, 401, 403, 422, 429, 502, 504],
  },
  {
    call: `POST ${storyboard}/step/{stepId}`,
    access: 'bearer',
    body: 'context? dry_run? organization_id?',
    answer: `${version} storyboard_id? phase_id title task passed duration_ms validations context
      exchange? error? skipped? skip_reason? needs_oauth? agent_context_id?`,
    statuses: [200, 400, 401, 403, 404, 429],
  },
  {
    call: `POST ${storyboard}/run`,
    access: 'bearer',
    body: 'organization_id?',
    answer: `storyboard storyboard.id storyboard.title storyboard.category storyboard.narrative?
      agent agent.url agent.profile? ${below('agent.profile', profile)} ${version} badge_eligible
      badge_eligible_adcp_versions run_id storyboard_status ${below(
        'storyboard_status',
        `storyboard_id status steps_passed steps_total failure_count skipped_count
        first_failed_step_id first_failed_step_title first_failed_step_task first_failure_message
        first_failure_validations`,
      )} phases ${below('phases', `id title steps steps.id steps.title steps.task steps.result`)}
      ${below('phases.steps.result', `${side} coverage_gap_skipped`)}
      summary ${below('summary', summary)} diagnostics ${below('diagnostics', diagnostic)}
      observations total_duration_ms test_kit`,
    statuses: [200, 400, 401, 403, 404, 422, 429],
  },
  {
    call: `POST ${storyboard}/compare`,
    access: 'bearer',
    body: 'organization_id?',
    answer: `storyboard storyboard.id storyboard.title storyboard.category
      user_agent user_agent.url user_agent.profile? user_agent.summary?
      ${below('user_agent.profile', profile)} ${below('user_agent.summary', summary)}
      reference_agent reference_agent.url reference_agent.name reference_agent.profile?
      reference_agent.summary? ${version} badge_eligible badge_eligible_adcp_versions phases?
      ${below('phases', `id title steps steps.id steps.title steps.task steps.user_result steps.reference_result`)}
      ${below('phases.steps.user_result', side)} ${below('phases.steps.reference_result', side)}
      total_duration_ms`,
    statuses: [200, 400, 401, 403, 404, 422, 429],
  },
]
