import { z } from 'zod'
import { SEALED_CHARS_MAX, type Suite } from './compliance.ts'
import { TestObservation } from './responses/compliance.ts'
import { AgentDiagnostic } from './responses/monitoring.ts'
import type { StepDiagnostic } from './step-diagnostic.ts'
import { ValidationResult } from './storyboard-check.ts'

const count = z.int().nonnegative()
const text = z.string()
const ms = z.number().nonnegative().describe('Milliseconds that it took')

/** Reasons why a step is skipped. */
export const skipReasons = {
  missing_tool: 'the agent does not offer the task',
  prerequisite_failed: 'a step before it, which it builds on, did not pass',
  timed_out: 'the time of the storyboard was used up',
} as const
export type SkipReason = keyof typeof skipReasons
const skipReasonNames = Object.keys(skipReasons) as [SkipReason, ...SkipReason[]]

export const StepResult = z
  .object({
    step: text.describe('Id of the step within its storyboard'),
    task: text.describe('Name of the tool that was called'),
    passed: z.boolean().nullable().describe('Null where it was not run'),
    duration_ms: ms,
    error: text.optional().describe('Why the agent gave no answer, or how it refused the task'),
    skipped: z.literal(true).optional().describe('True if it was not run; absent otherwise'),
    skip_reason: z
      .enum(skipReasonNames)
      .optional()
      .describe('Why it was not run; absent if it was'),
    validations: z.array(ValidationResult).describe('Checks of the answer; empty without one'),
  })
  .meta({ id: 'StoryboardStepResult', description: 'Result of one step against one agent.' })
export type StepResult = z.infer<typeof StepResult>

export const AgentProfile = z
  .object({
    name: text.describe('Name of the agent, by its own statement; else its host'),
    tools: z.array(text).describe('Names of its tools, as it lists them'),
    adcp_version: text.optional().describe('Major version that it supports, such as `v3`'),
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
      .describe('Why its capabilities could not be read; absent if they could, or are not offered'),
  })
  .meta({ id: 'StoryboardAgentProfile', description: 'Self-description of an agent.' })
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
      .describe('`untested` if no step could be run'),
    headline: text.describe('The result in one line'),
    tracks_passed: count.describe('Tracks all of whose steps passed'),
    tracks_failed: count.describe('Tracks none of whose steps passed'),
    tracks_partial: count.describe('Tracks of which some steps passed'),
    tracks_skipped: count.describe('Tracks of which no step was run'),
    tracks_silent: count.describe('Always 0: every track has steps'),
    total_steps: count.describe('How many there are in all phases'),
    steps_passed: count.describe('How many were answered as expected'),
    steps_failed: count.describe('How many were not answered as expected'),
    steps_skipped: count.describe('How many were not run, for whatever reason'),
    skipped_by_reason: z.record(text, count).describe('Steps that were not run, by the reason'),
  })
  .meta({ id: 'StoryboardRunSummary', description: 'Numbers of a run.' })
export type RunSummary = z.infer<typeof RunSummary>

export const Scenario = z
  .object({
    agent_url: text.describe('The agent under test'),
    scenario: text.describe('Storyboard and phase, with a slash between them'),
    overall_passed: z.boolean().nullable().describe('Null where the step was not run'),
    steps: z.array(StepResult).describe('Only the step next to it'),
    total_duration_ms: ms,
    tested_at: z.iso.datetime().describe('Time at which the run began'),
  })
  .meta({ id: 'StoryboardScenario', description: 'A step as one agent went through it.' })

/** Result of a step, next to its definition. */
export const SideResult = z
  .object({
    passed: z.boolean().nullable().describe('Null where the step has no result'),
    scenarios: z.array(Scenario).describe('Empty if the agent could not be called'),
  })
  .meta({ id: 'StoryboardSideResult', description: 'Result of a step on one side.' })
export type SideResult = z.infer<typeof SideResult>

const phase = {
  id: text.describe('Id of the phase within its storyboard'),
  title: text.describe('Name of the phase, for people'),
  narrative: text.optional().describe('What happens in it; absent if the storyboard says nothing'),
}
export const stepDefinition = {
  id: text.describe('Id of the step within its storyboard'),
  title: text.describe('Name of the step, for people'),
  task: text.describe('Name of the tool that is called'),
  expected: text.describe('What a correct agent answers, in words'),
}

