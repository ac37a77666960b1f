import { tiers } from '../../pipeline/core/tiers.ts'
import { getMembers } from '../../pipeline/read/lookups/members.ts'
import { BACK, parseWayBack } from '../identity/way-back.ts'
import { type Child, h } from '../pages/html/jsx.ts'
import { joinWords } from '../pages/html/text.tsx'
import type { OrganizationRequest, OrganizationRoute } from './dashboard-request.ts'
import { type DashboardAnswer, renderButton, renderFault, toSectionPath } from './page.tsx'

/** Renders the button that makes the organization a member, unless it is one; `back` is the page that shows it. */
export function renderMembership(
  { organization: { org_id }, services, token }: OrganizationRequest,
  back: string,
): Child {
  if (getMembers(services.reader).all.some(member => member.org_id === org_id)) return null
  const action = `/dashboard/org/${encodeURIComponent(org_id)}/member`
  return (
    <div class="notice">
      <p>
        Join to restore earlier versions of a brand and to propose brands. It is free, and only your
        organization sees its profile.
      </p>
      {renderButton(action, token, 'Become a member', { [BACK]: back }, 'plain')}
    </div>
  )
}

const publicTiers = Object.values(tiers).flatMap(({ label, apiAccess }) => (apiAccess ? label : []))

/** Describes which memberships let an organization list its agents publicly, and who grants them. */
export function describePublicTiers(): string {
  const names = joinWords(publicTiers, 'or')
  return `Only your organization and members see your agents. To list them publicly, ask the operator of this registry for the membership ${names}.`
}

async function joinMembers(context: OrganizationRequest): Promise<DashboardAnswer> {
  const { callApi, org, organization, form } = context
  const url = '/api/me/organization/profile'
  const { refused } = await callApi({ method: 'POST', url, query: org })
  if (refused !== undefined) {
    return { status: 400, title: 'Membership', body: <div>{renderFault(refused)}</div> }
  }
  const next = parseWayBack(form.get(BACK)) ?? toSectionPath(organization.org_id, 'usage')
  return { next, done: 'member' }
}

export const membershipRoutes: readonly OrganizationRoute[] = [
  { method: 'POST', path: '/member', handle: joinMembers },
]
