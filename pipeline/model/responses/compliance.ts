import { z } from 'zod'
import { AgentUrl } from '../shared-fields.ts'
import { storyboardStatuses } from '../storyboard-record.ts'

const text = z.string()
const count = z.int().nonnegative()
const moment = z.iso.datetime().nullable()

export const complianceStatuses = ['passing', 'degraded', 'failing', 'unknown'] as const

const version = {
  requested_compliance_target: text
    .nullable()
    .describe('Version of the protocol that the tests are for; null where there was none'),
  adcp_version: text.nullable().describe('The same, in full'),
}

export const StoryboardResult = z
  .object({
    storyboard_id: text.describe('Names what was run, as in paths'),
    ...version,
    title: text.describe('How the storyboard is called, for people'),
    category: text.nullable().describe('What it is about; null where it is gone'),
    track: text
      .nullable()
      .describe('Part of the protocol that it counts for; null where it is gone'),
    status: z.enum(storyboardStatuses).describe('`untested` where no step could be run'),
    steps_passed: count.describe('How many were answered as expected'),
    steps_total: count.describe('How many were run'),
    failure_count: count.describe('How many were not answered as expected'),
    skipped_count: count.describe('How many were not run, for whatever reason'),
    first_failed_step_id: text.nullable().describe('First step that failed; null where none did'),
    first_failed_step_title: text.nullable().describe('How that step is called, for people'),
    first_failed_step_task: text.nullable().describe('Name of the tool that it called'),
    first_failure_message: text
      .nullable()
      .describe('What was wrong, in one line; shown to the agent’s own organization alone'),
    last_tested_at: moment.describe('Moment of the last run'),
    last_passed_at: moment.describe('Moment of the last run that passed; null where none did'),
  })
  .meta({ id: 'AgentStoryboardResult', description: 'How an agent fared in one storyboard.' })
export type StoryboardResult = z.infer<typeof StoryboardResult>

/** Results of an agent without those of each storyboard. */
const summary = {
  ...version,
  status: z
    .enum(complianceStatuses)
    .describe('`degraded` where some storyboards do not pass, `unknown` where none was run'),
  tracks: z
    .record(text, z.enum(['pass', 'partial', 'fail', 'skip']))
    .describe('Results by the part of the protocol'),
  headline: text.nullable().describe('The result in one line; null where there is none'),
  storyboards_passing: count.describe('How many pass'),
  storyboards_total: count.describe('How many of those that were run could be judged'),
  last_checked_at: moment.describe('Moment of the last run of any storyboard'),
}

export const ComplianceSummary = z
  .object(summary)
  .meta({ id: 'AgentComplianceSummary', description: 'How an agent fares in tests, in short.' })
export type ComplianceSummary = z.infer<typeof ComplianceSummary>

export const AgentCompliance = z
  .object({
    agent_url: AgentUrl,
    ...summary,
    last_passed_at: moment.describe('Moment of the last run that passed'),
    last_failed_at: moment.describe('Moment of the last run that did not pass'),
    storyboard_statuses: z.array(StoryboardResult).describe('Last result of each storyboard'),
  })
  .meta({ id: 'AgentCompliance', description: 'How an agent fares in tests.' })
export type AgentCompliance = z.infer<typeof AgentCompliance>

export const ComplianceHistory = z
  .object({
    agent_url: AgentUrl,
    runs: z
      .array(
        z.object({
          id: z.uuid().describe('Identifies the run among those of the agent'),
          ...version,
          storyboard_id: text.describe('Names what was run, as in paths'),
          overall_status: z.enum(storyboardStatuses).describe('What came of it'),
          headline: text.describe('The result in one line'),
          total_duration_ms: z.number().describe('Milliseconds that it took'),
          triggered_by: z
            .literal('owner_test')
            .describe('The agent’s own organization asked for it'),
          tested_at: z.iso.datetime().describe('Moment at which it began'),
        }),
      )
      .describe('Runs, the newest first'),
    count: count.describe('How many there are in the list'),
  })
  .meta({ id: 'AgentComplianceHistory', description: 'Runs of storyboards against an agent.' })
export type ComplianceHistory = z.infer<typeof ComplianceHistory>

export const AgentStoryboards = z
  .object({
    agent_url: AgentUrl,
    storyboards: z.array(StoryboardResult).describe('Last result of each storyboard'),
    passing_count: count.describe('How many pass'),
    total_count: count.describe('How many of those that were run could be judged'),
  })
  .meta({ id: 'AgentStoryboardStatus', description: 'How an agent fared in each storyboard.' })

export const AgentStoryboardsBulk = z
  .object({
    agents: z
      .record(text, z.array(StoryboardResult))
      .describe('Last result of each storyboard, by the address as it was sent'),
    invalid_urls: count.optional().describe('How many addresses were none; absent where all were'),
  })
  .meta({
    id: 'AgentStoryboardStatusBulk',
    description: 'How several agents fared in each storyboard.',
  })
