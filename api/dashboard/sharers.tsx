import { countThings } from '../../pipeline/core/counts.ts'
import {
  findOwnership,
  listOtherProvers,
  type OtherProver,
} from '../../pipeline/read/lookups/ownership.ts'
import { Fragment, type Html, h } from '../pages/html/jsx.ts'
import { renderExactMoment, renderName } from '../pages/html/text.tsx'
import type { OrganizationRequest } from './dashboard-request.ts'

/** Organizations that are named in one place. */
const NAMED_MAX = 5

/** Lists the other organizations that may change the hosted files of a domain. */
export function listSharers(
  { organization, services }: Pick<OrganizationRequest, 'organization' | 'services'>,
  domain: string,
): OtherProver[] {
  const { reader, config } = services
  return listOtherProvers(reader, organization.org_id, domain, config.LIMITS.proofDays)
}

/** Renders who else has verified a domain, and when they did last; only who has verified it, too, learns the names. */
export function renderSharers(
  { organization, services }: Pick<OrganizationRequest, 'organization' | 'services'>,
  domain: string,
  sharers: readonly OtherProver[],
): Html {
  const { reader, config } = services
  const own = findOwnership(reader, organization.org_id, domain, config.LIMITS.proofDays)
  if (!own.proven) return <>Another organization has verified it</>
  const more = sharers.length - NAMED_MAX
  return (
    <>
      Also verified by{' '}
      {sharers.slice(0, NAMED_MAX).map(({ name, verified_at }, i) => (
        <>
          {i > 0 ? ', ' : ''}
          {renderName(name, 80)} on {renderExactMoment(verified_at)}
        </>
      ))}
      {more > 0 ? ` and ${countThings(more, 'more organization')}` : ''}
    </>
  )
}
