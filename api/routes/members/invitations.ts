import { randomBytes, randomUUID } from 'node:crypto'
import { z } from 'zod'
import { DAY, toIso } from '../../../pipeline/core/clock.ts'
import { refuse } from '../../../pipeline/core/errors.ts'
import { getRightOverRole, membershipRoles } from '../../../pipeline/core/roles.ts'
import type { StoredInvitation } from '../../../pipeline/model/accounts/invitation.ts'
import { EmailAddress } from '../../../pipeline/model/accounts/person.ts'
import {
  InvitationAccepted,
  InvitationMade,
  Invitations,
} from '../../../pipeline/model/responses/organization.ts'
import {
  findInvitationHash,
  hashInvitationToken,
  listInvitations,
} from '../../../pipeline/read/lookups/organizations.ts'
import { requireOrganizationRight, resolveOrganization } from '../../auth/organization-access.ts'
import { OrganizationQuery } from '../../auth/organization-query.ts'
import { sendInvitation } from '../../live/invitation-mail.ts'
import { submitSecret } from '../../live/submit-secret.ts'
import { defineOperation } from '../../operation/operation.ts'
import { unwrapAnswer } from '../../operation/submission-result.ts'
import { noContent, replyOk } from '../../responses/reply.ts'
import { writeErrors } from '../write-errors.ts'

const TOKEN_BYTES = 32

const declared = { group: 'Onboarding', access: 'bearer', cache: 'private' } as const

export const listPendingInvitations = defineOperation({
  ...declared,
  id: 'listInvitations',
  isForPeople: true,
  method: 'GET',
  path: '/api/me/organization/invitations',
  summary: 'List your organization’s pending invitations',
  description:
    'For owners and admins. Invitations that were accepted or revoked, or that have expired, are left out, ' +
    'and links are never shown again.',
  query: OrganizationQuery,
  reply: { 200: Invitations },
  errors: ['invalid_request', 'forbidden'],
  handle: ({ query, principal, services: { reader } }) => {
    const belonging = resolveOrganization(principal, query.org)
    requireOrganizationRight(principal, belonging, 'members')
    return replyOk({ invitations: listInvitations(reader, belonging.org_id).map(toInvitation) })
  },
})

export const createInvitation = defineOperation({
  ...declared,
  id: 'createInvitation',
  isForPeople: true,
  method: 'POST',
  path: '/api/me/organization/invitations',
  summary: 'Invite a person to your organization',
  description:
    'For owners. Admins can invite members and viewers. The link works once, within a week, and only for the person who signs in with the invited email address. It is sent by email if the registry sends any, and `url` shows it once. An earlier invitation to the same address is revoked.',
  writes: true,
  isIdempotent: true,
  query: OrganizationQuery,
  body: z.object({
    email: EmailAddress.describe('Email address that the person signs in with'),
    role: z
      .enum(membershipRoles)
      .default('member')
      .describe('Role that the person gets by accepting'),
  }),
  reply: { 201: InvitationMade },
  errors: [...writeErrors, 'conflict'],
  handle: async ({ query, body: { email, role }, principal, submissionId, services }) => {
    const belonging = resolveOrganization(principal, query.org)
    requireOrganizationRight(principal, belonging, 'members')
    requireOrganizationRight(principal, belonging, getRightOverRole(role))
    const { clock, config, baseUrl } = services
    const { invitationDays, invitationsPending: most } = config.LIMITS
    const { org_id, org_name } = belonging
    const token = randomBytes(TOKEN_BYTES).toString('base64url')
    const invitation_id = randomUUID()
    const expires_at = toIso(clock.now() + invitationDays * DAY)
    const hash = hashInvitationToken(token)
    const invitation = { invitation_id, org_id, email, role, hash, expires_at, most }
    const creation = { op: 'invitation.create', ...invitation } as const
    const requested = { org_id, email, role }
    const done = await submitSecret(services, submissionId, creation, requested)
    const created_at = String(done.created_at)
    const url = `${baseUrl()}/dashboard/join?token=${token}`
    const inviter = principal.person?.email
    const invited = { email, role, organization: org_name, inviter, url, expires_at }
    const sent = await sendInvitation(services, invited)
    const body = { id: invitation_id, email, role, created_at, expires_at, url, sent }
    return { status: 201, body }
  },
})

export const revokeInvitation = defineOperation({
  ...declared,
  id: 'revokeInvitation',
  isForPeople: true,
  method: 'DELETE',
  path: '/api/me/organization/invitations/:id',
  summary: 'Revoke a pending invitation to your organization',
  description: 'For owners and admins. The invitation’s link stops working.',
  writes: true,
  query: OrganizationQuery,
  params: z.object({
    id: z.uuid().toLowerCase().describe('ID of the invitation, from the list of invitations'),
  }),
  reply: { 204: null },
  errors: ['invalid_request', 'forbidden', 'not_found', 'unavailable'],
  handle: async ({ query, params: { id: invitation_id }, principal, services: { writer } }) => {
    const belonging = resolveOrganization(principal, query.org)
    requireOrganizationRight(principal, belonging, 'members')
    const { org_id } = belonging
    unwrapAnswer(await writer.submit({ op: 'invitation.revoke', invitation_id, org_id }))
    return noContent
  },
})

export const acceptInvitation = defineOperation({
  ...declared,
  id: 'acceptInvitation',
  method: 'POST',
  path: '/api/me/invitations/accept',
  summary: 'Accept an invitation to an organization',
  description:
    'Send the token from the link, or the invitation’s ID. Your verified email address must be the invited ' +
    'one; otherwise, and for an invitation that was used or has expired, the response is 404.',
  writes: true,
  isPersonal: true,
  isForPeople: true,
  body: z
    .object({
      token: z
        .string()
        .regex(/^[\w-]{43}$/, 'must be the token of an invitation')
        .exactOptional()
        .describe('Last part of the invitation’s link, after `token=`'),
      id: z
        .uuid()
        .toLowerCase()
        .exactOptional()
        .describe('ID of the invitation, instead of a token'),
    })
    .refine(({ token, id }) => (token === undefined) !== (id === undefined), {
      message: 'must have either `token` or `id`',
    }),
  reply: { 200: InvitationAccepted },
  errors: [...writeErrors, 'not_found'],
  handle: async ({ body: { token, id }, principal: { person }, services: { reader, writer } }) => {
    const { id: user_id, email } = person ?? {}
    if (user_id === undefined || email === undefined) {
      return refuse('forbidden', 'invitations are for people with a verified address')
    }
    const hash =
      id === undefined
        ? hashInvitationToken(token ?? '')
        : findInvitationHash(reader, { id, email })
    if (hash === undefined) return refuse('not_found', 'this invitation is not for you')
    const answer = await writer.submit({ op: 'invitation.accept', hash, user_id, email })
    const { org_id, role } = unwrapAnswer(answer)
    return replyOk({ success: true, org_id, role })
  },
})

function toInvitation({
  invitation_id: id,
  email,
  role,
  created_at,
  expires_at,
}: StoredInvitation) {
  return { id, email, role, created_at, expires_at }
}
