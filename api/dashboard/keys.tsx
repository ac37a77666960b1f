import { hasOrganizationRight, keyPermissions } from '../../pipeline/core/roles.ts'
import type { ApiKey } from '../../pipeline/model/identity.ts'
import { listKeyCreators, listKeys } from '../../pipeline/read/lookups/principals.ts'
import { Fragment, type Html, h } from '../pages/html/jsx.ts'
import { capitalize, renderMoment, renderName } from '../pages/html/text.tsx'
import { renderTable } from '../pages/parts/blocks.tsx'
import { toPlainWords } from '../pages/parts/plain-words.ts'
import { confirmFirst, SUBJECT } from './confirm.tsx'
import type { OrganizationRequest, OrganizationRoute } from './dashboard-request.ts'
import { findFormFault, type Refusal, renderField } from './field.tsx'
import {
  type DashboardAnswer,
  renderButton,
  renderFault,
  renderOnce,
  toSectionPath,
} from './page.tsx'

const URL = '/api/me/api-keys'

async function showKeys(
  context: OrganizationRequest,
  refusal: Refusal = {},
): Promise<DashboardAnswer> {
  const { callApi, org, organization, services, token } = context
  const listed = await callApi<{ api_keys: ApiKey[] }>({ method: 'GET', url: URL, query: org })
  const creators = listKeyCreators(services.reader, organization.org_id)
  const sectionPath = toSectionPath(organization.org_id, 'keys')
  const isManager = hasOrganizationRight(organization.role, 'keys')
  const body = (
    <>
      <p class="lead">
        A key lets a program act for the organization. Its secret is shown once, when the key is
        created.
      </p>
      {renderFault(findFormFault(refusal, ['name']) ?? listed.refused)}
      {listed.refused !== undefined
        ? null
        : renderTable({
            caption: 'Keys',
            columns: ['Name', 'Key', 'Permissions', 'Created by', 'Created', 'Action'],
            items: listed.body.api_keys,
            limit: 200,
            bytes: 40_000,
            empty: 'No active keys.',
            render: ({ id, prefix, name, permissions, created_at }) => [
              renderName(name),
              prefix === null ? '' : <code>{prefix}…</code>,
              permissions.length === 0 ? 'Standard' : permissions.map(toPlainWords).join('; '),
              renderName(creators.get(id) ?? 'operator', 100),
              renderMoment(created_at),
              isManager &&
                renderButton(
                  `${sectionPath}/revoke`,
                  token,
                  'Revoke',
                  { id, [SUBJECT]: prefix === null ? name : `${name} (${prefix}…)` },
                  'plain',
                ),
            ],
          })}
      {isManager ? (
        renderNewForm(context, sectionPath, refusal)
      ) : (
        <p class="quiet">Only owners and admins of an organization create and revoke its keys.</p>
      )}
    </>
  )
  return { status: refusal.refused === undefined ? 200 : 400, title: 'Keys', heading: 'Keys', body }
}

function renderNewForm(
  { form, token }: OrganizationRequest,
  sectionPath: string,
  refusal: Refusal,
): Html {
  return (
    <form method="post" action={sectionPath} class="panel">
      <h2>Create a key</h2>
      {renderOnce(token)}
      {renderField({
        name: 'name',
        label: 'Name',
        refusal,
        value: form.get('name') ?? '',
        required: true,
        maxlength: '200',
        autocomplete: 'off',
      })}
      <label for="permission">Permissions</label>
      <select id="permission" name="permission">
        <option value="">Standard</option>
        {keyPermissions.toReversed().map(permission => (
          <option value={permission} selected={permission === form.get('permission')}>
            {capitalize(toPlainWords(permission))}
          </option>
        ))}
      </select>
      <p class="hint">
        A standard key can edit hosted files, verify domains and add agents. A read-only key can’t
        change anything. Only a key with full access can create and revoke keys.
      </p>
      <button type="submit">Create key</button>
    </form>
  )
}

async function createKey(context: OrganizationRequest): Promise<DashboardAnswer> {
  const { callApi, org, form, organization, services } = context
  const permission = form.get('permission')
  const name = form.get('name')?.trim() ?? ''
  const isTaken = listKeys(services.reader, organization.org_id).some(key => key.label === name)
  if (isTaken && hasOrganizationRight(organization.role, 'keys')) {
    const refused = `There is already a key named “${name}”. Choose another name.`
    return showKeys(context, { refused, field: 'name' })
  }
  const payload = { name, permissions: permission ? [permission] : [] }
  const made = await callApi<{ value: string; name: string }>({
    method: 'POST',
    url: URL,
    query: org,
    payload,
  })
  if (made.refused !== undefined) return showKeys(context, made)
  const body = (
    <>
      <h1>Your new key</h1>
      <p class="notice fair">
        Copy it now. Only its hash and first characters are stored, so it can’t be shown again.
      </p>
      <p>
        <label for="secret">{renderName(made.body.name)}</label>
      </p>
      <input id="secret" class="secret" value={made.body.value} readonly autocomplete="off" />
      <p>
        Try it, or see what else it can do in the <a href="/docs">API reference</a>:
      </p>
      <pre>{`curl '${services.baseUrl()}/api/registry/feed?limit=1' \\
  -H 'authorization: Bearer ${made.body.value}'`}</pre>
      <p>
        <a href={toSectionPath(organization.org_id, 'keys')}>I have copied it</a>
      </p>
    </>
  )
  return { status: 201, title: 'Your new key', body }
}

const askAboutKey = () => ({
  label: 'Revoke',
  effect: 'Programs that use this key will lose access. You can’t undo this.',
})

async function revokeKey(context: OrganizationRequest): Promise<DashboardAnswer> {
  const { callApi, org, form, organization } = context
  const url = `${URL}/${encodeURIComponent(form.get('id') ?? '')}`
  const { refused } = await callApi({ method: 'DELETE', url, query: org })
  if (refused !== undefined) return showKeys(context, { refused })
  return { next: toSectionPath(organization.org_id, 'keys'), done: 'revoked' }
}

export const keyRoutes: readonly OrganizationRoute[] = [
  { method: 'GET', path: '/keys', handle: context => showKeys(context) },
  { method: 'POST', path: '/keys', handle: createKey },
  { method: 'POST', path: '/keys/revoke', handle: confirmFirst(askAboutKey, revokeKey) },
]
