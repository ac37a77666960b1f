import { z } from 'zod'
import { AgentUrl } from '../shared-fields.ts'
import { StoryboardComparison } from '../storyboard-run.ts'

const text = z.string()
const count = z.int().nonnegative()

const place = {
  comparison_id: z.uuid().describe('Identifies the comparison among those of the agent'),
  progress_url: text.describe('Where it is looked up and cancelled, for an hour after its end'),
}

export const ComparisonStarted = z
  .object({
    ...place,
    status: z.literal('queued').describe('It runs as soon as a crawler is free'),
  })
  .meta({ id: 'StoryboardComparisonStarted', description: 'A comparison that goes on by itself.' })

export const ComparisonProgress = z
  .object({
    ...place,
    agent_url: AgentUrl,
    storyboard_id: text.describe('Storyboard that is run, as in paths'),
    status: z
      .enum(['queued', 'running', 'completed', 'cancelled', 'failed'])
      .describe('How far it is; `failed` where there is no result, for the reason in `error`'),
    requested_at: z.iso.datetime().describe('Moment at which it was asked for'),
    steps_total: count.describe('How many steps the whole storyboard has, run or not'),
    user_steps_done: count.describe('Steps that your agent is through with, skipped ones too'),
    reference_steps_done: count.describe('Steps that the reference agent is through with'),
    phases: z
      .array(
        z.object({
          id: text.describe('Id of the phase within its storyboard'),
          title: text.describe('Name of the phase, for people'),
          steps_total: count.describe('How many steps this phase has, run or not'),
          user_steps_done: count.describe('Those that your agent is through with'),
          reference_steps_done: count.describe('Those that the reference agent is through with'),
        }),
      )
      .describe('Phases in their order'),
    result: StoryboardComparison.optional().describe('The comparison, once it is completed'),
    error: text.optional().describe('Why there is no result; absent otherwise'),
    needs_oauth: z
      .literal(true)
      .optional()
      .describe('The agent requires a credential that the registry does not have'),
  })
  .meta({ id: 'StoryboardComparisonProgress', description: 'How far a comparison is.' })
export type ComparisonProgress = z.infer<typeof ComparisonProgress>
