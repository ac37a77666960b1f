import { hasApiAccess } from '../../../pipeline/core/tiers.ts'
import { OrganizationUsage } from '../../../pipeline/model/responses/organization-usage.ts'
import { resolveOrganization } from '../../auth/organization-access.ts'
import { OrganizationQuery } from '../../auth/organization-query.ts'
import { readUsage } from '../../limits/usage.ts'
import { defineOperation } from '../../operation/operation.ts'
import { replyOk } from '../../responses/reply.ts'

export const readOrganizationUsage = defineOperation({
  id: 'getOrganizationUsage',
  method: 'GET',
  path: '/api/me/organization/usage',
  group: 'Onboarding',
  access: 'bearer',
  cache: 'private',
  summary: 'Get your organization’s usage and limits',
  description:
    'Returns each limit with its use in the current window, what is left and when it resets, and how ' +
    'many items the organization stores. This request does not count toward the limits. All keys of an ' +
    'organization share their limits, except for saves, which are counted per key. Limits by IP address are reported ' +
    'in the `RateLimit` headers of the responses they apply to.',
  query: OrganizationQuery,
  reply: { 200: OrganizationUsage },
  errors: ['invalid_request', 'forbidden'],
  handle: async ({ query, principal, services }) => {
    const { org_id, org_name, membership_tier } = resolveOrganization(principal, query.org)
    const usage = await readUsage({ principal, orgId: org_id }, services)
    const organization = {
      id: org_id,
      name: org_name,
      membership_tier,
      has_api_access: hasApiAccess(membership_tier),
    }
    return replyOk({ organization, ...usage })
  },
})