export const ComparedPhase = z
  .object({
    ...phase,
    steps: z
      .array(
        z.object({
          ...stepDefinition,
          user_result: SideResult.describe('What your agent did'),
          reference_result: SideResult.describe('What the reference agent did'),
          differs: z.boolean().describe('Whether only one of them passed'),
        }),
      )
      .describe('Steps in their order'),
  })
  .meta({ id: 'ComparedPhase', description: 'A phase with the results of both sides.' })
export type ComparedPhase = z.infer<typeof ComparedPhase>

const title = { id: text, title: text, category: text }
export const StoryboardComparison = z
  .object({
    storyboard: z
      .object({
        id: title.id.describe('Id in paths, such as `capability_discovery`'),
        title: title.title.describe('Name of the storyboard, for people'),
        category: title.category.describe('What it is about'),
      })
      .describe('Storyboard that was run'),
    user_agent: z
      .object({
        url: text.describe('Your agent'),
        profile: AgentProfile.optional().describe('Absent if the agent could not be called'),
        summary: RunSummary.optional().describe('Numbers of its run'),
      })
      .describe('Your agent and its result'),
    reference_agent: z
      .object({
        url: text.describe('Address of the reference agent'),
        name: text.describe('Name of the reference agent'),
        profile: AgentProfile.optional().describe('Absent if the agent could not be called'),
        summary: RunSummary.optional().describe('Numbers of its run'),
      })
      .describe('What the reference agent did in the same steps'),
    adcp_version: text.describe('Version of the protocol that was tested'),
    requested_compliance_target: text.describe('Target that the version belongs to'),
    badge_eligible: z.boolean().describe('Always false: one storyboard earns no badge'),
    badge_eligible_adcp_versions: z.array(text).describe('Always empty, for the same reason'),
    phases: z.array(ComparedPhase).optional().describe('Phases in their order'),
    total_duration_ms: ms.describe('Milliseconds that the slower of both took'),
  })
  .meta({
    id: 'StoryboardComparison',
    description: 'A storyboard run against two agents, side by side.',
  })
export type StoryboardComparison = z.infer<typeof StoryboardComparison>

const testedVersion = {
  requested_compliance_target: text.describe('Target that the version belongs to'),
  adcp_version: text.describe('Version of the protocol that was tested'),
}

export const StoryboardRun = z
  .object({
    run_id: z.uuid().describe('Identifies the run among those of the agent'),
    storyboard: z
      .object({
        id: title.id.describe('Id in paths, such as `capability_discovery`'),
        title: title.title.describe('Name of the storyboard, for people'),
        category: title.category.describe('What it is about'),
        narrative: text.describe('Why a buyer makes these calls, in words'),
      })
      .describe('Storyboard that was run'),
    agent: z
      .object({
        url: text.describe('Your agent'),
        profile: AgentProfile.optional().describe('Absent if the agent could not be called'),
      })
      .describe('Self-description of your agent'),
    ...testedVersion,
    badge_eligible: z.boolean().describe('Always false: one storyboard earns no badge'),
    badge_eligible_adcp_versions: z.array(text).describe('Always empty, for the same reason'),
    storyboard_status: z
      .object({
        storyboard_id: text.describe('Id of the storyboard, with the step if any, as in paths'),
        status: z
          .enum(['passing', 'partial', 'failing', 'untested'])
          .describe('`untested` if no step could be run'),
        steps_passed: count.describe('How many were answered as expected'),
        steps_total: count.describe('How many were run'),
        failure_count: count.describe('How many were not answered as expected'),
        skipped_count: count.describe('How many were not run, for whatever reason'),
        first_failed_step_id: text.nullable().describe('First step that failed; null if none did'),
        first_failed_step_title: text.nullable().describe('Its name, for people'),
        first_failed_step_task: text.nullable().describe('Name of the tool that it called'),
        first_failure_message: text.nullable().describe('What was wrong with it, in one line'),
        first_failure_validations: z
          .array(ValidationResult)
          .describe('Checks of that step which failed; empty if none did'),
      })
      .describe('The result, in the form of the agent’s list of storyboards'),
    phases: z
      .array(
        z.object({
          ...phase,
          steps: z
            .array(
              z.object({
                ...stepDefinition,
                result: SideResult.describe('What the agent did'),
              }),
            )
            .describe('Steps in their order'),
        }),
      )
      .describe('Phases in their order'),
    summary: RunSummary,
    diagnostics: z.array(AgentDiagnostic).describe('Steps in the form in which they are stored'),
    observations: z.array(TestObservation).describe('What the run showed beside its verdict'),
    test_kit: z.null().describe('Always null: the storyboards need none'),
    total_duration_ms: ms,
  })
  .meta({ id: 'StoryboardRun', description: 'A storyboard run against an agent.' })
