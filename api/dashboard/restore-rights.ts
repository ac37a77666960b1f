import type { Domain } from '../../pipeline/core/domain.ts'
import type { HostedKind } from '../../pipeline/model/hosted.ts'
import type { OrganizationRequest } from './dashboard-request.ts'
import { canChange } from './domain-rights.ts'
import { isMember } from './membership.tsx'
import { canReview } from './reviews.tsx'

/** Tells whether a person may restore versions of a hosted file: those of a brand.json are for members. */
export function mayRestore(
  context: Pick<OrganizationRequest, 'organization' | 'person' | 'services'>,
  { domain, kind }: { domain: Domain; kind: HostedKind },
): boolean {
  if (canReview(context)) return true
  const isAllowed = kind === 'adagents.json' || isMember(context.services, context.organization)
  return isAllowed && canChange(context, domain)
}
