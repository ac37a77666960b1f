import { z } from 'zod'
import {
  AgentProfile,
  phaseDefinition,
  RunSummary,
  SideResult,
  stepDefinition,
  storyboardTitle,
  testedVersion,
} from './storyboard-result.ts'

const text = z.string()

export const ComparedPhase = z
  .object({
    ...phaseDefinition,
    steps: z
      .array(
        z.object({
          ...stepDefinition,
          user_result: SideResult.describe('What your agent did'),
          reference_result: SideResult.describe('What the reference agent did'),
          differs: z.boolean().describe('Whether only one of the two agents passed'),
        }),
      )
      .describe('Steps in the order of the storyboard'),
  })
  .meta({ id: 'ComparedPhase', description: 'A phase with the results of both sides' })
export type ComparedPhase = z.infer<typeof ComparedPhase>

export const StoryboardComparison = z
  .object({
    storyboard: z
      .object({
        ...storyboardTitle,
      })
      .describe('Storyboard that was run'),
    user_agent: z
      .object({
        url: text.describe('URL of your agent'),
        profile: AgentProfile.optional().describe(
          'Self-description of the agent; absent if it could not be called',
        ),
        summary: RunSummary.optional().describe('Counts of the steps in the agent’s run'),
      })
      .describe('Your agent and its result'),
    reference_agent: z
      .object({
        url: text.describe('URL of the reference agent'),
        name: text.describe('Name of the reference agent'),
        profile: AgentProfile.optional().describe(
          'Self-description of the agent; absent if it could not be called',
        ),
        summary: RunSummary.optional().describe('Counts of the steps in the agent’s run'),
      })
      .describe('What the reference agent did in the same steps'),
    ...testedVersion,
    badge_eligible: z.boolean().describe('Always false: one storyboard earns no badge'),
    badge_eligible_adcp_versions: z
      .array(text)
      .describe('Always empty: one storyboard earns no badge'),
    phases: z.array(ComparedPhase).optional().describe('Phases in the order of the storyboard'),
    total_duration_ms: z
      .number()
      .nonnegative()
      .describe('Duration of the longer of the two runs, in milliseconds'),
  })
  .meta({
    id: 'StoryboardComparison',
    description: 'A storyboard run against two agents, side by side',
  })
export type StoryboardComparison = z.infer<typeof StoryboardComparison>
