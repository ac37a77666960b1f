import { MINUTE } from '../../pipeline/core/clock.ts'
import { countThings } from '../../pipeline/core/counts.ts'
import { RECENT_PROOF_MS } from '../../pipeline/model/ownership.ts'
import {
  findOwnership,
  listOtherProvers,
  type OtherProver,
} from '../../pipeline/read/lookups/ownership.ts'
import { Fragment, type Html, h } from '../pages/html/jsx.ts'
import { clipText, joinWords, renderExactMoment, renderName } from '../pages/html/text.tsx'
import { SUBJECT } from './confirm.tsx'
import { canEdit, type OrganizationRequest } from './dashboard-request.ts'
import { renderButton, toSectionPath } from './page.tsx'

/** Organizations that are named in one place. */
const NAMED_MAX = 5

/** Label of the button that ends what others have verified. */
export const END_OTHERS = 'End other verifications'

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

/** Renders the button that ends what others have verified of a domain, or what it takes to get one. */
export function renderEnding(
  {
    organization,
    services,
    token,
  }: Pick<OrganizationRequest, 'organization' | 'services' | 'token'>,
  domain: string,
  sharers: readonly OtherProver[],
): Html | null {
  const { reader, config } = services
  const names = sharers.flatMap(({ name, can_end }) => (can_end ? clipText(name, 80) : []))
  const own = findOwnership(reader, organization.org_id, domain, config.LIMITS.proofDays)
  if (!canEdit(organization) || !own.proven || names.length === 0) return null
  const isRecent =
    own.proven_by === domain && Date.parse(own.verified_at ?? '') > reader.now() - RECENT_PROOF_MS
  if (!isRecent) {
    const minutes = countThings(RECENT_PROOF_MS / MINUTE, 'minute')
    return (
      <>
        To end that verification, verify the domain again; you then have {minutes} to use the button
        that appears here.
      </>
    )
  }
  const subject = `of ${joinWords(names.slice(0, NAMED_MAX))} for ${domain}`
  const path = `${toSectionPath(organization.org_id, 'domains')}/end-others`
  return renderButton(path, token, END_OTHERS, { domain, [SUBJECT]: subject }, 'plain')
}
