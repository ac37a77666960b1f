import { z } from 'zod'
import { refuse } from '../../../pipeline/core/errors.ts'
import { describeChoices } from '../../../pipeline/core/validation-messages.ts'
import {
  StoryboardDetail,
  StoryboardFirstStep,
  StoryboardList,
} from '../../../pipeline/model/responses/storyboards.ts'
import { COMPLIANCE_TARGET } from '../../../pipeline/model/storyboards/storyboard.ts'
import { findTarget } from '../../../pipeline/model/storyboards/storyboard-target.ts'
import {
  countStoryboardAgents,
  listStoryboardAgents,
  type StoryboardCounts,
} from '../../../pipeline/read/queries/storyboard-results.ts'
import {
  type CatalogEntry,
  findStoryboard,
  findStoryboardFor,
  findVersion,
  listStoryboards,
  listTargets,
  type RunnableStoryboard,
} from '../../../pipeline/storyboards/catalog.ts'
import { AnyId } from '../../checks/own-agent.ts'
import { defineOperation } from '../../operation/operation.ts'
import type { Services } from '../../operation/services.ts'
import { replyOk } from '../../responses/reply.ts'
import { describeTarget } from '../../responses/shown-runs.ts'

const declared = {
  method: 'GET',
  group: 'Agent Compliance',
  access: 'public',
  cache: 'none',
  worksWithoutStores: true,
} as const

export const listAllStoryboards = defineOperation({
  ...declared,
  id: 'listStoryboards',
  path: '/api/storyboards',
  summary: 'List the storyboards that test agents',
  description: 'A storyboard is a series of calls, each with the expected response.',
  query: z.object({
    category: AnyId.optional().describe('Only storyboards of this category'),
    compliance_target: z
      .string()
      .refine(target => findVersion(target) !== undefined, {
        error: () => describeChoices(listTargets().map(({ target }) => target)),
      })
      .default(COMPLIANCE_TARGET)
      .describe('Version of the protocol that the storyboards are written for, such as `3.0`'),
  }),
  reply: { 200: StoryboardList },
  errors: ['invalid_request'],
  queriesSnapshot: true,
  handle: async ({ query: { category, compliance_target }, services: { reader } }) => {
    const counts = reader.snapshot ? await countStoryboardAgents(reader.snapshot) : undefined
    const storyboards = listStoryboards()
      .filter(({ source }) => source.target === compliance_target)
      .map(({ storyboard }) => storyboard)
      .filter(storyboard => category === undefined || storyboard.category === category)
      .map(storyboard => ({ ...toListed(storyboard), ...toCounts(counts?.get(storyboard.id)) }))
    const version = describeTarget(compliance_target)
    return replyOk({ ...version, storyboards, count: storyboards.length })
  },
})

export const readStoryboard = defineOperation({
  ...declared,
  id: 'getStoryboard',
  path: '/api/storyboards/:id',
  summary: 'Get a storyboard with its phases and steps',
  params: z.object({ id: AnyId.describe('ID of a storyboard, from the list of storyboards') }),
  reply: { 200: StoryboardDetail },
  errors: ['invalid_request', 'not_found'],
  queriesSnapshot: true,
  handle: async ({ params: { id }, services }) => {
    const described = describeStoryboard(id, services)
    const results = await findResults(id, services)
    return replyOk({ ...describeTarget(findTarget(id)), ...described, results })
  },
})

export const readFirstStep = defineOperation({
  ...declared,
  id: 'getStoryboardFirstStep',
  path: '/api/storyboards/:id/first-step',
  summary: 'Get the first step of a storyboard',
  description:
    'To run only this step, use its `id`; to run the next one, pass on the `context` of the response.',
  params: z.object({ id: AnyId.describe('ID of a storyboard, from the list of storyboards') }),
  reply: { 200: StoryboardFirstStep },
  errors: ['invalid_request', 'not_found'],
  handle: ({ params: { id }, services }) => {
    const { storyboard } = describeStoryboard(id, services)
    const [phase] = storyboard.phases
    const step = phase?.steps[0]
    if (!phase || !step) return refuse('not_found', 'the storyboard has no steps')
    const { title } = storyboard
    const version = describeTarget(findTarget(id))
    return replyOk({ ...version, storyboard: { id, title }, step: { ...step, phase_id: phase.id } })
  },
})

/** Finds a storyboard; refuses with 404 if the id is unknown. */
export function requireStoryboard(id: string): RunnableStoryboard {
  return findStoryboard(id) ?? refuseUnknown()
}

function refuseUnknown(): never {
  return refuse('not_found', 'there is no storyboard with this ID')
}

/** Finds which agents pass a storyboard; nobody does before the first snapshot. */
async function findResults(
  id: string,
  { reader: { snapshot } }: Services,
): Promise<StoryboardDetail['results']> {
  if (snapshot === undefined) return { ...toCounts(undefined), agents: [] }
  const [counts, agents] = await Promise.all([
    countStoryboardAgents(snapshot),
    listStoryboardAgents(snapshot, id),
  ])
  return { ...toCounts(counts.get(id)), agents }
}

function toCounts(counts: StoryboardCounts | undefined) {
  return { agents_passing: counts?.passing ?? 0, agents_tested: counts?.tested ?? 0 }
}

function toListed({
  id,
  title,
  category,
  summary,
  agent,
  phase_count,
  step_count,
}: CatalogEntry['storyboard']) {
  const { interaction_model, examples } = agent
  return {
    id,
    title,
    category,
    summary,
    interaction_model,
    examples,
    phase_count,
    step_count,
  }
}

/** Describes a storyboard with its steps; refuses with 404 if the id is unknown. */
function describeStoryboard(
  storyboardId: string,
  { config }: Services,
): Pick<StoryboardDetail, 'storyboard' | 'test_kit'> {
  const storyboard = findStoryboardFor(storyboardId, config.PROTOCOL_NAME) ?? refuseUnknown()
  const { id, title, category, summary, narrative, agent, prerequisites } = storyboard
  const { required_tools, track, phases } = storyboard
  const { description } = prerequisites
  return {
    storyboard: {
      id,
      title,
      category,
      summary,
      narrative,
      agent,
      phases: phases.map(phase => ({
        id: phase.id,
        title: phase.title,
        steps: phase.steps.map(step => ({
          id: step.id,
          title: step.title,
          task: step.task,
          expected: step.expected,
          description: step.narrative ?? step.title,
          expected_output: step.expected,
        })),
      })),
      ...(description !== undefined && { prerequisites: { description } }),
      required_tools,
      track,
    },
    test_kit: null,
  }
}
