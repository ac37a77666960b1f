import { DAY, type Instant } from '../../pipeline/core/clock.ts'
import { countThings } from '../../pipeline/core/counts.ts'
import type { Domain } from '../../pipeline/core/domain.ts'
import { findOwnership, listOwnedDomains } from '../../pipeline/read/lookups/ownership.ts'
import { type Child, h } from '../pages/html/jsx.ts'
import { renderName } from '../pages/html/text.tsx'
import { canEdit, type DashboardRequest } from './dashboard-request.ts'
import { isHosted } from './domain-rights.ts'
import { toSectionPath } from './page.tsx'

/** Days from which on a verification is shown to end. */
const SHOWN_DAYS = 14
/** Domains that the first page names. */
const NAMED_MAX = 5

/** Describes when a verification ends; undefined where that is not soon, or was before. */
export function describeEnding(valid_until: string | null, now: Instant): string | undefined {
  if (valid_until === null) return undefined
  const leftMs = Date.parse(valid_until) - now
  if (leftMs <= 0 || leftMs > SHOWN_DAYS * DAY) return undefined
  const days = Math.floor(leftMs / DAY)
  return days === 0 ? 'Ends today' : `Ends in ${countThings(days, 'day')}`
}

/** Renders for which domains of the person’s organizations a verification ends soon, or has ended while files are hosted. */
export function renderEndingProofs({ memberships, services }: DashboardRequest): Child {
  const { config, reader } = services
  const now = reader.now()
  const found = memberships.filter(canEdit).flatMap(({ org_id }) =>
    listOwnedDomains(reader, org_id).flatMap(({ domain }) => {
      const proof = findOwnership(reader, org_id, domain, config.LIMITS.proofDays)
      const ending = describeEnding(proof.valid_until, now)
      const hasEnded =
        !proof.proven && proof.valid_until !== null && isHosted(services, domain as Domain)
      return ending === undefined && !hasEnded ? [] : [{ org_id, domain, ending }]
    }),
  )
  return found.slice(0, NAMED_MAX).map(({ org_id, domain, ending }) => (
    <p class="notice fair">
      {ending === undefined
        ? 'Verification has ended, so the domain’s hosted files can’t be changed: '
        : `Verification ${ending.toLowerCase()}: `}
      {renderName(domain)}. <a href={toSectionPath(org_id, 'domains')}>Verify again</a>
    </p>
  ))
}
