import { tiers } from '../../pipeline/core/tiers.ts'
import type { Membership } from '../../pipeline/model/identity.ts'
import { getMembers } from '../../pipeline/read/lookups/members.ts'
import type { Services } from '../operation/services.ts'
import { type Html, h } from '../pages/html/jsx.ts'
import { joinWords } from '../pages/html/text.tsx'
import { confirmFirst } from './confirm.tsx'
import type { OrganizationRequest, OrganizationRoute } from './dashboard-request.ts'
import { type DashboardAnswer, renderButton, renderFault } from './page.tsx'

/** Sentences about what members may do, for every page on which an organization can become one. */
export const MEMBERSHIP =
  'Member organizations can propose brands through the API. Basic membership is free, and nothing about it is shown publicly.'

export function isMember({ reader }: Services, { org_id }: Membership): boolean {
  return getMembers(reader).all.some(member => member.org_id === org_id)
}

/** Describes the membership of an organization in a word or two. */
export function describeMembership(services: Services, organization: Membership): string {
  const { membership_tier: tier } = organization
  if (tier !== null) return tiers[tier].label
  return isMember(services, organization) ? 'Basic (free)' : 'None'
}

/** Renders the button that makes an organization a member. */
export function renderJoin({ org_id }: Membership, token: string): Html {
  const action = `/dashboard/org/${encodeURIComponent(org_id)}/member`
  return renderButton(action, token, JOIN, {}, 'plain')
}

const JOIN = 'Become a member'

const askAboutMembership = () => ({
  label: JOIN,
  effect: `${MEMBERSHIP} The roles of your people stay as they are. You can’t undo this without deleting the organization.`,
})

const publicTiers = Object.values(tiers).flatMap(({ label, apiAccess }) => (apiAccess ? label : []))

/** Sentence about what API access adds, which memberships include it, and who grants them. */
export const API_ACCESS = `To list agents publicly, and to see those that others share with members, you need ${joinWords(publicTiers, 'or')} membership. Contact the operator of this registry. API keys work on every tier.`

async function joinMembers(context: OrganizationRequest): Promise<DashboardAnswer> {
  const { callApi, org } = context
  const url = '/api/me/organization/profile'
  const { refused } = await callApi({ method: 'POST', url, query: org })
  if (refused !== undefined) {
    return { status: 400, title: 'Membership', body: <div>{renderFault(refused)}</div> }
  }
  return { next: '/dashboard', done: 'member' }
}

export const membershipRoutes: readonly OrganizationRoute[] = [
  { method: 'POST', path: '/member', handle: confirmFirst(askAboutMembership, joinMembers) },
]
