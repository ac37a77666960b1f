import { OwnProfile } from '../../../pipeline/model/responses/own-organization.ts'
import { resolveOrganization } from '../../auth/organization-access.ts'
import { OrganizationQuery } from '../../auth/organization-query.ts'
import { defineOperation } from '../../operation/operation.ts'
import { unwrapAnswer } from '../../operation/submission-result.ts'

export const createOwnProfile = defineOperation({
  id: 'createOwnProfile',
  method: 'POST',
  path: '/api/me/organization/profile',
  group: 'Onboarding',
  summary: 'Make your organization a member',
  description:
    'Creates its profile, which only your organization sees. Members may submit brands and restore earlier ' +
    'revisions; the first agent that you add makes your organization a member too. Basic membership is free; ' +
    'higher tiers are paid.',
  access: 'bearer',
  writes: true,
  raw: true,
  cache: 'none',
  query: OrganizationQuery,
  reply: { 201: OwnProfile },
  errors: ['invalid_request', 'forbidden', 'conflict', 'too_large', 'unavailable'],
  handle: async ({ query, principal, services: { writer } }) => {
    const { org_id: org } = resolveOrganization(principal, query.org)
    const { slug, display_name } = unwrapAnswer(await writer.submit({ op: 'member.create', org }))
    return { status: 201, body: { organization_id: org, slug, display_name } }
  },
})
