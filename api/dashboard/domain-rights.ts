import type { Domain } from '../../pipeline/core/domain.ts'
import { hostedKinds } from '../../pipeline/model/hosted.ts'
import { findHosted } from '../../pipeline/read/lookups/hosted.ts'
import { findOwnership, listFormerDomains } from '../../pipeline/read/lookups/ownership.ts'
import { canEdit, type DashboardRequest, type OrganizationRequest } from './dashboard-request.ts'

/** Tells whether an organization can publish files of a domain without verifying it first. */
export function hasProof(
  { services }: Pick<DashboardRequest, 'services'>,
  org: string | undefined,
  domain: Domain,
): boolean {
  const { config, reader } = services
  if (!config.REQUIRE_OWNERSHIP_PROOF) return true
  return org !== undefined && findOwnership(reader, org, domain, config.LIMITS.proofDays).proven
}

/** Tells whether a person can change the hosted files of a domain: by a role, and by what the organization verified. */
export function canChange(
  context: Pick<OrganizationRequest, 'services' | 'organization'>,
  domain: Domain,
): boolean {
  const { organization } = context
  return canEdit(organization) && hasProof(context, organization.org_id, domain)
}

/** Tells whether files of a domain are hosted here. */
export function isHosted({ reader }: DashboardRequest['services'], domain: string): boolean {
  return hostedKinds.some(kind => findHosted(reader, kind, domain))
}

/** Lists the domains whose hosted files stayed online when an organization removed them. */
export function listFormerHosted({
  organization: { org_id },
  services,
}: Pick<OrganizationRequest, 'services' | 'organization'>): Domain[] {
  return listFormerDomains(services.reader, org_id).filter(domain => isHosted(services, domain))
}
