import { z } from 'zod'
import { StepExchange } from './step-exchange.ts'
import { ValidationResult } from './storyboard-check.ts'

const count = z.int().nonnegative()
const text = z.string()
const ms = z.number().nonnegative().describe('Duration of the step, in milliseconds')

/** Reasons why a step is skipped. */
export const skipReasons = {
  missing_tool: 'the agent does not offer the task',
  missing_test_controller: 'the agent does not offer the test controller that it needs',
  not_applicable: 'the agent says that it does not do what is tested',
  unsatisfied_contract: 'it needs help that this registry does not offer',
  unknown_check: 'it has a check that this registry does not know',
  no_upstream_record: 'the agent keeps no record of its calls to other platforms',
  shared_state: 'the account holds more than the storyboard has set up',
  peer_branch_taken: 'the agent does what another phase tests in its place',
  peer_substituted: 'another step of the phase sets up the same',
  invalid_request: 'a value of an earlier answer makes its request break the schema',
  prerequisite_failed: 'a step before it, which it builds on, did not pass',
  timed_out: 'the time or the requests of the storyboard were used up',
  dry_run: 'the caller only wanted to see the request',
} as const
export type SkipReason = keyof typeof skipReasons
const skipReasonNames = Object.keys(skipReasons) as [SkipReason, ...SkipReason[]]

export const StepGuidance = z
  .object({
    rule: text.describe('Storyboard, step and check, such as `idempotency/replay#field_value`'),
    sentence: text.describe('What the agent did not do, in the words of the storyboard'),
    expected: text.describe('Description of what a correct agent returns in this step'),
    reference_url: text
      .optional()
      .describe('URL of the page or schema of the protocol that requires it'),
    fix: text.describe('What to change in the agent'),
  })
  .meta({ id: 'StoryboardStepGuidance', description: 'Why a step failed, and how to fix it' })
export type StepGuidance = z.infer<typeof StepGuidance>

export const StepResult = z
  .object({
    step: text.describe('ID of the step within its storyboard'),
    task: text.describe('Name of the tool that was called'),
    passed: z.boolean().nullable().describe('Whether the step passed; null if it was not run'),
    duration_ms: ms,
    error: text.optional().describe('Why the agent did not respond, or how it refused the task'),
    skipped: z.literal(true).optional().describe('True if the step was not run; absent otherwise'),
    skip_reason: z
      .enum(skipReasonNames)
      .optional()
      .describe('Why the step was not run; absent if it was'),
    validations: z
      .array(ValidationResult)
      .describe('Checks of the response; empty if there was no response'),
    guidance: StepGuidance.optional().describe(
      'What is wrong and what to change; absent unless the step failed',
    ),
    exchange: StepExchange.optional().describe(
      'Request and response of the step; absent if it was not run, or if it passed in a run of all steps (in a comparison, on both sides)',
    ),
  })
  .meta({ id: 'StoryboardStepResult', description: 'Result of one step against one agent' })
export type StepResult = z.infer<typeof StepResult>

export const AgentProfile = z
  .object({
    name: text.describe('Name that the agent gives itself; otherwise its host'),
    tools: z.array(text).describe('Names of the agent’s tools, in its own order'),
    adcp_version: text
      .optional()
      .describe('Major version of the protocol that the agent supports, such as `v3`'),
    adcp_supported_versions: z
      .array(text)
      .optional()
      .describe(
        'Versions of the protocol that the agent names, such as `3.1`; absent if it names none',
      ),
    supported_protocols: z
      .array(text)
      .optional()
      .describe('Parts of the protocol that the agent claims to support'),
    specialisms: z
      .array(text)
      .optional()
      .describe('Narrower roles that the agent claims, such as `signal-owned`'),
    capabilities_probe_error: text
      .optional()
      .describe(
        'Why the agent’s capabilities could not be read; absent if they could, or are not offered',
      ),
  })
  .meta({ id: 'StoryboardAgentProfile', description: 'Self-description of an agent' })
