import { z } from 'zod'
import { firstFailedStep, TestObservation } from '../responses/compliance.ts'
import { AgentDiagnostic } from '../responses/monitoring.ts'
import { ValidationResult } from './storyboard-check.ts'
import {
  AgentProfile,
  phaseDefinition,
  RunSummary,
  SideResult,
  StepResult,
  stepDefinition,
  storyboardTitle,
  testedVersion,
} from './storyboard-result.ts'

const count = z.int().nonnegative()
const text = z.string()

export const StoryboardRun = z
  .object({
    run_id: z.uuid().describe('ID of the run, unique within the agent'),
    storyboard: z
      .object({
        ...storyboardTitle,
        narrative: text.describe('Why a buyer makes these calls'),
      })
      .describe('Storyboard that was run'),
    agent: z
      .object({
        url: text.describe('URL of your agent'),
        profile: AgentProfile.optional().describe(
          'Self-description of the agent; absent if it could not be called',
        ),
      })
      .describe('Self-description of your agent'),
    ...testedVersion,
    badge_eligible: z.boolean().describe('Always false: one storyboard earns no badge'),
    badge_eligible_adcp_versions: z
      .array(text)
      .describe('Always empty: one storyboard earns no badge'),
    storyboard_status: z
      .object({
        storyboard_id: text.describe(
          'ID of the storyboard, followed by the ID of the step if only one step was run',
        ),
        status: z
          .enum(['passing', 'partial', 'failing', 'untested'])
          .describe('Result of the run; `untested` if no step could be run'),
        steps_passed: count.describe('Number of steps of the run that passed'),
        steps_total: count.describe('Number of steps that were run'),
        failure_count: count.describe('Number of steps of the run that failed'),
        skipped_count: count.describe('Number of steps that were not run, for any reason'),
        ...firstFailedStep,
        first_failure_message: text
          .nullable()
          .describe('Reason for the first failure, in one line; null if no step failed'),
        first_failure_validations: z
          .array(ValidationResult)
          .describe('Failed checks of the first step that failed; empty if none did'),
      })
      .describe('The result, in the form of the agent’s list of storyboards'),
    phases: z
      .array(
        z.object({
          ...phaseDefinition,
          steps: z
            .array(
              z.object({
                ...stepDefinition,
                result: SideResult.extend({
                  coverage_gap_skipped: z
                    .boolean()
                    .describe(
                      'Whether the step was not run because the agent does not offer the task',
                    ),
                })
                  .meta({ id: 'StoryboardRunResult', description: 'Result of a step in a run' })
                  .describe('What the agent did in this step'),
              }),
            )
            .describe('Steps in the order of the storyboard'),
        }),
      )
      .describe('Phases in the order of the storyboard'),
    summary: RunSummary,
    diagnostics: z.array(AgentDiagnostic).describe('Steps in the form in which they are stored'),
    observations: z
      .array(TestObservation)
      .describe('Findings from the run, in addition to its verdict'),
    test_kit: z.null().describe('Always null: the storyboards need none'),
    total_duration_ms: z.number().nonnegative().describe('Duration of the run, in milliseconds'),
  })
  .meta({ id: 'StoryboardRun', description: 'A storyboard run against an agent' })
export type StoryboardRun = z.infer<typeof StoryboardRun>
export type StoryboardStatus = StoryboardRun['storyboard_status']

/** Values that one step passes to the next. */
export const StepContext = z
  .record(z.string().max(100), z.unknown())
  .describe('Outputs of earlier steps, from the response to the last one')

export const SingleStep = StepResult.extend({
  ...testedVersion,
  storyboard_id: text.describe('ID of the storyboard that the step is part of'),
  phase_id: text.describe('ID of the phase, unique within its storyboard'),
  title: text.describe('Display name of the step'),
  context: StepContext,
  next_step_id: text.nullable().describe('ID of the step that follows; null after the last one'),
  needs_oauth: z
    .literal(true)
    .optional()
    .describe(
      'True if the agent requires a credential that the registry does not have; absent otherwise',
    ),
  agent_context_id: z
    .uuid()
    .optional()
    .describe(
      'ID of the agent together with the credential that it rejected; absent if it rejected none',
    ),
}).meta({ id: 'StoryboardSingleStep', description: 'One step run against an agent' })
export type SingleStep = z.infer<typeof SingleStep>