export type StoryboardRun = z.infer<typeof StoryboardRun>
export type StoryboardStatus = StoryboardRun['storyboard_status']

/** Values that one step passes to the next. */
export const StepContext = z
  .record(z.string().max(100), z.unknown())
  .describe('Outputs of earlier steps, from the answer to the last one')

export const SingleStep = StepResult.extend({
  ...testedVersion,
  storyboard_id: text.describe('Id of the storyboard, as in paths'),
  phase_id: text.describe('Identifies the phase in its storyboard'),
  title: text.describe('Name of the step, for people'),
  context: StepContext,
  next_step_id: text.nullable().describe('Step that follows; null after the last one'),
}).meta({ id: 'StoryboardSingleStep', description: 'One step run against an agent.' })
export type SingleStep = z.infer<typeof SingleStep>

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

/** An agent that is tested, and for whom. */
const tested = {
  agent_url: text.max(2_048),
  /** Caller whom the requests are counted for. */
  caller: text.max(64),
  /** The agent's own credential, encrypted, and the organization that gave it. */
  credential: z
    .object({ org_id: text.max(300), sealed: text.max(SEALED_CHARS_MAX) })
    .exactOptional(),
}

/** Jobs that run storyboards; a crawler does them. */
export const StoryboardJob = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('compare'), ...tested, storyboard_id: text.max(200) }),
  z.object({ kind: z.literal('run'), ...tested, storyboard_id: text.max(200), run_id: z.uuid() }),
  z.object({
    kind: z.literal('step'),
    ...tested,
    storyboard_id: text.max(200),
    step_id: text.max(200),
    context: z.record(z.string(), z.unknown()),
  }),
  z.object({ kind: z.literal('profile'), ...tested }),
  /** Asks for an access token by the client credentials of the agent. */
  z.object({ kind: z.literal('token'), ...tested }),
  /** Every storyboard that applies to the agent. */
  z.object({ kind: z.literal('suite'), ...tested }),
])
export type StoryboardJob = z.infer<typeof StoryboardJob>
export type TestedAgent = Pick<StoryboardJobOf<'profile'>, 'agent_url' | 'credential'>
export type StoryboardJobKind = StoryboardJob['kind']
export type StoryboardJobOf<Kind extends StoryboardJobKind> = Extract<StoryboardJob, { kind: Kind }>

/** The agent requires a credential that the registry does not have. */
export interface NeedsCredential {
  needs_credential: true
  /** Why the credential that the registry has is of no use; absent where it has none. */
  message?: string
}

/** Steps of a comparison that are done on each side, those that were skipped among them. */
export interface StoryboardProgress {
  user: number
  reference: number
}

/** A run, and its steps in the form in which they are stored. */
export interface FinishedRun {
  run: Omit<StoryboardRun, 'diagnostics' | 'observations'>
  diagnostics: StepDiagnostic[]
}

/** A comparison, with what is stored of each side. */
export interface ComparedRuns {
  comparison: StoryboardComparison
  user: StoryboardStatus
  reference: StoryboardStatus
}

/** The agent could not be called. */
export interface AgentSilent {
  failed: 'timeout' | 'no_answer'
  message: string
}

/** Reason why a token endpoint gave no token. */
export interface TokenFailure {
  /** `oauth`: it refused; `malformed`: its answer is none; `network`: it did not answer. */
  kind: 'oauth' | 'malformed' | 'network'
  message: string
  oauth_error?: string
  oauth_error_description?: string
  http_status?: number
}

/** Result of asking for a token, which is dropped. */
export type TokenTest =
  | { ok: true; latency_ms: number }
  | { ok: false; latency_ms: number; error: TokenFailure }

/** Answers by kind of job. */
export interface StoryboardAnswers {
  compare: ComparedRuns | NeedsCredential
  run: FinishedRun | NeedsCredential
  step: SingleStep | NeedsCredential | AgentSilent
  profile: { profile: AgentProfile } | NeedsCredential | AgentSilent
  token: TokenTest
  suite: Suite
}
