import { z } from 'zod'
import {
  type AuditedOperation,
  describeChange,
  type StoredChange,
} from '../../../pipeline/model/accounts/organization-audit.ts'
import { OrganizationAudit } from '../../../pipeline/model/responses/organization.ts'
import { listOrganizationChanges } from '../../../pipeline/read/lookups/organization-audit.ts'
import { findPerson } from '../../../pipeline/read/lookups/people.ts'
import { listKeys } from '../../../pipeline/read/lookups/principals.ts'
import type { Reader } from '../../../pipeline/read/reader.ts'
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
  summary: 'Read who changed what for your organization',
  description:
    'Keys, people, invitations, proofs, agents, saves and rollbacks, the latest first. Nothing can ' +
    'be removed from it. It holds no secrets and no contacts. For people of the organization, and ' +
    'for keys with the permission `admin:read` or `admin:*`.',
  query: z.object({
    org,
    limit: createPageSize({ defaultSize: 50, max: CHANGES_MAX }),
    cursor: z
      .string()
      .regex(/^\d{12}\.[\da-f-]{36}$/, 'must be a `next_cursor`')
      .optional()
      .describe('Continues after the page with this `next_cursor`'),
  }),
  reply: { 200: OrganizationAudit },
  errors: ['invalid_request', 'forbidden'],
  handle: ({ query, principal, services: { reader } }) => {
    const belonging = resolveOrganization(principal, query.org)
    requireOrganizationRight(principal, belonging, 'read')
    const { org_id } = belonging
    const { limit, cursor } = query
    const { changes, next } = listOrganizationChanges(reader, org_id, { limit, cursor })
    const labels = new Map(listKeys(reader, org_id).map(({ key_id, label }) => [key_id, label]))
    const name = (change: StoredChange) => labels.get(change.by_id) ?? findEmail(reader, change)
    return replyOk({
      changes: changes.map(change => ({ ...toChange(change), by: toAuthor(change, name(change)) })),
      has_more: next !== undefined,
      next_cursor: next ?? null,
    })
  },
})

function toChange({ id, at, operation, facts }: StoredChange) {
  return { id, at, operation, text: describeChange(operation as AuditedOperation, facts), facts }
}

function toAuthor({ by_kind: kind, by_id: id }: StoredChange, name: string | null) {
  return { kind, id, name }
}

function findEmail(reader: Reader, { by_kind, by_id }: StoredChange): string | null {
  return by_kind === 'user' ? (findPerson(reader, by_id)?.email ?? null) : null
}
