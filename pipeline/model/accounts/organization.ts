import { z } from 'zod'
import { Domain } from '../../core/domain.ts'

const id = z.uuid()
const name = z.string().trim().min(1).max(200)

export const companyTypes = [
  'adtech',
  'agency',
  'brand',
  'publisher',
  'data',
  'ai',
  'other',
] as const
export const revenueTiers = [
  'under_1m',
  '1m_5m',
  '5m_50m',
  '50m_250m',
  '250m_1b',
  '1b_plus',
] as const

/**
 * Founding of an organization by a person. `email_domain` is that of a verified address, unless it is a
 * free mail provider.
 */
export const Founding = z.object({
  org_id: id,
  user_id: z.string().min(1).max(255),
  name,
  is_personal: z.boolean(),
  email_domain: Domain.exactOptional(),
})
export type Founding = z.infer<typeof Founding>

export const organizationOperations = [
  z.object({
    op: z.literal('organization.found'),
    ...Founding.shape,
    company_type: z.enum(companyTypes).exactOptional(),
    revenue_tier: z.enum(revenueTiers).exactOptional(),
    marketing_opt_in: z.boolean(),
  }),
  z.object({ op: z.literal('organization.rename'), org_id: id, name }),
  /** Deletes an organization that has nothing left which others can see or receive. */
  z.object({ op: z.literal('organization.delete'), org_id: id }),
] as const
