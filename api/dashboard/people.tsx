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
import { addArticle } from '../live/invitation-mail.ts'
import { type Child, Fragment, type Html, h } from '../pages/html/jsx.ts'
import { capitalize, clipText, renderExactMoment, renderMoment } from '../pages/html/text.tsx'
import { renderSection, renderTable } from '../pages/parts/blocks.tsx'
import { confirmFirst, SUBJECT } from './confirm.tsx'
import type { OrganizationRequest, OrganizationRoute } from './dashboard-request.ts'
import { findFormFault, type Refusal, renderField } from './field.tsx'
import {
  type DashboardAnswer,
  renderButton,
  renderFault,
  renderOnce,
  renderToken,
  toSectionPath,
} from './page.tsx'

const MEMBERS = '/api/me/organization/members'
const INVITATIONS = '/api/me/organization/invitations'

async function showPeople(
  context: OrganizationRequest,
  refusal: Refusal = {},
): Promise<DashboardAnswer> {
  const { callApi, org, organization } = context
  const listed = await callApi<{ members: OrganizationMember[] }>({
    method: 'GET',
    url: MEMBERS,
    query: org,
  })
  const body = (
    <>
      {renderFault(findFormFault(refusal, ['email']) ?? listed.refused)}
      {listed.refused === undefined ? renderMembers(context, listed.body.members) : null}
      {listed.refused === undefined ? renderSoleOwner(context, listed.body.members) : null}
      {hasOrganizationRight(organization.role, 'members')
        ? await renderInvitations(context, refusal)
        : null}
      {renderSection('rights', 'What each role can do', renderRights())}
    </>
  )
  return {
    status: refusal.refused === undefined ? 200 : 400,
    title: 'People',
    heading: 'People',
    body,
  }
}

function renderMembers(context: OrganizationRequest, members: readonly OrganizationMember[]): Html {
  const owners = members.filter(({ role }) => role === 'owner')
  return renderTable({
    caption: 'People',
    columns: ['Person', 'Role', 'Joined', 'Action'],
    items: members,
    limit: 200,
    bytes: 40_000,
    empty: 'The organization has no members.',
    render: member => {
      // An organization keeps an owner.
      const isFixed = owners.length === 1 && member.role === 'owner'
      return [
        <>
          <bdi>{clipText(member.email ?? member.name ?? member.user_id, 120)}</bdi>
          {member.user_id === context.person.user_id ? ' (you)' : ''}
        </>,
        isFixed ? 'owner (sole owner)' : renderRole(context, member),
        renderMoment(member.joined_at),
        isFixed ? '' : renderRemoval(context, member),
      ]
    },
  })
}

/** Tells the only owner how to leave: an organization keeps one. */
function renderSoleOwner(
  { organization, person }: OrganizationRequest,
  members: readonly OrganizationMember[],
): Child {
  const [owner, ...others] = members.filter(({ role }) => role === 'owner')
  if (owner?.user_id !== person.user_id || others.length > 0) return null
  return (
    <p class="quiet">
      You’re the only owner. To leave, make someone else an owner first, or{' '}
      <a href={toSectionPath(organization.org_id, 'settings')}>delete the organization</a>.
    </p>
  )
}

/** Renders a role, as a form if the reader may change it. */
function renderRole(
  context: OrganizationRequest,
  { user_id, email, role }: OrganizationMember,
): Child {
  const { organization, token } = context
  if (!hasOrganizationRight(organization.role, 'managers')) return role
  return (
    <form method="post" action={`${toPeople(context)}/role`} class="single">
      {renderToken(token)}
      <input type="hidden" name="user_id" value={user_id} />
      {renderRoleChoice(membershipRoles, role, `Role of ${email ?? user_id}`)}{' '}
      <button type="submit" class="plain">
        Change
      </button>
    </form>
  )
}

function renderRemoval(
  context: OrganizationRequest,
  { user_id, email, role }: OrganizationMember,
): Child {
  const { organization, token, person } = context
  const isOneself = user_id === person.user_id
  if (!isOneself && !hasOrganizationRight(organization.role, getRightOverRole(role))) return ''
  const label = isOneself ? 'Leave' : 'Remove'
  const subject = isOneself ? organization.org_name : (email ?? user_id)
  const fields = { user_id, [SUBJECT]: subject }
  return renderButton(`${toPeople(context)}/remove`, token, label, fields, 'plain')
}

async function renderInvitations(context: OrganizationRequest, refusal: Refusal): Promise<Html> {
  const { callApi, form, org, organization, token } = context
  const listed = await callApi<Invitations>({ method: 'GET', url: INVITATIONS, query: org })
  const roles = membershipRoles.filter(role =>
    hasOrganizationRight(organization.role, getRightOverRole(role)),
  )
  return (
    <>
      {listed.refused !== undefined
        ? renderFault(listed.refused)
        : renderSection(
            'invitations',
            'Invitations',
            renderPending(context, listed.body.invitations),
          )}
      <form method="post" action={`${toPeople(context)}/invite`} class="panel">
        <h2>Invite a person</h2>
        {renderOnce(token)}
        {renderField({
          name: 'email',
          label: 'Email address',
          refusal,
          type: 'email',
          value: form.get('email') ?? '',
          required: true,
          maxlength: '254',
          autocomplete: 'off',
        })}
        <label for="role">Role</label>
        {renderRoleChoice(roles, 'member')}
        <button type="submit">Invite</button>
      </form>
    </>
  )
}

