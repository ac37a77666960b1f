import type { Membership } from '../../pipeline/model/identity.ts'
import { type Child, Fragment, h } from '../pages/html/jsx.ts'
import { renderName } from '../pages/html/text.tsx'
import { canEdit, type DashboardRequest, type OrganizationRoute } from './dashboard-request.ts'
import { type DashboardAnswer, toSectionPath } from './page.tsx'

/** Tells whether a route of an organization is for a person: viewers read its pages and leave it, and send no other form. */
export function isOpenTo(
  { method, right = method === 'POST' ? 'edit' : 'read' }: OrganizationRoute,
  organization: Membership,
): boolean {
  return right === 'read' || canEdit(organization)
}

/** Says which organizations a person may only view, and who can change that. */
export function renderViewing(viewed: readonly Membership[]): Child {
  if (viewed.length === 0) return null
  return (
    <p class="quiet">
      You can view{' '}
      {viewed.map(({ org_id, org_name }, index) => (
        <>
          {index === 0 ? null : index === viewed.length - 1 ? ' and ' : ', '}
          <a href={toSectionPath(org_id, 'people')}>{renderName(org_name)}</a>
        </>
      ))}
      , but not change anything for {viewed.length === 1 ? 'it' : 'them'}. An owner can give you
      another role.
    </p>
  )
}

/** Answers instead of a page or a form that is not for viewers; its frame says why. */
export function refuseViewer(): DashboardAnswer {
  const title = 'No permission'
  return { status: 403, title, heading: title, body: <></> }
}

/** Lists the organizations of a person who can change something for none of them. */
export function listViewed({
  memberships,
}: Pick<DashboardRequest, 'memberships'>): readonly Membership[] {
  return memberships.some(canEdit) ? [] : memberships
}

/** Shows people who can only view their organizations how to do what `title` says for another one; undefined for all others. */
export function showViewed(context: DashboardRequest, title: string): DashboardAnswer | undefined {
  if (listViewed(context).length === 0) return undefined
  const body = (
    <p>
      To do this for an organization of your own, <a href="/dashboard">create it</a> first.
    </p>
  )
  return { status: 403, title, heading: title, body }
}
