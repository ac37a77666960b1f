import { tiers } from '../../pipeline/core/tiers.ts'
import type { Membership } from '../../pipeline/model/identity.ts'
import { getMembers } from '../../pipeline/read/lookups/members.ts'
import { BACK, parseWayBack } from '../identity/way-back.ts'
import type { Services } from '../operation/services.ts'
import { type Child, type Html, h } from '../pages/html/jsx.ts'
import { joinWords } from '../pages/html/text.tsx'
import { canEdit, type OrganizationRequest, type OrganizationRoute } from './dashboard-request.ts'
import { type DashboardAnswer, renderButton, renderFault } from './page.tsx'

/** Sentences about what members may do, for every page on which an organization can become one. */
export const MEMBERSHIP =
  'Basic membership is free. Member organizations can propose brands and restore earlier versions of a brand.json.'

export function isMember({ reader }: Services, { org_id }: Membership): boolean {
  return getMembers(reader).all.some(member => member.org_id === org_id)
}

/** Describes the membership of an organization in a word or two. */
export function describeMembership(services: Services, organization: Membership): string {
  const { membership_tier: tier } = organization
  if (tier !== null) return tiers[tier].label
  return isMember(services, organization) ? 'Basic (free)' : 'None'
}

/** Renders the button that makes an organization a member; `back` is the page to go on with. */
export function renderJoin({ org_id }: Membership, token: string, back?: string): Html {
  const action = `/dashboard/org/${encodeURIComponent(org_id)}/member`
  return renderButton(action, token, 'Become a member', { [BACK]: back }, 'plain')
}

/** Renders what members may do beside the button that makes the organization one, unless it is. */
export function renderMembership(
  { organization, services, token }: OrganizationRequest,
  back: string,
): Child {
  if (!canEdit(organization) || isMember(services, organization)) return null
  return (
    <div class="notice">
      <p>{MEMBERSHIP}</p>
      {renderJoin(organization, token, back)}
    </div>
  )
}

const publicTiers = Object.values(tiers).flatMap(({ label, apiAccess }) => (apiAccess ? label : []))

/** Sentence about what API access adds, which memberships include it, and who grants them. */
export const API_ACCESS = `To list agents publicly, and to see those that others share with members, you need ${joinWords(publicTiers, 'or')} membership. Contact the operator of this registry. API keys work on every tier.`

async function joinMembers(context: OrganizationRequest): Promise<DashboardAnswer> {
  const { callApi, org, form } = context
  const url = '/api/me/organization/profile'
  const { refused } = await callApi({ method: 'POST', url, query: org })
  if (refused !== undefined) {
    return { status: 400, title: 'Membership', body: <div>{renderFault(refused)}</div> }
  }
  const next = parseWayBack(form.get(BACK)) ?? '/dashboard'
  return { next, done: 'member' }
}

export const membershipRoutes: readonly OrganizationRoute[] = [
  { method: 'POST', path: '/member', handle: joinMembers },
]
