import { z } from 'zod'
import { toAgentUrlKey } from '../../../pipeline/core/agent-url.ts'
import { refuse } from '../../../pipeline/core/errors.ts'
import { hasApiAccess } from '../../../pipeline/core/tiers.ts'
import { EnrolledUrl } from '../../../pipeline/model/accounts/member.ts'
import {
  AgentCompliance,
  AgentStoryboards,
  AgentStoryboardsBulk,
  ComplianceHistory,
} from '../../../pipeline/model/responses/compliance.ts'
import type { Reader } from '../../../pipeline/read/reader.ts'
import { countPassing } from '../../../pipeline/resolve/compliance.ts'
import type { Principal } from '../../auth/principal.ts'
import { createPageSize } from '../../inputs/fields.ts'
import { defineOperation } from '../../operation/operation.ts'
import { describeCompliance, listResults } from '../../responses/compliance.ts'
import { describeHistory } from '../../responses/compliance-history.ts'
import { findMeant } from '../../responses/meant-agents.ts'
import { replyOk } from '../../responses/reply.ts'
import { findShownRuns, isOptedOut, type ShownRuns } from '../../responses/shown-runs.ts'

const params = z.object({
  encodedUrl: EnrolledUrl.describe('URL of the agent, percent-encoded'),
})
const shown =
  'Everyone sees the results of public agents. Members with API access also see those of agents shared with members, and an organization sees those of its own agents.'
const shownToMembers =
  'Returns the results of public agents, of agents shared with members, and of your organization’s own agents.'

const declared = { method: 'GET', group: 'Agent Compliance', cache: 'none' } as const

export const readCompliance = defineOperation({
  ...declared,
  id: 'getAgentCompliance',
  path: '/api/registry/agents/:encodedUrl/compliance',
  summary: 'Get an agent’s test results',
  description: `Returns the last result of each storyboard. An agent that was never tested, or that the registry has never seen, is \`unknown\`. ${shown}`,
  access: 'optional',
  params,
  reply: { 200: AgentCompliance },
  errors: ['invalid_request'],
  handle: async ({ params: { encodedUrl: url }, principal, services: { reader } }) => {
    const shown = findShownRuns(url, principal, reader)
    const meant = await findMeantFor(shown, reader)
    return replyOk({ ...describeCompliance(shown, reader), ...meant })
  },
})

export const readComplianceHistory = defineOperation({
  ...declared,
  id: 'getAgentComplianceHistory',
  path: '/api/registry/agents/:encodedUrl/compliance/history',
  summary: 'List an agent’s storyboard runs',
  description: shown,
  access: 'optional',
  params,
  query: z.object({ limit: createPageSize({ defaultSize: 30, max: 100 }) }),
  reply: { 200: ComplianceHistory },
  errors: ['invalid_request'],
  handle: async ({ params, query: { limit }, principal, services: { reader } }) => {
    const shown = findShownRuns(params.encodedUrl, principal, reader)
    const meant = await findMeantFor(shown, reader)
    return replyOk({ ...describeHistory(shown, reader, limit), ...meant })
  },
})

export const readStoryboardStatus = defineOperation({
  ...declared,
  id: 'getAgentStoryboardStatus',
  path: '/api/registry/agents/:encodedUrl/storyboard-status',
  summary: 'List an agent’s results by storyboard',
  description: `For members with API access. ${shownToMembers}`,
  access: 'bearer',
  params,
  reply: { 200: AgentStoryboards },
  errors: ['invalid_request', 'forbidden'],
  handle: async ({ params: { encodedUrl: url }, principal, services: { reader } }) => {
    requireApiAccess(principal)
    const shown = findShownRuns(url, principal, reader)
    const storyboards = listResults(shown, reader)
    const { passing, total } = countPassing(storyboards)
    return replyOk({
      agent_url: shown.agent_url,
      ...(isOptedOut(shown.tests) && { status: 'opted_out' }),
      storyboards,
      passing_count: passing,
      total_count: total,
      ...(await findMeantFor(shown, reader)),
    })
  },
})

/** Finds the agents that were probably meant where the caller sees none at the URL of a host. */
async function findMeantFor({ agent_url, owner }: ShownRuns, reader: Reader) {
  return owner === undefined ? await findMeant(reader, agent_url) : {}
}

const AGENTS_MAX = 100

export const readStoryboardStatusBulk = defineOperation({
  ...declared,
  id: 'getAgentStoryboardStatusBulk',
  method: 'POST',
  path: '/api/registry/agents/storyboard-status',
  summary: 'List several agents’ results by storyboard',
  description: `For members with API access. Invalid URLs are left out; the response counts them. ${shownToMembers}`,
  access: 'bearer',
  body: z.object({
    agent_urls: z
      .array(z.string().max(2_048))
      .min(1)
      .max(AGENTS_MAX)
      .describe('URLs of the agents, at most 100'),
  }),
  reply: { 200: AgentStoryboardsBulk },
  errors: ['invalid_request', 'forbidden'],
  handle: ({ body: { agent_urls }, principal, services: { reader } }) => {
    requireApiAccess(principal)
    const known = [...new Set(agent_urls)].map(text => ({ text, url: toAgentUrlKey(text) }))
    const invalid = known.filter(({ url }) => url === undefined).length
    const agents = Object.fromEntries(
      known.flatMap(({ text, url }) =>
        url === undefined
          ? []
          : [[text, describeForBulk(findShownRuns(url, principal, reader), reader)]],
      ),
    )
    return replyOk({ agents, ...(invalid > 0 && { invalid_urls: invalid }) })
  },
})

function describeForBulk(shown: ShownRuns, reader: Reader) {
  return isOptedOut(shown.tests) ? { status: 'opted_out' } : listResults(shown, reader)
}

function requireApiAccess({ tier }: Principal): void {
  if (hasApiAccess(tier)) return
  const text =
    'only members with API access can see these results: ask the operator of this registry for a membership that includes it'
  refuse('forbidden', text, { members_only: true })
}
