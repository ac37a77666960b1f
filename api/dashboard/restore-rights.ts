import type { Domain } from '../../pipeline/core/domain.ts'
import type { OrganizationRequest } from './dashboard-request.ts'
import { canChange } from './domain-rights.ts'
import { canReview } from './reviews.tsx'

/** Tells whether a person may restore versions of a hosted file, and so sees all that each of them holds. */
export function mayRestore(
  context: Pick<OrganizationRequest, 'organization' | 'person' | 'services'>,
  domain: Domain,
): boolean {
  return canReview(context) || canChange(context, domain)
}
