import { z } from 'zod'
import { Domain } from '../../pipeline/core/domain.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import { isModerator } from '../../pipeline/core/roles.ts'
import { membersOf } from '../../pipeline/index/points/members.ts'
import { BrandRestored, PropertyRestored } from '../../pipeline/model/answers-saves.ts'
import type { EntryState } from '../../pipeline/model/rows.ts'
import { submitOnce } from '../attempt.ts'
import type { Principal } from '../auth.ts'
import { operation } from '../operation.ts'
import { ok } from '../reply.ts'
import type { Services } from '../services.ts'
import { editorOf, saveErrors } from './saves.ts'

const what =
  'It is one more revision, with the state that the named one left; revision 1 is the one that made ' +
  'the entry.'
const params = z.object({ domain: Domain })
const body = z.object({ to_revision: z.int().min(1).max(0xffff_ffff) })
const errors = [...saveErrors, 'forbidden', 'not_found'] as const

export const rollBackBrand = operation({
  id: 'rollBackBrand',
  method: 'POST',
  path: '/api/brands/discovered/:domain/rollback',
  group: 'Brand Discovery',
  summary: 'Restore what an earlier revision of a brand said',
  description: `For members who have shown that the domain is their own, and for moderators. ${what}`,
  access: 'bearer',
  writes: true,
  quota: 'saves',
  cache: 'none',
  params,
  body,
  reply: { 200: BrandRestored },
  errors,
  handle: async ({ params: { domain }, body, principal, attempt, services }) => {
    if (!isModerator(principal.roles) && !isMember(principal, services)) {
      refuse('forbidden', 'only members roll brands back', { domain })
    }
    const asked = { entity: 'brand', domain, attempt, ...body } as const
    const { state, revision_number, ...restored } = await rollBack(asked, principal, services)
    const brand = { ...shown(restored, state), domain, brand_name: state.brand_name }
    return ok({ brand: { ...brand, ...state.document }, revision_number })
  },
})

export const rollBackProperty = operation({
  id: 'rollBackProperty',
  method: 'POST',
  path: '/api/properties/hosted/:domain/rollback',
  group: 'Property Resolution',
  summary: 'Restore what an earlier revision of a publisher’s properties said',
  description: `For moderators. ${what}`,
  access: 'bearer',
  writes: true,
  quota: 'saves',
  cache: 'none',
  params,
  body,
  reply: { 200: PropertyRestored },
  errors: errors.filter(error => error !== 'ownership_proof_required'),
  handle: async ({ params: { domain }, body, principal, attempt, services }) => {
    if (!isModerator(principal.roles)) {
      refuse('forbidden', 'only moderators roll properties back', { domain })
    }
    const asked = { entity: 'property', domain, attempt, ...body } as const
    const { state, revision_number, ...restored } = await rollBack(asked, principal, services)
    const property = { ...shown(restored, state), publisher_domain: domain, ...state.document }
    return ok({ property, revision_number })
  },
})

interface Asked {
  entity: 'brand' | 'property'
  domain: Domain
  to_revision: number
  attempt: string
}

interface Restored {
  entry_id: string
  revision_number: number
  created_at: string
  state: EntryState
}

async function rollBack(
  { attempt, ...asked }: Asked,
  principal: Principal,
  services: Services,
): Promise<Restored> {
  const moderates = isModerator(principal.roles)
  const editor = editorOf(principal)
  const restored = await submitOnce(
    services,
    attempt,
    { op: 'entry.rollback', revision_id: attempt, editor, moderates, ...asked },
    { domain: asked.domain },
  )
  return restored as unknown as Restored
}

function shown(
  { entry_id, created_at }: Omit<Restored, 'state' | 'revision_number'>,
  { source, status }: EntryState,
) {
  const review_status = status === 'live' ? 'approved' : status
  return { id: entry_id, source, review_status, updated_at: created_at }
}

function isMember({ org_id }: Principal, { reader }: Services): boolean {
  return membersOf(reader).all.some(member => member.org_id === org_id)
}
