import { z } from 'zod'
import { toAgentUrlKey } from '../../../pipeline/core/agent-url.ts'
import { refuse } from '../../../pipeline/core/errors.ts'
import { canBePublic } from '../../../pipeline/core/public-name.ts'
import { visibilities } from '../../../pipeline/core/tiers.ts'
import { describeChoices } from '../../../pipeline/core/validation-messages.ts'
import { EnrolledUrl, type MemberAgent } from '../../../pipeline/model/accounts/member.ts'
import { type AgentType, agentTypes } from '../../../pipeline/model/documents/vocabulary.ts'
import {
  type OwnAgent,
  OwnAgentSaved,
  OwnAgents,
} from '../../../pipeline/model/responses/own-organization.ts'
import { getMembers } from '../../../pipeline/read/lookups/members.ts'
import { deriveFounding } from '../../auth/founding.ts'
import { resolveOrganization } from '../../auth/organization-access.ts'
import { OrganizationQuery } from '../../auth/organization-query.ts'
import type { Principal } from '../../auth/principal.ts'
import { defineOperation } from '../../operation/operation.ts'
import { unwrapAnswer } from '../../operation/submission-result.ts'
import { noContent, replyOk } from '../../responses/reply.ts'
import { writeErrors } from '../write-errors.ts'

const declared = {
  group: 'Member Agents',
  access: 'bearer',
  cache: 'private',
  query: OrganizationQuery,
} as const

/** Fields of an agent; an unknown visibility or an invalid address counts as absent. */
const agentFields = {
  name: z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(200)
    .optional()
    .describe('Name of the agent; defaults to your organization’s name'),
  type: z
    .unknown()
    .optional()
    .meta({
      type: 'string',
      enum: [...agentTypes],
      description: 'Type of agent, such as sales or signals',
    }),
  visibility: z
    .unknown()
    .optional()
    .meta({ type: 'string', enum: [...visibilities], description: 'Who can see the agent' }),
  is_public: z.unknown().optional().meta({
    type: 'boolean',
    deprecated: true,
    description: 'Older form of `visibility`: true means `public`',
  }),
  health_check_url: z.unknown().optional().meta({
    type: 'string',
    format: 'uri',
    description: 'URL of a health check; by default the agent itself is probed',
  }),
}
const AgentFields = z.object(agentFields)
type AgentFields = z.output<typeof AgentFields>

/** Address of a new agent; one in a private network could not be reached by anybody else. */
const NewUrl = EnrolledUrl.refine(url => canBePublic(new URL(url).hostname), {
  error: 'must be on the public internet',
  // Text that is not a URL gets only that message.
  when: ({ issues }) => issues.length === 0,
})

const place = {
  params: z.object({ url: EnrolledUrl.describe('URL of the agent, percent-encoded') }),
  path: '/api/me/agents/:url',
} as const

export const listOwnAgents = defineOperation({
  ...declared,
  id: 'listOwnAgents',
  method: 'GET',
  path: '/api/me/agents',
  summary: 'List your organization’s agents',
  description: 'Returns all your organization’s agents, whatever their visibility.',
  reply: { 200: OwnAgents },
  errors: ['invalid_request', 'forbidden', 'not_found'],
  handle: ({ query, principal, services: { reader } }) => {
    const { org_id, org_name } = resolveOrganization(principal, query.org)
    const member = getMembers(reader).all.find(listed => listed.org_id === org_id)
    if (member === undefined)
      return refuse(
        'not_found',
        `the organization ${org_name} has no profile yet: POST /api/me/agents creates it with the first agent`,
      )
    return replyOk({ agents: member.agents.map(toOwnAgent) })
  },
})

