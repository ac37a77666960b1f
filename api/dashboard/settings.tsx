import { hasOrganizationRight } from '../../pipeline/core/roles.ts'
import { listOrganizationBelongings } from '../../pipeline/read/lookups/organizations.ts'
import { Fragment, type Html, h } from '../pages/html/jsx.ts'
import { clipText, joinWords } from '../pages/html/text.tsx'
import { renderSection } from '../pages/parts/blocks.tsx'
import { confirmFirst, SUBJECT } from './confirm.tsx'
import type { OrganizationRequest, OrganizationRoute } from './dashboard-request.ts'
import { listFormerHosted } from './domain-rights.ts'
import { findFormFault, type Refusal, renderField } from './field.tsx'
import {
  type DashboardAnswer,
  renderButton,
  renderFault,
  renderToken,
  toSectionPath,
} from './page.tsx'

/** Domains that the question before a deletion names. */
const NAMED_MAX = 3

function showSettings(context: OrganizationRequest, refusal: Refusal = {}): DashboardAnswer {
  const { organization } = context
  const body = (
    <>
      {renderFault(findFormFault(refusal, ['name']))}
      <p>
        Organization ID: <code>{organization.org_id}</code>
      </p>
      {hasOrganizationRight(organization.role, 'name') ? (
        renderNameForm(context, refusal)
      ) : (
        <p class="quiet">Only owners and admins can rename the organization.</p>
      )}
      {renderSection('delete', 'Delete the organization', renderDeletion(context))}
    </>
  )
  return {
    status: refusal.refused === undefined ? 200 : 400,
    title: 'Settings',
    heading: 'Settings',
    body,
  }
}

function renderNameForm(
  { form, organization, token }: OrganizationRequest,
  refusal: Refusal,
): Html {
  return (
    <form method="post" action={toSectionPath(organization.org_id, 'settings')} class="panel">
      <h2>Rename the organization</h2>
      {renderToken(token)}
      {renderField({
        name: 'name',
        label: 'Name',
        refusal,
        hint: 'The history of hosted files will show the new name, even for earlier changes.',
        value: form.get('name') ?? organization.org_name,
        required: true,
        maxlength: '200',
        autocomplete: 'organization',
      })}
      <button type="submit">Rename</button>
    </form>
  )
}

function renderDeletion({ organization, services, token }: OrganizationRequest): Html {
  const { org_id, org_name, role } = organization
  const people = <a href={toSectionPath(org_id, 'people')}>People</a>
  if (!hasOrganizationRight(role, 'deletion')) {
    return (
      <p class="quiet">Only owners can delete the organization. You can leave it under {people}.</p>
    )
  }
  const left = listOrganizationBelongings(services.reader, org_id)
  return (
    <>
      {left.length === 0 ? null : (
        <p class="notice fair">
          Remove these first:{' '}
          {left.map(({ kind, text }, index) => [
            index === 0 ? '' : '; ',
            <a href={toSectionPath(org_id, `${kind}s`)}>{clipText(text, 300)}</a>,
          ])}
          .
        </p>
      )}
      <p>
        Everyone loses access, and all keys stop working. Remove your domains first to choose
        whether hosted files stay online. To leave the organization without deleting it, make
        someone else an owner under {people}.
      </p>
      {left.length > 0
        ? null
        : renderButton(
            `${toSectionPath(org_id, 'settings')}/delete`,
            token,
            'Delete organization',
            { [SUBJECT]: org_name },
            'plain',
          )}
    </>
  )
}

const toUrl = ({ organization: { org_id } }: OrganizationRequest) =>
  `/api/organizations/${encodeURIComponent(org_id)}`

async function rename(context: OrganizationRequest): Promise<DashboardAnswer> {
  const { callApi, form, organization } = context
  const payload = { name: form.get('name') ?? '' }
  const renamed = await callApi({ method: 'PATCH', url: toUrl(context), payload })
  if (renamed.refused !== undefined) return showSettings(context, renamed)
  return { next: toSectionPath(organization.org_id, 'settings'), done: 'renamed' }
}

/** Asks, and names the files that nobody of the organization can change afterwards. */
function askAboutOrganization(context: OrganizationRequest) {
  const domains = listFormerHosted(context)
  const more = domains.length > NAMED_MAX ? ['others'] : []
  const files =
    domains.length === 0
      ? ''
      : ` Files stay online for ${joinWords([...domains.slice(0, NAMED_MAX), ...more])}. To take one offline, first verify its domain again and stop hosting it.`
  const effect = `Everyone loses access, and all keys stop working.${files} You can’t undo this.`
  return { label: 'Delete', effect }
}

async function deleteOrganization(context: OrganizationRequest): Promise<DashboardAnswer> {
  const { refused } = await context.callApi({ method: 'DELETE', url: toUrl(context) })
  if (refused !== undefined) return showSettings(context, { refused })
  return { next: '/dashboard', done: 'organization_deleted' }
}

export const settingsRoutes: readonly OrganizationRoute[] = [
  { method: 'GET', path: '/settings', handle: context => showSettings(context) },
  { method: 'POST', path: '/settings', handle: rename },
  {
    method: 'POST',
    path: '/settings/delete',
    handle: confirmFirst(askAboutOrganization, deleteOrganization),
  },
]
