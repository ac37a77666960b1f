import { z } from 'zod'
import { agentRequestTypes } from '../agent-request.ts'
import { complianceStatuses, credentialTypes, lifecycleStages } from '../compliance.ts'
import { AgentUrl } from '../shared-fields.ts'
import { extractionPaths } from '../storyboards/step-exchange.ts'
import { ValidationResult } from '../storyboards/storyboard-check.ts'
import { StepGuidance } from '../storyboards/storyboard-result.ts'

const text = z.string()
const moment = z.iso.datetime().nullable()

const schedule = {
  monitoring_paused: z.boolean().describe('Whether scheduled runs are paused'),
  check_interval_hours: z.int().describe('Hours between scheduled runs'),
  monitoring_paused_at: moment.describe(
    'Time at which scheduled runs were paused; null if they are not',
  ),
}

export const MonitoringSchedule = z
  .object(schedule)
  .meta({ id: 'AgentMonitoring', description: 'An agent’s test schedule' })

export const RegistryMetadata = z
  .object({
    agent_url: AgentUrl,
    lifecycle_stage: z
      .enum(lifecycleStages)
      .describe('Lifecycle stage of the agent, as set by its organization'),
    compliance_opt_out: z
      .boolean()
      .describe(
        'Whether the agent’s organization opted out of tests, so that the results are hidden',
      ),
    badge_requalification_required: z
      .boolean()
      .describe('Whether the agent must pass a full run to get a badge again after an opt-out'),
    ...schedule,
    created_at: moment.describe(
      'Time of the first change to these settings; null if there was none',
    ),
    updated_at: moment.describe(
      'Time of the last change to these settings; null if there was none',
    ),
  })
  .meta({ id: 'AgentRegistryMetadata', description: 'An agent’s test settings' })
export type RegistryMetadata = z.infer<typeof RegistryMetadata>

export const Requeued = z
  .object({ requeued: z.literal(true).describe('Always true: the next run is due now') })
  .meta({ id: 'AgentRequeued', description: 'A run that was requested' })

const agent_context_id = z.uuid().describe('Identifies the agent together with its credential')

export const AgentAuthStatus = z
  .object({
    has_auth: z.boolean().describe('Whether the registry has a credential for the agent'),
    agent_context_id: agent_context_id
      .nullable()
      .describe('Identifies the agent together with its credential; null if it has none'),
    auth_type: z
      .enum(credentialTypes)
      .nullable()
      .describe('Type of the credential; null if there is none'),
    has_oauth_token: z.literal(false).describe('Always false: no token is kept'),
    has_valid_oauth: z.literal(false).describe('Always false: no token is kept'),
    oauth_token_expires_at: z.null().describe('Always null: no token is kept'),
    has_oauth_client_credentials: z
      .boolean()
      .describe(
        'Whether the registry has OAuth client credentials for the agent, with which it requests a token before each run',
      ),
    saved_at: moment.describe('Time at which the credential was set; null if there is none'),
  })
  .meta({
    id: 'AgentAuthStatus',
    description: 'Whether the registry can test an agent with a credential',
  })
export type AgentAuthStatus = z.infer<typeof AgentAuthStatus>

const TokenError = z
  .object({
    kind: z
      .enum(['oauth', 'malformed', 'network'])
      .describe(
        'Kind of failure: `oauth` if the token endpoint returned an error, `malformed` if its response is invalid, `network` if it did not respond',
      ),
    message: text.describe('Human-readable form of `kind`, in one line'),
    oauth_error: text
      .optional()
      .describe('Error code that the token endpoint returned; absent if there was none'),
    oauth_error_description: text
      .optional()
      .describe(
        'Error message that the token endpoint returned, possibly shortened; absent if there was none',
      ),
    http_status: z
      .int()
      .optional()
      .describe('HTTP status of the response; absent if there was none'),
  })
  .meta({ id: 'AgentTokenError', description: 'Why a token endpoint issued no token' })

export const TokenTested = z
  .object({
    ok: z.boolean().describe('Whether the token endpoint issued a token'),
    latency_ms: z.number().describe('Time that the token endpoint took, in milliseconds'),
    error: TokenError.optional().describe(
      'Why the token endpoint issued no token; absent if it did',
    ),
  })
  .meta({ id: 'AgentTokenTest', description: 'Result of requesting a token from a token endpoint' })

export const AgentDiagnostic = z
  .object({
    id: text.describe('ID of the step, unique in this registry'),
    run_id: z.uuid().describe('ID of the run, as in the history'),
    agent_url: AgentUrl,
    storyboard_id: text.describe('ID of the storyboard that was run, or of its step'),
    phase_id: text.describe('ID of the phase, unique within its storyboard'),
    step_id: text.describe('ID of the step, unique within its phase'),
    task: text.describe('Name of the tool that was called'),
    step_passed: z.boolean().nullable().describe('Whether the step passed; null if it was not run'),
    duration_ms: z.number().describe('Duration of the step, in milliseconds'),
    request_url: text
      .optional()
      .describe('URL that was called; absent if no request is stored, as for a step that passed'),
    request_jsonb: z
      .unknown()
      .optional()
      .describe('Arguments of the call, shortened and without secrets'),
    response_status: z
      .int()
      .optional()
      .describe('HTTP status of the response; absent if there was none'),
    response_headers_jsonb: z
      .record(text, z.unknown())
      .optional()
      .describe('Headers of the response, without secrets'),
    response_jsonb: z
      .unknown()
      .optional()
      .describe('Result of the tool, shortened and without secrets'),
    extraction_path: z
      .enum(extractionPaths)
      .optional()
      .describe(
        'Where the result was found: `structured_content`, a text (`text_fallback`), `error` or `none`',
      ),
    extraction_note: text
      .optional()
      .describe('Human-readable note on anything unusual about the response'),
    adcp_error_jsonb: z
      .unknown()
      .optional()
      .describe(
        'Error that the agent returned, with the agent’s own fields; absent if there was none',
      ),
    served_by_agent_url: text
      .optional()
      .describe('URL that responded: the agent may listen at a path below its URL'),
    error_text: text
      .nullable()
      .describe('Why the agent did not respond, or how it refused the task; null otherwise'),
    failed_validations_jsonb: z
      .array(ValidationResult)
      .describe('Checks that the response failed, with values shortened and without secrets'),
    guidance: StepGuidance.optional().describe(
      'What is wrong and what to change; absent if no request is stored',
    ),
    captured_at: z.iso.datetime().describe('Time at which the run started'),
  })
  .meta({
    id: 'AgentDiagnostic',
    description: 'A step of a run, as shown to the agent’s organization',
  })
