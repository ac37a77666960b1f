import { countThings } from '../../pipeline/core/counts.ts'
import { getFirst } from '../../pipeline/core/present.ts'
import { companyTypes } from '../../pipeline/model/accounts/organization.ts'
import type { Membership } from '../../pipeline/model/identity.ts'
import { findDraft, PUBLISH_PATH } from '../pages/draft.ts'
import { type Child, Fragment, type Html, h } from '../pages/html/jsx.ts'
import { renderMoment, renderName } from '../pages/html/text.tsx'
import { renderTable } from '../pages/parts/blocks.tsx'
import { canEdit, type DashboardRequest, type PersonRoute } from './dashboard-request.ts'
import { renderAccountDeletion } from './delete-account.tsx'
import { listDomains, renderDomainFiles } from './domain-files.tsx'
import { renderEndingProofs } from './ending-proofs.tsx'
import { findFormFault, type Refusal, renderField } from './field.tsx'
import { renderOwnInvitations } from './join.tsx'
import { describeMembership, isMember, MEMBERSHIP, renderJoin } from './membership.tsx'
import {
  createOrganization,
  NEW_NAME,
  offersWorkspace,
  WORKSPACE,
  WORKSPACE_NOTE,
} from './own-organization.tsx'
import {
  type DashboardAnswer,
  renderButton,
  renderFault,
  renderHidden,
  renderToken,
  toSectionPath,
} from './page.tsx'

async function showOrganizations(
  context: DashboardRequest,
  refusal: Refusal = {},
): Promise<DashboardAnswer> {
  const { holder } = refusal
  const { form, memberships, person, services, token } = context
  const draft = await findDraft(context.request.headers.cookie, services)
  const outside = memberships.filter(own => canEdit(own) && !isMember(services, own))
  const body = (
    <>
      {renderFault(findFormFault(refusal, ['name']))}
      {renderOwnInvitations(context)}
      {renderEndingProofs(context)}
      {draft === undefined ? null : (
        <div class="notice">
          <p>
            Your draft {draft.kind}
            {draft.domain === '' ? null : <> for {renderName(draft.domain)}</>} isn’t published yet:{' '}
            <a href={PUBLISH_PATH}>continue</a>.
          </p>
          {renderButton(PUBLISH_PATH, token, 'Discard', { do: 'discard' }, 'plain')}
        </div>
      )}
      {renderTable({
        caption: 'Organizations',
        columns: ['Organization', 'Your role', 'Registry membership'],
        items: memberships,
        empty:
          holder === undefined
            ? 'You don’t belong to an organization yet. Create one below, or ask a colleague to invite you at the address you signed in with.'
            : `You don’t belong to an organization yet. Once an owner of ${holder} has invited ${person.email}, you can join it here.`,
        render: organization => [
          <a href={toSectionPath(organization.org_id, 'domains')}>
            {renderName(organization.org_name)}
          </a>,
          organization.role,
          outside.includes(organization)
            ? renderJoin(organization, token)
            : describeMembership(services, organization),
        ],
      })}
      {outside.length === 0 ? null : <p class="quiet">{MEMBERSHIP}</p>}
      {memberships.length === 1 ? await renderOnly(context, getFirst(memberships)) : null}
      {renderNewForm(form, token, { refusal, isFirst: memberships.length === 0 })}
      {renderAccountDeletion(context)}
    </>
  )
  const status = refusal.refused === undefined ? 200 : 400
  return { status, title: 'Your organizations', heading: 'Organizations', body }
}

/** Renders the domains of the only organization of a person. */
async function renderOnly(context: DashboardRequest, { org_id }: Membership): Promise<Child> {
  const { body, refused } = await listDomains(context, org_id)
  return refused === undefined ? renderDomainFiles(context, body) : null
}

