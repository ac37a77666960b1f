import { isFreeMail } from '../../pipeline/core/free-mail.ts'
import type { Person } from '../../pipeline/model/accounts/person.ts'
import type { Membership } from '../../pipeline/model/identity.ts'
import { listMemberships } from '../../pipeline/read/lookups/principals.ts'
import { Fragment, type Html, h } from '../pages/html/jsx.ts'
import { canEdit, type DashboardRequest, type OrganizationRequest } from './dashboard-request.ts'
import { type Refusal, renderField } from './field.tsx'
import { renderHidden } from './page.tsx'

/** Field with the name of an organization that is created along with what its form does. */
export const NEW_NAME = 'organization_name'

/**
 * Renders the fields by which a form names the organization that it acts for: a choice, or the name of a
 * first one for people who have none.
 */
export function renderOrganizationField(
  { memberships, person, form }: DashboardRequest,
  refusal: Refusal | undefined,
  chosen: string | null = form.get('org'),
): Html {
  const editors = memberships.filter(canEdit)
  if (editors.length > 0) {
    return (
      <>
        <label for="org">Organization</label>
        <select id="org" name="org">
          {editors.map(({ org_id, org_name }) => (
            <option value={org_id} selected={org_id === chosen}>
              {org_name}
            </option>
          ))}
        </select>
      </>
    )
  }
  const isWorkspace = offersWorkspace(form, refusal)
  return (
    <>
      {renderField({
        name: NEW_NAME,
        label: 'Name of your organization',
        refusal,
        hint: `This form creates it, with you as its owner.${isWorkspace ? ` ${WORKSPACE_NOTE}` : ''}`,
        value: form.get(NEW_NAME) ?? deriveName(person),
        required: true,
        maxlength: '200',
        autocomplete: 'organization',
      })}
      {isWorkspace ? renderHidden({ [WORKSPACE]: 'yes' }) : null}
    </>
  )
}

/** Field of a form that creates a workspace, which does without the domain of the person’s email address. */
export const WORKSPACE = 'workspace'
export const WORKSPACE_NOTE = 'It can verify every domain that you control.'

/** Tells whether a form creates a workspace: where others have the domain of the person’s email address, nothing else is left. */
export function offersWorkspace(form: URLSearchParams, refusal: Refusal | undefined): boolean {
  return refusal?.holder !== undefined || form.has(WORKSPACE)
}

/** Chooses the organization of a form, or creates the one that it names; else says why neither is possible. */
export async function chooseOrganization(
  context: DashboardRequest,
): Promise<OrganizationRequest | { refusal: Refusal }> {
  const { memberships, form } = context
  const chosen = memberships.find(({ org_id }) => org_id === form.get('org'))
  if (chosen !== undefined) return addOrganization(context, chosen)
  const name = form.get(NEW_NAME)
  if (name === null || memberships.length > 0) {
    return { refusal: { refused: 'You aren’t a member of this organization.' } }
  }
  const made = await createOrganization(context, name)
  if ('refusal' in made) return made
  const founded = listMemberships(context.services.reader, context.person.user_id)
  const own = founded.find(({ org_id }) => org_id === made.org_id)
  if (own === undefined)
    return { refusal: { refused: 'The organization is being created. Submit the form again.' } }
  return addOrganization({ ...context, memberships: founded }, own)
}

/**
 * Creates an organization of the person. An address at a provider of free mail identifies no company, so it
 * makes a personal one, and so does whoever chooses that.
 */
export async function createOrganization(
  { callApi, form, memberships, person }: DashboardRequest,
  name: string,
  more: { company_type?: string } = {},
): Promise<{ org_id: string } | { refusal: Refusal }> {
  const is_personal = form.has(WORKSPACE) || isFreeMail(findMailDomain(person) ?? '')
  const payload = { organization_name: name, ...(is_personal && { is_personal }), ...more }
  const url = '/api/organizations'
  const founded = await callApi<Founded>({ method: 'POST', url, payload })
  const { refused, field, body } = founded
  if (refused === undefined) return { org_id: body.organization.id }
  const isOwn = memberships.some(({ org_id }) => org_id === body.existing_org_id)
  return { refusal: { refused, field, holder: isOwn ? undefined : body.existing_org_name } }
}

/** Body of the answer to a founding: the new organization, or the one that exists already. */
interface Founded {
  organization: { id: string }
  existing_org_id?: string
  existing_org_name?: string
}

function addOrganization(context: DashboardRequest, organization: Membership): OrganizationRequest {
  return { ...context, organization, org: { org: organization.org_id } }
}

function deriveName(person: Person): string {
  const domain = findMailDomain(person)
  return domain === undefined || isFreeMail(domain) ? '' : domain
}

function findMailDomain({ email }: Person): string | undefined {
  return email?.split('@').at(-1)
}