function renderPending(
  context: OrganizationRequest,
  invitations: Invitations['invitations'],
): Html {
  return renderTable({
    caption: 'Invitations',
    columns: ['Email address', 'Role', 'Expires', 'Action'],
    items: invitations,
    limit: 100,
    bytes: 20_000,
    empty: 'No pending invitations.',
    render: ({ id, email, role, expires_at }) => [
      <bdi>{clipText(email, 120)}</bdi>,
      role,
      renderMoment(expires_at),
      renderButton(`${toPeople(context)}/revoke`, context.token, 'Revoke', { id }, 'plain'),
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
          {capitalize(role)}
        </option>
      ))}
    </select>
  )
}

/** Renders what each role may do, from the same table that decides it. */
function renderRights(): Html {
  return renderTable({
    caption: 'What each role can do',
    columns: ['Permission', ...membershipRoles.map(capitalize)],
    items: Object.keys(organizationRights) as OrganizationRight[],
    empty: '',
    isNarrow: true,
    render: right => [
      organizationRights[right].text,
      ...membershipRoles.map(role => (hasOrganizationRight(role, right) ? 'Yes' : '–')),
    ],
  })
}

async function createInvitation(context: OrganizationRequest): Promise<DashboardAnswer> {
  const { callApi, org, form, organization } = context
  const payload = { email: form.get('email') ?? '', role: form.get('role') ?? '' }
  const before = await callApi<Partial<Invitations>>({
    method: 'GET',
    url: INVITATIONS,
    query: org,
  })
  const made = await callApi<InvitationMade>({
    method: 'POST',
    url: INVITATIONS,
    query: org,
    payload,
  })
  if (made.refused !== undefined) return showPeople(context, made)
  const { email, role, url, sent, expires_at } = made.body
  const isAgain = before.body.invitations?.some(invitation => invitation.email === email)
  const body = (
    <>
      <h1>Invited</h1>
      <p class="lead">
        <bdi>{clipText(email, 120)}</bdi> can join as <strong>{addArticle(role)}</strong> until{' '}
        {renderExactMoment(expires_at)}.
      </p>
      <p class="notice fair">
        {sent ? 'The link was sent by email.' : 'No email was sent: share the link yourself.'} It’s
        shown only on this page and works once, for this address only.
        {isAgain ? ' The earlier link for this address no longer works.' : null}
      </p>
      <p>
        <label for="link">Link for {email}</label>
      </p>
      <input id="link" class="secret" value={url} readonly autocomplete="off" />
      <p>
        <a href={toSectionPath(organization.org_id, 'people')}>Back to People</a>
      </p>
    </>
  )
  return { status: 201, title: 'Invited', body }
}

async function revokeInvitation(context: OrganizationRequest): Promise<DashboardAnswer> {
  const { callApi, org, form } = context
  const url = `${INVITATIONS}/${encodeURIComponent(form.get('id') ?? '')}`
  const { refused } = await callApi({ method: 'DELETE', url, query: org })
  if (refused !== undefined) return showPeople(context, { refused })
  return { next: toPeople(context), done: 'uninvited' }
}

async function changeRole(context: OrganizationRequest): Promise<DashboardAnswer> {
  const { callApi, org, form } = context
  const url = `${MEMBERS}/${encodeURIComponent(form.get('user_id') ?? '')}`
  const payload = { role: form.get('role') ?? '' }
  const { refused } = await callApi({ method: 'PATCH', url, query: org, payload })
  if (refused !== undefined) return showPeople(context, { refused })
  return { next: toPeople(context), done: 'role_changed' }
}

const askAboutPerson = ({ form, person }: OrganizationRequest) =>
  form.get('user_id') === person.user_id
    ? { label: 'Leave', effect: 'To return, you need a new invitation.' }
    : {
        label: 'Remove',
        effect: 'They lose access at once. To return, they need a new invitation.',
      }

/** Removes a person. People who remove themselves go on to the list of their organizations. */
async function removePerson(context: OrganizationRequest): Promise<DashboardAnswer> {
  const { callApi, org, form, person } = context
  const userId = form.get('user_id') ?? ''
  const url = `${MEMBERS}/${encodeURIComponent(userId)}`
  const { refused } = await callApi({ method: 'DELETE', url, query: org })
  if (refused !== undefined) return showPeople(context, { refused })
  if (userId === person.user_id) return { next: '/dashboard', done: 'left' }
  return { next: toPeople(context), done: 'person_removed' }
}

function toPeople({ organization }: OrganizationRequest): string {
  return toSectionPath(organization.org_id, 'people')
}

export const peopleRoutes: readonly OrganizationRoute[] = [
  { method: 'GET', path: '/people', handle: context => showPeople(context) },
  { method: 'POST', path: '/people/invite', handle: createInvitation },
  { method: 'POST', path: '/people/revoke', handle: revokeInvitation },
  { method: 'POST', path: '/people/role', handle: changeRole },
  {
    method: 'POST',
    path: '/people/remove',
    right: 'read',
    handle: confirmFirst(askAboutPerson, removePerson),
  },
]
