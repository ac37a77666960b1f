import { z } from 'zod'
import { bundleKinds } from '../storyboard.ts'
import { stepDefinition } from '../storyboard-run.ts'

const text = z.string()
const count = z.int().nonnegative()

const version = {
  requested_compliance_target: text.describe('Target that the version belongs to'),
  adcp_version: text.describe('Version of the protocol that the storyboards are written for'),
}
const head = {
  id: text.describe('Names it in paths, such as `capability_discovery`'),
  title: text.describe('Name of the storyboard, for people'),
  category: text.describe('What it is about'),
  summary: text.describe('What it shows, in one line'),
}

export const StoryboardList = z
  .object({
    ...version,
    storyboards: z
      .array(
        z.object({
          ...head,
          interaction_model: text.describe('How agents of this kind are talked to'),
          examples: z.array(text).describe('Agents of this kind, for people'),
          phase_count: count.describe('How many parts it has'),
          step_count: count.describe('How many calls it makes at most'),
        }),
      )
      .describe('Storyboards by their id'),
    count: count.describe('How many there are in the list'),
  })
  .meta({ id: 'StoryboardList', description: 'Storyboards that agents are tested by.' })
export type StoryboardList = z.infer<typeof StoryboardList>

const StoryboardStepShown = z.object({
  ...stepDefinition,
  description: text.describe('What happens in it'),
  expected_output: text.describe('The same as `expected`'),
})

export const StoryboardDetail = z
  .object({
    ...version,
    storyboard: z
      .object({
        ...head,
        narrative: text.describe('The story that it tells'),
        agent: z
          .object({
            interaction_model: text.describe('How agents of this kind are talked to'),
            capabilities: z.array(text).describe('What such an agent can do'),
            examples: z.array(text).describe('Agents of this kind, for people'),
          })
          .describe('Kind of agent that is tested by it'),
        phases: z
          .array(
            z.object({
              id: text.describe('Names the phase within its storyboard'),
              title: text.describe('Name of the phase, for people'),
              steps: z.array(StoryboardStepShown).describe('Steps in their order'),
            }),
          )
          .describe('Phases in their order'),
        prerequisites: z
          .object({ description: text.describe('What must be so before, for people') })
          .optional()
          .describe('What must be so before; absent where nothing must'),
        required_tools: z.array(text).describe('Tasks without which it is not run'),
        track: text.describe('Part of the protocol that it counts for'),
      })
      .describe('Whole of it, but the requests and checks'),
    test_kit: z.null().describe('Always null: a storyboard needs nothing beside itself'),
  })
  .meta({ id: 'StoryboardDetail', description: 'A storyboard with its phases and steps.' })
export type StoryboardDetail = z.infer<typeof StoryboardDetail>

export const StoryboardFirstStep = z
  .object({
    ...version,
    storyboard: z
      .object({ id: head.id, title: head.title })
      .describe('Storyboard that was asked about'),
    step: StoryboardStepShown.extend({
      phase_id: text.describe('Names the phase that the step is in'),
    }).describe('Step that is run first'),
  })
  .meta({ id: 'StoryboardFirstStep', description: 'The step that a storyboard begins with.' })

export const ApplicableStoryboards = z
  .object({
    agent_url: text.describe('Agent that was asked'),
    agent_name: text.describe('Name that the agent gives itself'),
    supported_protocols: z.array(text).describe('Protocols that it says it offers'),
    specialisms: z.array(text).describe('Kinds of agents that it claims to be'),
    ...version,
    capabilities_probe_error: text
      .optional()
      .describe('Why its capabilities could not be read; absent where they could'),
    bundles: z
      .array(
        z.object({
          kind: z
            .enum(bundleKinds)
            .describe('`universal` for every agent, `domain` for a protocol, or `specialism`'),
          id: text.describe('Name of the protocol or the specialism'),
          storyboards: z
            .array(
              z.object({
                id: head.id,
                title: head.title,
                summary: head.summary,
                step_count: count.describe('How many calls it makes at most'),
              }),
            )
            .describe('Those whose tasks the agent offers'),
        }),
      )
      .describe('Storyboards by what they are for; one without any is left out'),
    total_storyboards: count.describe('How many there are in all of them'),
  })
  .meta({
    id: 'ApplicableStoryboards',
    description: 'Storyboards that an agent can be tested by.',
  })
export type ApplicableStoryboards = z.infer<typeof ApplicableStoryboards>