export type AgentProfile = z.infer<typeof AgentProfile>

/** Results of a run. */
export const runStatuses = [
  'passing',
  'partial',
  'failing',
  'auth_required',
  'unreachable',
] as const
export type RunStatus = (typeof runStatuses)[number]

export const RunSummary = z
  .object({
    overall_status: z
      .enum([...runStatuses, 'untested'])
      .describe('Result of the run; `untested` if no step could be run'),
    headline: text.describe('Result of the run in one line'),
    tracks_passed: count.describe('Number of tracks in which all steps passed'),
    tracks_failed: count.describe('Number of tracks in which no step passed'),
    tracks_partial: count.describe('Number of tracks in which only some steps passed'),
    tracks_skipped: count.describe('Number of tracks in which no step was run'),
    tracks_silent: count.describe('Always 0: every track has steps'),
    total_steps: count.describe('Number of steps in all phases'),
    steps_passed: count.describe('Number of steps of the run that passed'),
    steps_failed: count.describe('Number of steps of the run that failed'),
    steps_skipped: count.describe('Number of steps that were not run, for any reason'),
    skipped_by_reason: z
      .record(text, count)
      .describe('Number of steps that were not run, by reason'),
  })
  .meta({ id: 'StoryboardRunSummary', description: 'Counts of the steps in a run' })
export type RunSummary = z.infer<typeof RunSummary>

export const Scenario = z
  .object({
    agent_url: text.describe('URL of the agent under test'),
    scenario: text.describe('Storyboard and phase, with a slash between them'),
    overall_passed: z
      .boolean()
      .nullable()
      .describe('Whether the step passed; null if it was not run'),
    steps: z.array(StepResult).describe('The result of the step, as a list of one'),
    total_duration_ms: ms,
    tested_at: z.iso.datetime().describe('Time at which the run started'),
  })
  .meta({
    id: 'StoryboardScenario',
    description: 'Result of one step against one agent, as a scenario',
  })

/** Result of a step, next to its definition. */
export const SideResult = z
  .object({
    passed: z.boolean().nullable().describe('Whether the step passed; null if it has no result'),
    scenarios: z
      .array(Scenario)
      .describe('One entry for each step, with its phase; empty if the agent could not be called'),
  })
  .meta({ id: 'StoryboardSideResult', description: 'Result of a step on one side of a comparison' })
export type SideResult = z.infer<typeof SideResult>

/** Fields of a phase in every answer. */
export const phaseDefinition = {
  id: text.describe('ID of the phase within its storyboard'),
  title: text.describe('Display name of the phase'),
  narrative: text
    .optional()
    .describe('What happens in the phase; absent if the storyboard does not say'),
}
/** Fields of a step in every answer. */
export const stepDefinition = {
  id: text.describe('ID of the step within its storyboard'),
  title: text.describe('Display name of the step'),
  task: text.describe('Name of the tool that is called'),
  expected: text.describe('Description of what a correct agent returns in this step'),
}

/** Fields of the storyboard that was run. */
export const storyboardTitle = {
  id: text.describe('ID of the storyboard, such as `capability_discovery`'),
  title: text.describe('Display name of the storyboard'),
  category: text.describe('Category under which the storyboard is listed'),
}

/** Version of the protocol for which an agent was tested. */
export const testedVersion = {
  requested_compliance_target: text.describe('Requested version of the protocol, such as `3.0`'),
  adcp_version: text.describe('Full version of the protocol that was tested, such as `3.0.6`'),
}

/** Results of one run against one agent. */
export interface AgentRun {
  url: string
  status: RunStatus | 'untested'
  profile?: AgentProfile
  /** By phase and step; empty if the agent could not be called. */
  phases: { phase_id: string; steps: StepResult[] }[]
  duration_ms: number
  tested_at: string
}