export const enrolOwnAgent = defineOperation({
  ...declared,
  id: 'enrolOwnAgent',
  method: 'POST',
  path: '/api/me/agents',
  summary: 'Add an agent to your organization',
  description:
    'A new agent is private by default; for an existing one, the given fields are changed. Once your organization has verified domains, a new agent must be on one of them. ' +
    'A person without an organization gets one, and an organization without a profile gets a ' +
    'private one. Only members with API access can list agents publicly. Without it, ' +
    'a public agent is shared with members instead, and the response has a warning.',
  writes: true,
  body: z.object({ url: NewUrl.describe('URL at which the agent is called'), ...agentFields }),
  reply: { 200: OwnAgentSaved, 201: OwnAgentSaved },
  errors: [...writeErrors, 'conflict'],
  handle: async ({ query, body: { url, ...fields }, principal, services: { writer } }) => {
    const type = readAgentType(fields) ?? refuseType(undefined)
    const answer = await writer.submit({
      op: 'member.agent.enrol',
      url,
      ...readChanges(fields),
      type,
      ...resolveOwner(principal, query.org),
    })
    const { agent, is_new, warnings, org_auto_created, profile_auto_created } = unwrapAnswer(answer)
    return {
      status: is_new ? 201 : 200,
      body: {
        agent: toOwnAgent(agent as MemberAgent),
        warnings,
        org_auto_created,
        profile_auto_created,
      },
    }
  },
})

export const changeOwnAgent = defineOperation({
  ...declared,
  ...place,
  id: 'changeOwnAgent',
  method: 'PATCH',
  summary: 'Update one of your organization’s agents',
  description: 'Fields that you leave out stay as they are. The URL cannot be changed.',
  writes: true,
  body: z.object({
    url: z
      .unknown()
      .optional()
      .meta({ type: 'string', description: 'URL of the agent, which cannot be changed' }),
    ...agentFields,
  }),
  reply: { 200: OwnAgentSaved },
  errors: [...writeErrors, 'not_found'],
  handle: async ({ query, params: { url }, body, principal, services: { writer } }) => {
    const { org_id: org } = resolveOrganization(principal, query.org)
    if (body.url !== undefined && toAgentUrlKey(body.url) !== url) {
      refuse('url_immutable', 'url: cannot be changed; add an agent with the new URL')
    }
    const type = readAgentType(body)
    const change = { ...readChanges(body), ...(type && { type }), is_change: true as const }
    const answer = await writer.submit({ op: 'member.agent.save', org, url, ...change })
    const { agent, warnings } = unwrapAnswer(answer)
    return replyOk({ agent: toOwnAgent(agent as MemberAgent), warnings })
  },
})

export const removeOwnAgent = defineOperation({
  ...declared,
  ...place,
  id: 'removeOwnAgent',
  method: 'DELETE',
  summary: 'Remove an agent from your organization',
  description: 'A public agent must be made private first, so that it is not removed by mistake.',
  writes: true,
  reply: { 204: null },
  errors: ['invalid_request', 'forbidden', 'not_found', 'conflict', 'unavailable'],
  handle: async ({ query, params: { url }, principal, services: { writer } }) => {
    const { org_id: org } = resolveOrganization(principal, query.org)
    unwrapAnswer(await writer.submit({ op: 'member.agent.remove', org, url }))
    return noContent
  },
})

/** Finds the organization of an agent; a caller without one who names none founds one. */
function resolveOwner(principal: Principal, org: string | undefined) {
  const { person, memberships } = principal
  return person !== undefined && org === undefined && memberships.length === 0
    ? { founding: deriveFounding(person) }
    : { org: resolveOrganization(principal, org).org_id }
}

function readAgentType({ type }: AgentFields): AgentType | undefined {
  if (type === undefined) return undefined
  return agentTypes.find(known => known === type) ?? refuseType(type)
}

function refuseType(type: unknown): never {
  const text = `type: ${describeChoices(agentTypes)}`
  return refuse(type === undefined ? 'invalid_request' : 'invalid_type', text)
}

function readChanges({ name, visibility, is_public, health_check_url }: AgentFields) {
  const wanted =
    visibilities.find(known => known === visibility) ?? (is_public === true && 'public')
  const health = z
    .url({ protocol: /^https?$/ })
    .max(2_000)
    .safeParse(health_check_url)
  return {
    ...(name !== undefined && { name }),
    ...(wanted && { visibility: wanted }),
    ...(health.success && { health_check_url: health.data }),
  }
}

function toOwnAgent({
  url,
  type,
  visibility,
  name,
  health_check_url,
  enrolled_at,
}: MemberAgent): OwnAgent {
  return {
    url,
    type,
    visibility,
    ...(name !== null && { name }),
    ...(health_check_url !== null && { health_check_url }),
    enrolled_at,
  }
}
