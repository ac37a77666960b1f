import { companyTypes } from '../../pipeline/model/accounts/organization.ts'
import { Fragment, h } from '../pages/html/jsx.ts'
import { renderMoment, renderName } from '../pages/html/text.tsx'
import { renderTable } from '../pages/parts/blocks.tsx'
import { hasDraft, PUBLISH_PATH } from './draft.ts'
import {
  type DashboardAnswer,
  renderButton,
  renderFault,
  renderToken,
  toSectionPath,
} from './page.tsx'
import type { PersonPlace, Step } from './step.ts'

function showOrganizations(step: Step, fault?: string): DashboardAnswer {
  const { memberships, token } = step
  const body = (
    <>
      <h1>Organizations</h1>
      {renderFault(fault)}
      {hasDraft(step.request.headers.cookie) ? (
        <p class="notice">
          A file from the workshop waits: <a href={PUBLISH_PATH}>publish it</a>.
        </p>
      ) : null}
      {renderTable({
        caption: 'Organizations',
        columns: ['Organization', 'Your role', 'Membership'],
        items: memberships,
        empty: 'You belong to no organization yet. Create one, or ask yours to add you.',
        render: ({ org_id, org_name, role, membership_tier }) => [
          <a href={toSectionPath(org_id, 'keys')}>{renderName(org_name)}</a>,
          role,
          membership_tier ?? 'none',
        ],
      })}
      <form method="post" action="/dashboard/organizations" class="panel">
        <h2>Create an organization</h2>
        {renderToken(token)}
        <label for="name">Name</label>
        <input id="name" name="name" required maxlength="200" autocomplete="organization" />
        <label for="company-type">What it does</label>
        <select id="company-type" name="company_type">
          <option value="">rather not say</option>
          {companyTypes.map(type => (
            <option value={type}>{type}</option>
          ))}
        </select>
        <button type="submit">Create it</button>
      </form>
    </>
  )
  return { status: fault === undefined ? 200 : 400, title: 'Your organizations', body }
}

async function createOrganization(step: Step): Promise<DashboardAnswer> {
  const { ask, form } = step
  const type = form.get('company_type')
  const payload = { organization_name: form.get('name') ?? '', ...(type && { company_type: type }) }
  const { refused } = await ask({ method: 'POST', url: '/api/organizations', payload })
  if (refused !== undefined) return showOrganizations(step, refused)
  return { next: '/dashboard', done: 'organization' }
}

async function showAccess(step: Step, fault?: string): Promise<DashboardAnswer> {
  const { identity, services, person, token } = step
  const grants = await identity.listAccess(services, person.user_id)
  const body = (
    <>
      <h1>Applications</h1>
      <p class="lead">
        Applications that may act here with your rights, because you allowed it. Ending the access
        of one makes its tokens void; the last of them counts for{' '}
        {services.config.LIMITS.accessTokenMinutes} minutes at most.
      </p>
      <p>
        Your id in this registry is <code>{person.user_id}</code>.
      </p>
      {renderFault(fault)}
      {renderTable({
        caption: 'Applications',
        columns: ['Application', 'Until', 'Change'],
        items: grants,
        empty: 'No application has access.',
        render: ({ id, name, until }) => [
          renderName(name, 80),
          renderMoment(until),
          renderButton('/dashboard/access/end', token, 'End its access', { grant: id }, 'plain'),
        ],
      })}
    </>
  )
  return { status: fault === undefined ? 200 : 404, title: 'Applications', body }
}

async function endAccess(step: Step): Promise<DashboardAnswer> {
  const { identity, services, person, form } = step
  const hasEnded = await identity.endAccess(services, person.user_id, form.get('grant') ?? '')
  return hasEnded
    ? { next: '/dashboard/access', done: 'ended' }
    : showAccess(step, 'This application has no access any more.')
}

/** Places of a person, whatever organization they belong to. */
export const personPlaces: readonly PersonPlace[] = [
  { method: 'GET', path: '/dashboard', take: step => showOrganizations(step) },
  { method: 'POST', path: '/dashboard/organizations', take: createOrganization },
  { method: 'GET', path: '/dashboard/access', take: step => showAccess(step) },
  { method: 'POST', path: '/dashboard/access/end', take: endAccess },
]
