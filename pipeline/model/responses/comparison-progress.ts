import { z } from 'zod'
import { AgentUrl } from '../shared-fields.ts'
import { StoryboardComparison } from '../storyboards/storyboard-comparison.ts'

const text = z.string()
const count = z.int().nonnegative()

/** Identifies a running comparison. */
const handle = {
  comparison_id: z.uuid().describe('ID of the comparison, unique within the agent'),
  progress_url: text.describe(
    'URL for reading the progress (GET) and for canceling the comparison (DELETE), until an hour after it ends',
  ),
}

export const ComparisonStarted = z
  .object({
    ...handle,
    status: z
      .literal('queued')
      .describe('Always `queued`: the comparison runs as soon as a crawler is free'),
  })
  .meta({
    id: 'StoryboardComparisonStarted',
    description: 'A comparison that runs in the background',
  })

export const ComparisonProgress = z
  .object({
    ...handle,
    agent_url: AgentUrl,
    storyboard_id: text.describe('ID of the storyboard that both agents run'),
    status: z
      .enum(['queued', 'running', 'completed', 'cancelled', 'failed'])
      .describe('Progress; `failed` if there is no result, for the reason in `error`'),
    requested_at: z.iso.datetime().describe('Time of the request'),
    steps_total: count.describe('Number of steps of the storyboard, run or not'),
    user_steps_done: count.describe(
      'Number of steps that your agent has finished, including skipped ones',
    ),
    reference_steps_done: count.describe(
      'Number of steps that the reference agent has finished, including skipped ones',
    ),
    phases: z
      .array(
        z.object({
          id: text.describe('ID of the phase within its storyboard'),
          title: text.describe('Display name of the phase'),
          steps_total: count.describe('Number of steps of the phase, run or not'),
          user_steps_done: count.describe(
            'Number of steps that your agent has finished in this phase',
          ),
          reference_steps_done: count.describe(
            'Number of steps that the reference agent has finished in this phase',
          ),
        }),
      )
      .describe('Phases in the order of the storyboard'),
    result: StoryboardComparison.optional().describe(
      'Result of the comparison; absent until it is completed',
    ),
    error: text.optional().describe('Why the comparison has no result; absent otherwise'),
    needs_oauth: z
      .literal(true)
      .optional()
      .describe(
        'True if the agent requires a credential that the registry does not have; absent otherwise',
      ),
  })
  .meta({ id: 'StoryboardComparisonProgress', description: 'Progress of a comparison' })
export type ComparisonProgress = z.infer<typeof ComparisonProgress>
