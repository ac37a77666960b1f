import { z } from 'zod'
import { membershipRoles } from '../../core/roles.ts'
import { tierNames } from '../../core/tiers.ts'
import { pageEnd, Success } from '../shared-fields.ts'

const role = z
  .enum(membershipRoles)
  .describe('Role of the person in the organization, which decides what the person may do')

export const OwnOrganizations = z
  .object({
    organizations: z
      .array(
        z.object({
          id: z.string().describe('ID of the organization, for the parameter `org`'),
          name: z.string().describe('Public name of the organization'),
          role: z
            .enum([...membershipRoles, 'key'])
            .describe('Your role in the organization; `key` if you call with one of its keys'),
          membership_tier: z
            .enum(tierNames)
            .nullable()
            .describe('Membership tier of the organization; null if it has none'),
        }),
      )
      .describe('Organizations in the order you joined them; the first is the default'),
  })
  .meta({ id: 'OwnOrganizations', description: 'The organizations that a caller may act for' })

export const OrganizationMember = z
  .object({
    user_id: z.string().describe('Permanent ID of the person'),
    email: z
      .string()
      .nullable()
      .describe('Verified email address of the person; null if it is not known here'),
    name: z.string().nullable().describe('Name of the person; null if it is not known here'),
    role,
    joined_at: z.string().describe('Time at which the person joined'),
  })
  .meta({ id: 'OrganizationMember', description: 'A person who belongs to an organization' })
export type OrganizationMember = z.infer<typeof OrganizationMember>

export const OrganizationMembers = z
  .object({ members: z.array(OrganizationMember).describe('People, in the order they joined') })
  .meta({ id: 'OrganizationMembers', description: 'The people in an organization' })

export const MembershipChanged = z
  .object({ user_id: z.string().describe('ID of the person whose role was changed'), role })
  .meta({ id: 'MembershipChanged', description: 'The role that a person has now' })

const invitation = {
  id: z.string().describe('ID of the invitation, for revoking it'),
  email: z.string().describe('Email address that was invited; nobody else can accept'),
  role: z.enum(membershipRoles).describe('Role that the person gets by accepting'),
  created_at: z.string().describe('Time at which the invitation was created'),
  expires_at: z.string().describe('Time until which the invitation can be accepted'),
}

export const Invitations = z
  .object({
    invitations: z
      .array(z.object(invitation))
      .describe('Invitations that can still be accepted, oldest first'),
  })
  .meta({ id: 'Invitations', description: 'An organization’s pending invitations' })
export type Invitations = z.infer<typeof Invitations>

export const InvitationMade = z
  .object({
    ...invitation,
    url: z
      .string()
      .describe('Link for the invited person, which is shown only once and works only once'),
    sent: z.boolean().describe('Whether the link was sent by email'),
  })
  .meta({ id: 'InvitationMade', description: 'A new invitation, with its link' })
export type InvitationMade = z.infer<typeof InvitationMade>

export const InvitationAccepted = z
  .object({
    success: Success,
    org_id: z.string().describe('ID of the organization that the person belongs to now'),
    role,
  })
  .meta({ id: 'InvitationAccepted', description: 'The organization that was joined' })

export const OrganizationChange = z
  .object({
    id: z.string().describe('Permanent ID of the change'),
    at: z.string().describe('Time at which the change was made'),
    operation: z.string().describe('Stable name of the change, for programs'),
    text: z.string().describe('Human-readable description of the change'),
    by: z
      .object({
        kind: z
          .enum(['key', 'user', 'command', 'registry'])
          .describe('Type of author: a key, a person, an operator, or the registry itself'),
        id: z.string().describe('ID of the key or of the person'),
        name: z
          .string()
          .nullable()
          .describe('Name of the key, or email address of the person; null if it is not known'),
      })
      .describe('Who made the change'),
    facts: z
      .record(z.string(), z.string())
      .describe('Details of the change, such as `domain`, `agent_url` or `role`'),
  })
  .meta({ id: 'OrganizationChange', description: 'A change in an organization’s audit log' })
export type OrganizationChange = z.infer<typeof OrganizationChange>

export const OrganizationAudit = z
  .object({
    changes: z.array(OrganizationChange).describe('Changes in the audit log, newest first'),
    ...pageEnd,
  })
  .meta({ id: 'OrganizationAudit', description: 'A page of an organization’s audit log' })
export type OrganizationAudit = z.infer<typeof OrganizationAudit>
