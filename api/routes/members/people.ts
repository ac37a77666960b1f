import { z } from 'zod'
import { refuse } from '../../../pipeline/core/errors.ts'
import { getRightOverRole, membershipRoles } from '../../../pipeline/core/roles.ts'
import {
  MembershipChanged,
  OrganizationMembers,
  OwnOrganizations,
} from '../../../pipeline/model/responses/organization.ts'
import {
  findOrganizationMember,
  listOrganizationMembers,
} from '../../../pipeline/read/lookups/organizations.ts'
import { requireOrganizationRight, resolveOrganization } from '../../auth/organization-access.ts'
import { OrganizationQuery } from '../../auth/organization-query.ts'
import { defineOperation } from '../../operation/operation.ts'
import { unwrapAnswer } from '../../operation/submission-result.ts'
import { noContent, replyOk } from '../../responses/reply.ts'
import { writeErrors } from '../write-errors.ts'

const declared = { group: 'Onboarding', access: 'bearer', cache: 'private' } as const

const USER_CHARS_MAX = 255
const params = z.object({
  user_id: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'must be the ID of a person')
    .max(USER_CHARS_MAX)
    .describe('ID of the person, from the list of people'),
})

export const listOrganizations = defineOperation({
  ...declared,
  id: 'listOwnOrganizations',
  method: 'GET',
  path: '/api/me/organizations',
  summary: 'List the organizations that you may act for',
  description:
    'Returns each organization with your role in it. Operations with an `org` parameter act for the organization that it names; without it, they act for the first. A key acts only for its own organization.',
  reply: { 200: OwnOrganizations },
  errors: [],
  handle: ({ principal: { memberships } }) =>
    replyOk({
      organizations: memberships.map(({ org_id: id, org_name: name, role, membership_tier }) => ({
        id,
        name,
        role,
        membership_tier,
      })),
    }),
})

export const listMembers = defineOperation({
  ...declared,
  id: 'listOrganizationMembers',
  method: 'GET',
  path: '/api/me/organization/members',
  summary: 'List the people in your organization',
  description:
    'Returns the people with their roles: owners and admins manage keys and people, members change the data of the organization, and viewers only read. Keys need the permission `admin:read` or `admin:*`.',
  query: OrganizationQuery,
  reply: { 200: OrganizationMembers },
  errors: ['invalid_request', 'forbidden'],
  handle: ({ query, principal, services: { reader } }) => {
    const membership = resolveOrganization(principal, query.org)
    requireOrganizationRight(principal, membership, 'read')
    const members = listOrganizationMembers(reader, membership.org_id)
    return replyOk({ members: members.map(({ org_id: _, ...member }) => member) })
  },
})

export const changeMember = defineOperation({
  ...declared,
  id: 'changeOrganizationMember',
  isForPeople: true,
  method: 'PATCH',
  path: '/api/me/organization/members/:user_id',
  summary: 'Change a person’s role in your organization',
  description:
    'For owners. You cannot change the role of the last owner (409): make someone else an owner first.',
  writes: true,
  query: OrganizationQuery,
  params,
  body: z.object({
    role: z.enum(membershipRoles).describe('New role of the person'),
  }),
  reply: { 200: MembershipChanged },
  errors: [...writeErrors, 'not_found', 'conflict'],
  handle: async ({ query, params: { user_id }, body: { role }, principal, services }) => {
    const membership = resolveOrganization(principal, query.org)
    requireOrganizationRight(principal, membership, 'managers')
    const { org_id } = membership
    const operation = { op: 'membership.change', org_id, user_id, role } as const
    unwrapAnswer(await services.writer.submit(operation))
    return replyOk({ user_id, role })
  },
})

export const removeMember = defineOperation({
  ...declared,
  id: 'removeOrganizationMember',
  isForPeople: true,
  method: 'DELETE',
  path: '/api/me/organization/members/:user_id',
  summary: 'Remove a person from your organization, or leave it',
  description:
    'Owners can remove everyone, admins can remove members and viewers, and everyone can leave with their own ID. The last owner cannot leave (409). The person loses access at once.',
  writes: true,
  isPersonal: true,
  query: OrganizationQuery,
  params,
  reply: { 204: null },
  errors: ['invalid_request', 'forbidden', 'not_found', 'conflict', 'unavailable'],
  handle: async ({ query, params: { user_id }, principal, services: { reader, writer } }) => {
    const membership = resolveOrganization(principal, query.org)
    const { org_id } = membership
    const isOneself = principal.kind === 'user' && principal.id === user_id
    if (!isOneself) requireOrganizationRight(principal, membership, 'members')
    const member = findOrganizationMember(reader, org_id, user_id)
    if (member === undefined)
      return refuse('not_found', 'no member of the organization has this ID')
    if (!isOneself) requireOrganizationRight(principal, membership, getRightOverRole(member.role))
    const op = isOneself ? 'membership.leave' : 'membership.end'
    unwrapAnswer(await writer.submit({ op, org_id, user_id }))
    return noContent
  },
})
