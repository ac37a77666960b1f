import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { refuse } from '../../../pipeline/core/errors.ts'
import { isFreeMail } from '../../../pipeline/core/free-mail.ts'
import { companyTypes, revenueTiers } from '../../../pipeline/model/accounts/organization.ts'
import {
  OrganizationMade,
  OrganizationRenamed,
} from '../../../pipeline/model/responses/own-organization.ts'
import { findCorporateDomain } from '../../auth/founding.ts'
import { requireOrganizationRight, resolveOrganization } from '../../auth/organization-access.ts'
import { defineOperation } from '../../operation/operation.ts'
import { unwrapAnswer } from '../../operation/submission-result.ts'
import { noContent, replyOk } from '../../responses/reply.ts'
import { writeErrors } from '../write-errors.ts'

const OrganizationName = z.string().trim().min(1, 'must not be empty').max(200)

export const createOrganization = defineOperation({
  id: 'createOrganization',
  method: 'POST',
  path: '/api/organizations',
  group: 'Onboarding',
  summary: 'Create an organization',
  description:
    'The person whose token is sent becomes its owner. If the identity provider has verified the person’s email address, its domain becomes the organization’s, unless it belongs to an email provider. Returns 409 if the domain already belongs to an organization that you are not in. If you are in it, the new organization is created without the domain. If that organization has no people yet, you join it (200). Basic membership is free; higher tiers are paid.',
  access: 'bearer',
  writes: true,
  isPersonal: true,
  isForPeople: true,
  cache: 'none',
  body: z.object({
    organization_name: OrganizationName.describe('Name of the organization, which must be unique'),
    is_personal: z
      .boolean()
      .default(false)
      .describe('Whether the organization is a single person, without domains'),
    company_type: z
      .enum(companyTypes)
      .exactOptional()
      .describe('Role of the company in advertising'),
    revenue_tier: z.enum(revenueTiers).exactOptional().describe('Annual revenue in US dollars'),
    marketing_opt_in: z
      .boolean()
      .default(false)
      .describe('Whether you agree to receive marketing emails'),
  }),
  reply: { 200: OrganizationMade, 201: OrganizationMade },
  errors: [...writeErrors, 'conflict'],
  handle: async ({ body, principal: { person }, services: { writer } }) => {
    if (person === undefined) {
      return refuse(
        'forbidden',
        'organizations are created by people, with an access token; an API key already has one',
      )
    }
    const { organization_name: name, is_personal, ...said } = body
    const { emailDomain } = person
    if (!is_personal && emailDomain !== undefined && isFreeMail(emailDomain)) {
      refuse(
        'invalid_request',
        `is_personal: an email address at ${emailDomain} does not identify an organization`,
      )
    }
    const email_domain = is_personal ? undefined : findCorporateDomain(person)
    const answer = await writer.submit({
      op: 'organization.found',
      org_id: randomUUID(),
      user_id: person.id,
      name,
      is_personal,
      ...(email_domain !== undefined && { email_domain }),
      ...said,
    })
    const { adopted, ...done } = unwrapAnswer(answer)
    const organization = { id: done.org_id, name: done.name }
    return adopted
      ? { status: 200, body: { success: true, organization, ...organization, adopted: true } }
      : { status: 201, body: { success: true, organization } }
  },
})

const named = {
  path: '/api/organizations/:id',
  group: 'Onboarding',
  access: 'bearer',
  writes: true,
  isPersonal: true,
  isForPeople: true,
  cache: 'none',
  params: z.object({
    id: z
      .uuid()
      .toLowerCase()
      .describe('ID of the organization, from the list of your organizations'),
  }),
} as const

const refusals = ['invalid_request', 'forbidden', 'conflict', 'unavailable'] as const

export const renameOrganization = defineOperation({
  ...named,
  id: 'renameOrganization',
  method: 'PATCH',
  summary: 'Rename your organization',
  description:
    'For owners and admins. The new name is shown everywhere at once, including on earlier edits. A profile with the old name gets the new one too. Returns 409 if another organization has the name.',
  body: z.object({ name: OrganizationName.describe('New name, which must be unique') }),
  reply: { 200: OrganizationRenamed },
  errors: [...refusals, 'too_large', 'unsupported_media_type'],
  handle: async ({ params: { id: org_id }, body: { name }, principal, services: { writer } }) => {
    requireOrganizationRight(principal, resolveOrganization(principal, org_id), 'name')
    const answer = await writer.submit({ op: 'organization.rename', org_id, name })
    return replyOk({ id: org_id, name: String(unwrapAnswer(answer).name) })
  },
})

export const deleteOrganization = defineOperation({
  ...named,
  id: 'deleteOrganization',
  method: 'DELETE',
  summary: 'Delete your organization',
  description:
    'For owners. All its people and keys lose access at once, and pending invitations end. Returns 409 while it has verified domains, agents, webhooks or a paid membership; the response names them. Files that are still hosted for a domain stay online unless hosting is stopped before the domain is removed. You cannot undo this.',
  reply: { 204: null },
  errors: refusals,
  handle: async ({ params: { id: org_id }, principal, services: { writer } }) => {
    requireOrganizationRight(principal, resolveOrganization(principal, org_id), 'deletion')
    unwrapAnswer(await writer.submit({ op: 'organization.delete', org_id }))
    return noContent
  },
})
