import { z } from 'zod'
import { AuditCursor } from '../../../pipeline/model/accounts/audit-cursor.ts'
import { OrganizationAudit } from '../../../pipeline/model/responses/organization.ts'
import {
  describeChanges,
  listOrganizationChanges,
} from '../../../pipeline/read/lookups/organization-audit.ts'
import { requireOrganizationRight, resolveOrganization } from '../../auth/organization-access.ts'
import { org } from '../../auth/organization-query.ts'
import { createPageSize } from '../../inputs/fields.ts'
import { defineOperation } from '../../operation/operation.ts'
import { replyOk } from '../../responses/reply.ts'

const CHANGES_MAX = 200

export const readAudit = defineOperation({
  id: 'getOrganizationAudit',
  method: 'GET',
  path: '/api/me/organization/audit',
  group: 'Onboarding',
  access: 'bearer',
  cache: 'private',
  summary: 'Get your organization’s audit log',
  description:
    'Returns changes to keys, people, invitations, verified domains and agents, and saves and rollbacks, newest first. No entry can be removed, and none contains secrets or contacts. For people of the organization, and for keys with the permission `admin:read` or `admin:*`.',
  query: z.object({
    org,
    limit: createPageSize({ defaultSize: 50, max: CHANGES_MAX }),
    cursor: AuditCursor.optional().describe('`next_cursor` of the previous page'),
  }),
  reply: { 200: OrganizationAudit },
  errors: ['invalid_request', 'forbidden'],
  handle: ({ query, principal, services: { reader } }) => {
    const belonging = resolveOrganization(principal, query.org)
    requireOrganizationRight(principal, belonging, 'read')
    const { org_id } = belonging
    const { limit, cursor } = query
    const { changes, next } = listOrganizationChanges(reader, org_id, { limit, cursor })
    return replyOk({
      changes: describeChanges(reader, org_id, changes),
      has_more: next !== undefined,
      next_cursor: next ?? null,
    })
  },
})
