import { z } from 'zod'
import type { Domain } from '../../../pipeline/core/domain.ts'
import { isModerator } from '../../../pipeline/core/roles.ts'
import { BrandRestored, PropertyRestored } from '../../../pipeline/model/responses/saves.ts'
import type { EntryState } from '../../../pipeline/model/rows.ts'
import { toEditor } from '../../auth/editor.ts'
import { assertMember } from '../../auth/membership.ts'
import { OrganizationQuery } from '../../auth/organization-query.ts'
import type { Principal } from '../../auth/principal.ts'
import { PastedDomain } from '../../inputs/fields.ts'
import { submitIdempotent } from '../../operation/idempotency.ts'
import { defineOperation } from '../../operation/operation.ts'
import type { Services } from '../../operation/services.ts'
import { replyOk } from '../../responses/reply.ts'
import { saveErrors } from './saves.ts'

const what =
  'Creates a new revision with the content of the given one; revision 1 is the one that ' +
  'created the entry.'
const params = z.object({ domain: PastedDomain })
const body = z.object({
  to_revision: z.int().min(1).max(0xffff_ffff).describe('Number of the revision to restore'),
})
const errors = [...saveErrors, 'forbidden', 'not_found'] as const
/** Rolls an entry back. */
const shared = {
  method: 'POST',
  access: 'bearer',
  writes: true,
  quota: 'saves',
  cache: 'none',
  params,
  query: OrganizationQuery,
  body,
} as const

export const rollBackBrand = defineOperation({
  ...shared,
  id: 'rollBackBrand',
  path: '/api/brands/discovered/:domain/rollback',
  group: 'Brand Discovery',
  summary: 'Roll a brand back to an earlier revision',
  description: `For members who have verified the domain, and for moderators. ${what}`,
  reply: { 200: BrandRestored },
  errors,
  handle: async ({ params: { domain }, body, principal, submissionId, services }) => {
    if (!isModerator(principal.roles))
      assertMember(services.reader, principal, 'roll brands back', domain)
    const rollback = { entity: 'brand', domain, submissionId, ...body } as const
    const { state, revision_number, ...restored } = await submitRollback(
      rollback,
      principal,
      services,
    )
    const brand = { ...toRestored(restored, state), domain, brand_name: state.brand_name }
    return replyOk({ brand: { ...brand, ...state.document }, revision_number })
  },
})

export const rollBackProperty = defineOperation({
  ...shared,
  id: 'rollBackProperty',
  path: '/api/properties/hosted/:domain/rollback',
  group: 'Property Resolution',
  summary: 'Roll a publisher’s properties back to an earlier revision',
  description: `For organizations that have verified the domain, and for moderators. ${what}`,
  reply: { 200: PropertyRestored },
  errors,
  handle: async ({ params: { domain }, body, principal, submissionId, services }) => {
    const rollback = { entity: 'property', domain, submissionId, ...body } as const
    const { state, revision_number, ...restored } = await submitRollback(
      rollback,
      principal,
      services,
    )
    const property = { ...toRestored(restored, state), publisher_domain: domain, ...state.document }
    return replyOk({ property, revision_number })
  },
})

interface RollbackRequest {
  entity: 'brand' | 'property'
  domain: Domain
  to_revision: number
  submissionId: string
}

interface Restored {
  entry_id: string
  revision_number: number
  created_at: string
  state: EntryState
}

async function submitRollback(
  { submissionId, ...rollback }: RollbackRequest,
  principal: Principal,
  services: Services,
): Promise<Restored> {
  const moderates = isModerator(principal.roles)
  const editor = toEditor(principal)
  const restored = await submitIdempotent(
    services,
    submissionId,
    { op: 'entry.rollback', revision_id: submissionId, editor, moderates, ...rollback },
    { domain: rollback.domain },
  )
  return restored as unknown as Restored
}

function toRestored(
  { entry_id, created_at }: Omit<Restored, 'state' | 'revision_number'>,
  { source, status }: EntryState,
) {
  const review_status = status === 'live' ? 'approved' : status
  return { id: entry_id, source, review_status, updated_at: created_at }
}
