import { z } from 'zod'
import { agentUrlKey } from '../../pipeline/core/agent-url.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import { visibilities } from '../../pipeline/core/membership.ts'
import { membersOf } from '../../pipeline/index/points/members.ts'
import { type OwnAgent, OwnAgentSaved, OwnAgents } from '../../pipeline/model/answers-identity.ts'
import { type AgentType, agentTypes } from '../../pipeline/model/documents-vocabulary.ts'
import { EnrolledUrl, type MemberAgent } from '../../pipeline/model/member.ts'
import type { Principal } from '../auth.ts'
import { foundingOf } from '../founding.ts'
import { operation } from '../operation.ts'
import { OrganizationQuery } from '../organization-query.ts'
import { noContent, ok } from '../reply.ts'
import { organizationAsked } from '../standing.ts'
import { doneOrRefuse } from '../submitted.ts'

const declared = {
  group: 'Member Agents',
  access: 'bearer',
  cache: 'private',
  query: OrganizationQuery,
} as const
const refusals = [
  'invalid_request',
  'forbidden',
  'too_large',
  'unsupported_media_type',
  'unavailable',
] as const

/** What may be said of an agent; a visibility and an address that mean nothing count as not said. */
const said = {
  name: z.string().trim().min(1, 'must not be empty').max(200).optional(),
  type: z
    .unknown()
    .optional()
    .meta({ type: 'string', enum: [...agentTypes] }),
  visibility: z
    .unknown()
    .optional()
    .meta({ type: 'string', enum: [...visibilities] }),
  is_public: z.unknown().optional().meta({ type: 'boolean', deprecated: true }),
  health_check_url: z.unknown().optional().meta({ type: 'string', format: 'uri' }),
}
const Said = z.object(said)
type Said = z.output<typeof Said>

const place = { params: z.object({ url: EnrolledUrl }), path: '/api/me/agents/:url' } as const

export const listOwnAgents = operation({
  ...declared,
  id: 'listOwnAgents',
  method: 'GET',
  path: '/api/me/agents',
  summary: 'The agents of your organization',
  description: 'All of them, whoever else is shown them.',
  reply: { 200: OwnAgents },
  errors: ['invalid_request', 'forbidden', 'not_found'],
  handle: ({ query, principal, services: { reader } }) => {
    const { org_id, org_name } = organizationAsked(principal, query.org)
    const member = membersOf(reader).all.find(one => one.org_id === org_id)
    if (member === undefined) return refuse('not_found', `${org_name} has no profile yet`)
    return ok({ agents: member.agents.map(shown) })
  },
})

export const enrolOwnAgent = operation({
  ...declared,
  id: 'enrolOwnAgent',
  method: 'POST',
  path: '/api/me/agents',
  summary: 'Enrol an agent of your organization',
  description:
    'A new one is private unless something else is said; of one that is there, what is said is ' +
    'changed. Once your organization has domains of its own, a new agent stands on one of them. ' +
    'A person without an organization founds one by this, and an organization without a profile ' +
    'gets one that nobody is shown. What only members with API access may show to everybody is ' +
    'shown to members, with a warning.',
  writes: true,
  body: z.object({ url: EnrolledUrl, ...said }),
  reply: { 200: OwnAgentSaved, 201: OwnAgentSaved },
  errors: [...refusals, 'conflict'],
  handle: async ({ query, body: { url, ...said }, principal, services: { desk } }) => {
    const type = typeIn(said) ?? refuseType(undefined)
    const answer = await desk.submit({
      ...{ op: 'member.agent.enrol', url, ...changesIn(said), type },
      ...whoseAgent(principal, query.org),
    })
    const { agent, is_new, warnings, org_auto_created, profile_auto_created } = doneOrRefuse(answer)
    return {
      status: is_new ? 201 : 200,
      body: {
        agent: shown(agent as MemberAgent),
        ...{ warnings, org_auto_created, profile_auto_created },
      },
    }
  },
})

export const changeOwnAgent = operation({
  ...declared,
  ...place,
  id: 'changeOwnAgent',
  method: 'PATCH',
  summary: 'Change what is said of an agent of your organization',
  description: 'What is not given stays. Its address is what it is known by, and stays too.',
  writes: true,
  body: z.object({ url: z.unknown().optional().meta({ type: 'string' }), ...said }),
  reply: { 200: OwnAgentSaved },
  errors: [...refusals, 'not_found'],
  handle: async ({ query, params: { url }, body, principal, services: { desk } }) => {
    const { org_id: org } = organizationAsked(principal, query.org)
    if (body.url !== undefined && agentUrlKey(body.url) !== url) {
      const message = 'url: an agent is known by its address; enrol the other one'
      refuse('invalid_request', message, { error: 'url_immutable', message })
    }
    const type = typeIn(body)
    const change = { ...changesIn(body), ...(type && { type }), is_change: true as const }
    const answer = await desk.submit({ op: 'member.agent.save', org, url, ...change })
    const { agent, warnings } = doneOrRefuse(answer)
    return ok({ agent: shown(agent as MemberAgent), warnings })
  },
})

export const removeOwnAgent = operation({
  ...declared,
  ...place,
  id: 'removeOwnAgent',
  method: 'DELETE',
  summary: 'Remove an agent of your organization',
  description: 'One that everybody is shown is hidden first, so that nobody removes it by mistake.',
  writes: true,
  reply: { 204: null },
  errors: ['invalid_request', 'forbidden', 'not_found', 'conflict', 'unavailable'],
  handle: async ({ query, params: { url }, principal, services: { desk } }) => {
    const { org_id: org } = organizationAsked(principal, query.org)
    doneOrRefuse(await desk.submit({ op: 'member.agent.remove', org, url }))
    return noContent
  },
})

/** Whoever has no organization and names none is somebody who founds one. */
function whoseAgent(principal: Principal, org: string | undefined) {
  const { person, belongings } = principal
  return person !== undefined && org === undefined && belongings.length === 0
    ? { founding: foundingOf(person) }
    : { org: organizationAsked(principal, org).org_id }
}

function typeIn({ type }: Said): AgentType | undefined {
  if (type === undefined) return undefined
  return agentTypes.find(one => one === type) ?? refuseType(type)
}

function refuseType(type: unknown): never {
  const message = `type: must be one of ${agentTypes.join(', ')}`
  const code = type === undefined ? {} : { error: 'invalid_type', message }
  return refuse('invalid_request', message, code)
}

function changesIn({ name, visibility, is_public, health_check_url }: Said) {
  const wanted = visibilities.find(one => one === visibility) ?? (is_public === true && 'public')
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

function shown({
  url,
  type,
  visibility,
  name,
  health_check_url,
  enrolled_at,
}: MemberAgent): OwnAgent {
  return {
    ...{ url, type, visibility },
    ...(name !== null && { name }),
    ...(health_check_url !== null && { health_check_url }),
    enrolled_at,
  }
}