export type AgentDiagnostic = z.infer<typeof AgentDiagnostic>

export const AgentDiagnosticList = z
  .object({
    agent_url: AgentUrl,
    run_id: z.uuid().nullable().describe('ID of the run; null if there is none'),
    count: z.int().describe('Number of steps in the list'),
    diagnostics: z.array(AgentDiagnostic).describe('Steps in the order of the storyboard'),
  })
  .meta({ id: 'AgentDiagnostics', description: 'Steps of an agent’s run' })
export type AgentDiagnosticList = z.infer<typeof AgentDiagnosticList>

export const AgentRequestList = z
  .object({
    agent_url: AgentUrl,
    requests: z
      .array(
        z.object({
          id: z.uuid().describe('ID of the request; for a run, its ID in the history'),
          agent_url: AgentUrl,
          request_type: z
            .enum(agentRequestTypes)
            .describe(
              'Purpose of the request: a run, a comparison, a step, a discovery or a token',
            ),
          user_agent: text.describe('`User-Agent` header that the registry sent'),
          response_time_ms: z
            .number()
            .nullable()
            .describe('Total duration of the request, in milliseconds; null if unknown'),
          success: z.boolean().describe('Whether the agent could be called, whatever it returned'),
          error_message: text
            .nullable()
            .describe('Why the agent could not be called; null if it could'),
          created_at: z.iso.datetime().describe('Time at which the request started'),
        }),
      )
      .describe('Requests, newest first'),
    count: z.int().describe('Number of items in the list'),
    total: z.int().describe('Number of requests since the given time; at most 500 are kept'),
  })
  .meta({
    id: 'AgentRequests',
    description: 'Requests that the registry sent to an agent to test it',
  })

export const AgentRefreshed = z
  .object({
    online: z.boolean().describe('Whether the agent responded'),
    tools_count: z
      .int()
      .nullable()
      .describe('Number of tools that the agent offers; null if unknown'),
    response_time_ms: z
      .number()
      .nullable()
      .describe('Time until the agent responded, in milliseconds; null if it did not'),
    inferred_type: text.describe('Type of the agent, as its member declared it'),
    type_promoted: z
      .literal(false)
      .describe('Always false: the agent’s organization declares the type'),
    oauth_required: z
      .boolean()
      .describe('Whether the agent requires a credential that the registry does not have'),
    checked_at: z.iso.datetime().describe('Time at which the agent was called'),
    error: text.optional().describe('Why the agent could not be tested; absent if it could'),
    compliance: z
      .object({
        ran: z.boolean().describe('Whether all storyboards that apply were run'),
        run_id: z.uuid().optional().describe('ID of the run, as in the history'),
        requested_compliance_target: text.optional().describe('Requested version of the protocol'),
        adcp_version: text
          .optional()
          .describe('Full version of the protocol that was tested, such as `3.0.6`'),
        badge_eligible: z
          .boolean()
          .optional()
          .describe('Whether the agent has a badge after the run'),
        badge_eligible_adcp_versions: z
          .array(text)
          .optional()
          .describe('Versions of the protocol for which the agent has a badge'),
        overall_status: z
          .enum(complianceStatuses)
          .optional()
          .describe('Current test result of the agent'),
        storyboards_passing: z.int().optional().describe('Number of storyboards that pass'),
        storyboards_total: z.int().optional().describe('Number of storyboards with a verdict'),
        observations_count: z
          .int()
          .optional()
          .describe('Number of findings from the run, in addition to its verdict'),
        notices_count: z.int().optional().describe('Number of notices about the results'),
        error: text.optional().describe('Why no storyboard was run; absent if some were'),
      })
      .describe('The run, and the agent’s test result after the run'),
  })
  .meta({ id: 'AgentRefreshed', description: 'Result of probing and testing an agent' })
export type AgentRefreshed = z.infer<typeof AgentRefreshed>

export const AgentConnected = z
  .object({
    connected: z.literal(true).describe('Always true: the registry knows the agent'),
    has_auth: z
      .boolean()
      .describe('Whether the registry stores a credential for the agent, encrypted'),
    agent_context_id,
    auth_type: z
      .enum(credentialTypes)
      .nullable()
      .describe('Type of credential; null if there is none'),
    refresh: AgentRefreshed.optional().describe(
      'How the agent responded to its new credential; absent if the agent was not called: no credential was given, or there were too many calls',
    ),
  })
  .meta({ id: 'AgentConnected', description: 'Credential that the registry uses to call an agent' })
export type AgentConnected = z.infer<typeof AgentConnected>
