import {
  getRightOverRole,
  hasOrganizationRight,
  type MembershipRole,
  membershipRoles,
  type OrganizationRight,
  organizationRights,
} from '../../pipeline/core/roles.ts'
import type {
  InvitationMade,
  Invitations,
  OrganizationMember,
} from '../../pipeline/model/responses/organization.ts'
import { type Child, Fragment, type Html, h } from '../pages/html/jsx.ts'
import { clipText, renderMoment } from '../pages/html/text.tsx'
import { renderSection, renderTable } from '../pages/parts/blocks.tsx'
import {
  type DashboardAnswer,
  renderButton,
  renderFault,
  renderToken,
  toSectionPath,
} from './page.tsx'
import type { OrganizationPlace, OrganizationStep } from './step.ts'

const MEMBERS = '/api/me/organization/members'
const INVITATIONS = '/api/me/organization/invitations'

async function showPeople(step: OrganizationStep, fault?: string): Promise<DashboardAnswer> {
  const { ask, org, organization } = step
  const listed = await ask<{ members: OrganizationMember[] }>({
    method: 'GET',
    url: MEMBERS,
    query: org,
  })
  const body = (
    <>
      <h1>People</h1>
      {renderFault(fault ?? listed.refused)}
      {listed.refused === undefined ? renderMembers(step, listed.body.members) : null}
      {hasOrganizationRight(organization.role, 'members') ? await renderInvitations(step) : null}
      {renderSection('rights', 'What each role may do', renderRights())}
    </>
  )
  return { status: fault === undefined ? 200 : 400, title: 'People', body }
}

function renderMembers(step: OrganizationStep, members: readonly OrganizationMember[]): Html {
  return renderTable({
    caption: 'People',
    columns: ['Person', 'Role', 'Joined', 'Change'],
    items: members,
    limit: 200,
    bytes: 40_000,
    empty: 'Nobody belongs to it.',
    render: member => [
      <>
        <bdi>{clipText(member.email ?? member.name ?? member.user_id, 120)}</bdi>
        {member.user_id === step.person.user_id ? ' (you)' : ''}
      </>,
      renderRole(step, member),
      renderMoment(member.joined_at),
      renderRemoval(step, member),
    ],
  })
}

/** Renders a role; for whoever may change it as a form. */
function renderRole(step: OrganizationStep, { user_id, email, role }: OrganizationMember): Child {
  const { organization, token } = step
  if (!hasOrganizationRight(organization.role, 'managers')) return role
  return (
    <form method="post" action={`${toPeople(step)}/role`} class="single">
      {renderToken(token)}
      <input type="hidden" name="user_id" value={user_id} />
      {renderRoleChoice(membershipRoles, role, `Role of ${email ?? user_id}`)}{' '}
      <button type="submit" class="plain">
        Change
      </button>
    </form>
  )
}

function renderRemoval(step: OrganizationStep, { user_id, role }: OrganizationMember): Child {
  const { organization, token, person } = step
  const isOneself = user_id === person.user_id
  if (!isOneself && !hasOrganizationRight(organization.role, getRightOverRole(role))) return ''
  const label = isOneself ? 'Leave' : 'Remove'
  return renderButton(`${toPeople(step)}/remove`, token, label, { user_id }, 'plain')
}

async function renderInvitations(step: OrganizationStep): Promise<Html> {
  const { ask, org, organization, token } = step
  const listed = await ask<Invitations>({ method: 'GET', url: INVITATIONS, query: org })
  const roles = membershipRoles.filter(role =>
    hasOrganizationRight(organization.role, getRightOverRole(role)),
  )
  return (
    <>
      {listed.refused !== undefined
        ? renderFault(listed.refused)
        : renderSection('invitations', 'Invitations', renderPending(step, listed.body.invitations))}
      <form method="post" action={`${toPeople(step)}/invite`} class="panel">
        <h2>Invite a person</h2>
        {renderToken(token)}
        <label for="email">E-mail address</label>
        <input id="email" name="email" type="email" required maxlength="254" autocomplete="off" />
        <label for="role">Role</label>
        {renderRoleChoice(roles, 'member')}
        <button type="submit">Invite</button>
      </form>
    </>
  )
}

