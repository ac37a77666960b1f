import { z } from 'zod'
import { AgentUrl } from '../shared-fields.ts'
import { bundleKinds } from '../storyboards/storyboard.ts'
import { stepDefinition } from '../storyboards/storyboard-result.ts'

const text = z.string()
const count = z.int().nonnegative()

const version = {
  requested_compliance_target: text.describe('Requested version of the protocol, such as `3.0`'),
  adcp_version: text.describe(
    'Full version of the protocol that the storyboards test, such as `3.0.6`',
  ),
}
const labels = {
  id: text.describe('ID of the storyboard, such as `capability_discovery`'),
  title: text.describe('Display name of the storyboard'),
  category: text.describe('Category under which the storyboard is listed'),
  summary: text.describe('What the storyboard tests, in one line'),
}

const agentCounts = {
  agents_passing: count.describe(
    'Number of public agents that passed the storyboard in their last run',
  ),
  agents_tested: count.describe('Number of public agents that were tested with the storyboard'),
}

export const StoryboardList = z
  .object({
    ...version,
    storyboards: z
      .array(
        z.object({
          ...labels,
          interaction_model: text.describe(
            'Interaction model of the agents that the storyboard tests',
          ),
          examples: z.array(text).describe('Human-readable examples of agents of this kind'),
          phase_count: count.describe('Number of phases, each with one or more steps'),
          step_count: count.describe('Maximum number of calls to the agent'),
          ...agentCounts,
        }),
      )
      .describe('Storyboards, sorted by ID'),
    count: count.describe('Number of items in the list'),
  })
  .meta({ id: 'StoryboardList', description: 'Storyboards that agents are tested with' })
export type StoryboardList = z.infer<typeof StoryboardList>

const StoryboardStepShown = z.object({
  ...stepDefinition,
  description: text.describe('What happens in the step'),
  expected_output: text.describe('The same as `expected`'),
})

export const StoryboardDetail = z
  .object({
    ...version,
    storyboard: z
      .object({
        ...labels,
        narrative: text.describe('Why a buyer makes these calls'),
        agent: z
          .object({
            interaction_model: text.describe(
              'Interaction model of the agents that the storyboard tests',
            ),
            capabilities: z.array(text).describe('Capabilities of agents of this kind'),
            examples: z.array(text).describe('Human-readable examples of agents of this kind'),
          })
          .describe('Kind of agent that the storyboard tests'),
        phases: z
          .array(
            z.object({
              id: text.describe('ID of the phase within its storyboard'),
              title: text.describe('Display name of the phase'),
              steps: z.array(StoryboardStepShown).describe('Steps in the order of the storyboard'),
            }),
          )
          .describe('Phases in the order of the storyboard'),
        prerequisites: z
          .object({ description: text.describe('Human-readable list of prerequisites') })
          .optional()
          .describe('Prerequisites; absent if there are none'),
        required_tools: z.array(text).describe('Tasks; an agent must offer at least one of them'),
        track: text.describe('Part of the protocol that the storyboard tests'),
      })
      .describe('The complete storyboard, except for requests and checks'),
    results: z
      .object({
        ...agentCounts,
        agents: z
          .array(
            z.object({
              agent_url: AgentUrl,
              status: z
                .enum(['passing', 'partial', 'failing'])
                .describe('Result of the agent’s last run'),
              steps_passed: count.describe('Number of steps that passed in the last run'),
              steps_total: count.describe('Number of steps that the last run carried out'),
              last_checked_at: z.iso
                .datetime()
                .nullable()
                .describe('Time of the agent’s last run; null if unknown'),
            }),
          )
          .max(50)
          .describe(
            'Public agents that were tested with the storyboard, passing ones first; at most 50',
          ),
      })
      .describe('Last results of public agents'),
    test_kit: z.null().describe('Always null: storyboards have no fixtures'),
  })
  .meta({ id: 'StoryboardDetail', description: 'A storyboard with its phases and steps' })
export type StoryboardDetail = z.infer<typeof StoryboardDetail>

export const StoryboardFirstStep = z
  .object({
    ...version,
    storyboard: z
      .object({ id: labels.id, title: labels.title })
      .describe('The requested storyboard, by its ID and title'),
    step: StoryboardStepShown.extend({
      phase_id: text.describe('ID of the phase that the step belongs to'),
    }).describe('The first step, with the ID of its phase'),
  })
  .meta({ id: 'StoryboardFirstStep', description: 'The step that a storyboard begins with' })

export const ApplicableStoryboards = z
  .object({
    agent_url: text.describe('URL of the agent under test'),
    agent_name: text.describe('Name that the agent gives itself, if any'),
    supported_protocols: z
      .array(text)
      .describe('Parts of the protocol that the agent claims to support'),
    specialisms: z
      .array(text)
      .describe('Narrower roles that the agent claims, such as `signal-owned`'),
    ...version,
    capabilities_probe_error: text
      .optional()
      .describe('Why the agent’s capabilities could not be read; absent if they could'),
    bundles: z
      .array(
        z.object({
          kind: z
            .enum(bundleKinds)
            .describe(
              'Kind of bundle: `universal` for every agent, `domain` for a protocol, or `specialism`',
            ),
          id: text.describe('Name of the protocol or the specialism that the bundle tests'),
          storyboards: z
            .array(
              z.object({
                id: labels.id,
                title: labels.title,
                summary: labels.summary,
                step_count: count.describe('Maximum number of calls to the agent'),
              }),
            )
            .describe('Storyboards whose tasks the agent offers'),
        }),
      )
      .describe('Bundles of storyboards by protocol or specialism; empty ones are left out'),
    total_storyboards: count.describe('Number of storyboards in all bundles'),
  })
  .meta({
    id: 'ApplicableStoryboards',
    description: 'Storyboards that apply to an agent',
  })
export type ApplicableStoryboards = z.infer<typeof ApplicableStoryboards>