function renderNewForm(
  form: URLSearchParams,
  token: string,
  { refusal, isFirst }: { refusal: Refusal; isFirst: boolean },
): Html {
  const isWorkspace = offersWorkspace(form, refusal)
  return (
    <form method="post" action="/dashboard/organizations" class="panel">
      <h2>
        {isWorkspace
          ? 'Create a separate organization'
          : `Create ${isFirst ? 'an' : 'another'} organization`}
      </h2>
      {isWorkspace ? renderHidden({ [WORKSPACE]: 'yes' }) : null}
      {renderToken(token)}
      {renderField({
        name: 'name',
        label: 'Name',
        refusal,
        ...(isWorkspace && { hint: WORKSPACE_NOTE }),
        value: form.get('name') ?? '',
        required: true,
        maxlength: '200',
        autocomplete: 'organization',
      })}
      <label for="company-type">Type of company</label>
      <select id="company-type" name="company_type">
        <option value="">Prefer not to say</option>
        {companyTypes.map(type => (
          <option value={type} selected={type === form.get('company_type')}>
            {companyTypeNames[type]}
          </option>
        ))}
      </select>
      <button type="submit" class={isFirst ? undefined : 'plain'}>
        Create organization
      </button>
    </form>
  )
}

/** Names of the types of companies, for people. */
const companyTypeNames: Readonly<Record<(typeof companyTypes)[number], string>> = {
  adtech: 'Ad tech',
  agency: 'Agency',
  brand: 'Brand',
  publisher: 'Publisher',
  data: 'Data',
  ai: 'AI',
  other: 'Other',
}

async function create(context: DashboardRequest): Promise<DashboardAnswer> {
  const { form } = context
  const company_type = form.get('company_type')
  const made = await createOrganization(
    context,
    form.get('name') ?? '',
    company_type ? { company_type } : {},
  )
  if ('refusal' in made) {
    const { refusal } = made
    const field = refusal.field === NEW_NAME ? 'name' : refusal.field
    return showOrganizations(context, { ...refusal, field })
  }
  return { next: toSectionPath(made.org_id, 'domains'), done: 'organization' }
}

async function showAccess(context: DashboardRequest, fault?: string): Promise<DashboardAnswer> {
  const { identity, services, person, token } = context
  const grants = await identity.listAccess(services, person.user_id)
  const body = (
    <>
      <p class="lead">
        Applications that may act here on your behalf, with your permissions. After you revoke
        access, an application’s last token may work for up to{' '}
        {countThings(services.config.LIMITS.accessTokenMinutes, 'minute')}.
      </p>
      <p>
        Your ID in this registry is <code>{person.user_id}</code>.
      </p>
      {renderFault(fault)}
      {renderTable({
        caption: 'Applications',
        columns: ['Application', 'Expires', 'Action'],
        items: grants,
        empty: 'No applications have access.',
        render: ({ id, name, until }) => [
          renderName(name, 80),
          renderMoment(until),
          renderButton('/dashboard/access/end', token, 'Revoke access', { grant: id }, 'plain'),
        ],
      })}
    </>
  )
  return {
    status: fault === undefined ? 200 : 404,
    title: 'Applications',
    heading: 'Applications',
    body,
  }
}

async function endAccess(context: DashboardRequest): Promise<DashboardAnswer> {
  const { identity, services, person, form } = context
  const hasEnded = await identity.endAccess(services, person.user_id, form.get('grant') ?? '')
  return hasEnded
    ? { next: '/dashboard/access', done: 'ended' }
    : showAccess(context, 'This application has no access.')
}

/** Routes of a person that concern no single organization. */
export const personRoutes: readonly PersonRoute[] = [
  { method: 'GET', path: '/dashboard', handle: context => showOrganizations(context) },
  { method: 'POST', path: '/dashboard/organizations', handle: create },
  { method: 'GET', path: '/dashboard/access', handle: context => showAccess(context) },
  { method: 'POST', path: '/dashboard/access/end', handle: endAccess },
]