function renderPending(step: OrganizationStep, invitations: Invitations['invitations']): Html {
  return renderTable({
    caption: 'Invitations',
    columns: ['Address', 'Role', 'Ends', 'Change'],
    items: invitations,
    limit: 100,
    bytes: 20_000,
    empty: 'Nobody is invited at the moment.',
    render: ({ id, email, role, expires_at }) => [
      <bdi>{clipText(email, 120)}</bdi>,
      role,
      renderMoment(expires_at),
      renderButton(`${toPeople(step)}/revoke`, step.token, 'Revoke', { id }, 'plain'),
    ],
  })
}

function renderRoleChoice(
  roles: readonly MembershipRole[],
  chosen: MembershipRole,
  label?: string,
): Html {
  return (
    <select name="role" id={label === undefined ? 'role' : undefined} aria-label={label}>
      {roles.map(role => (
        <option value={role} selected={role === chosen}>
          {role}
        </option>
      ))}
    </select>
  )
}

/** Renders what each role may do, from the table by which it is decided. */
function renderRights(): Html {
  return renderTable({
    caption: 'What each role may do',
    columns: ['Right', ...membershipRoles],
    items: Object.keys(organizationRights) as OrganizationRight[],
    empty: '',
    render: right => [
      organizationRights[right].text,
      ...membershipRoles.map(role => (hasOrganizationRight(role, right) ? 'yes' : '–')),
    ],
  })
}

async function createInvitation(step: OrganizationStep): Promise<DashboardAnswer> {
  const { ask, org, form, organization } = step
  const payload = { email: form.get('email') ?? '', role: form.get('role') ?? '' }
  const made = await ask<InvitationMade>({
    method: 'POST',
    url: INVITATIONS,
    query: org,
    payload,
  })
  if (made.refused !== undefined) return showPeople(step, made.refused)
  const { email, role, url, sent, expires_at } = made.body
  const body = (
    <>
      <h1>Invited</h1>
      <p class="lead">
        <bdi>{clipText(email, 120)}</bdi> can join as <strong>{role}</strong> until{' '}
        {renderMoment(expires_at)}.
      </p>
      <p class="notice fair">
        {sent
          ? 'The link was sent by mail.'
          : 'This registry sends no mail: pass the link on yourself.'}{' '}
        It is shown only here, works once, and only for this address.
      </p>
      <p>
        <label for="link">Link for {email}</label>
      </p>
      <input id="link" class="secret" value={url} readonly autocomplete="off" />
      <p>
        <a href={toSectionPath(organization.org_id, 'people')}>Back to the people</a>
      </p>
    </>
  )
  return { status: 201, title: 'Invited', body }
}

async function revokeInvitation(step: OrganizationStep): Promise<DashboardAnswer> {
  const { ask, org, form } = step
  const url = `${INVITATIONS}/${encodeURIComponent(form.get('id') ?? '')}`
  const { refused } = await ask({ method: 'DELETE', url, query: org })
  if (refused !== undefined) return showPeople(step, refused)
  return { next: toPeople(step), done: 'uninvited' }
}

async function changeRole(step: OrganizationStep): Promise<DashboardAnswer> {
  const { ask, org, form } = step
  const url = `${MEMBERS}/${encodeURIComponent(form.get('user_id') ?? '')}`
  const payload = { role: form.get('role') ?? '' }
  const { refused } = await ask({ method: 'PATCH', url, query: org, payload })
  if (refused !== undefined) return showPeople(step, refused)
  return { next: toPeople(step), done: 'role_changed' }
}

/** Removes a person; oneself is sent to the other organizations. */
async function removePerson(step: OrganizationStep): Promise<DashboardAnswer> {
  const { ask, org, form, person } = step
  const userId = form.get('user_id') ?? ''
  const url = `${MEMBERS}/${encodeURIComponent(userId)}`
  const { refused } = await ask({ method: 'DELETE', url, query: org })
  if (refused !== undefined) return showPeople(step, refused)
  if (userId === person.user_id) return { next: '/dashboard', done: 'left' }
  return { next: toPeople(step), done: 'person_removed' }
}

function toPeople({ organization }: OrganizationStep): string {
  return toSectionPath(organization.org_id, 'people')
}

export const peoplePlaces: readonly OrganizationPlace[] = [
  { method: 'GET', path: '/people', take: step => showPeople(step) },
  { method: 'POST', path: '/people/invite', take: createInvitation },
  { method: 'POST', path: '/people/revoke', take: revokeInvitation },
  { method: 'POST', path: '/people/role', take: changeRole },
  { method: 'POST', path: '/people/remove', take: removePerson },
]
