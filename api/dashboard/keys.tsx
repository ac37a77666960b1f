import { keyPermissions } from '../../pipeline/core/roles.ts'
import type { ApiKey } from '../../pipeline/model/identity.ts'
import { Fragment, h } from '../pages/html/jsx.ts'
import { renderMoment, renderName } from '../pages/html/text.tsx'
import { renderTable } from '../pages/parts/blocks.tsx'
import {
  type DashboardAnswer,
  renderButton,
  renderFault,
  renderToken,
  toSectionPath,
} from './page.tsx'
import type { OrganizationPlace, OrganizationStep } from './step.ts'

const URL = '/api/me/api-keys'

async function showKeys(step: OrganizationStep, fault?: string): Promise<DashboardAnswer> {
  const { ask, org, organization, token } = step
  const listed = await ask<{ api_keys: ApiKey[] }>({ method: 'GET', url: URL, query: org })
  const at = toSectionPath(organization.org_id, 'keys')
  const body = (
    <>
      <h1>Keys</h1>
      <p class="lead">
        A key acts for the organization, without a person. Its secret is shown once, when it is
        made.
      </p>
      {renderFault(fault ?? listed.refused)}
      {listed.refused !== undefined
        ? null
        : renderTable({
            caption: 'Keys',
            columns: ['Name', 'Permissions', 'Made', 'Change'],
            items: listed.body.api_keys,
            limit: 200,
            bytes: 40_000,
            empty: 'There is no key yet.',
            render: ({ id, name, permissions, created_at }) => [
              renderName(name),
              permissions.length === 0 ? 'ordinary' : <code>{permissions.join(', ')}</code>,
              renderMoment(created_at),
              renderButton(`${at}/revoke`, token, 'Revoke', { id }, 'plain'),
            ],
          })}
      <form method="post" action={at} class="panel">
        <h2>Make a key</h2>
        {renderToken(token)}
        <label for="name">Name</label>
        <input id="name" name="name" required maxlength="200" autocomplete="off" />
        <label for="permission">Permissions</label>
        <select id="permission" name="permission">
          <option value="">Ordinary: no keys of others</option>
          {keyPermissions.map(permission => (
            <option value={permission}>{permission}</option>
          ))}
        </select>
        <button type="submit">Make the key</button>
      </form>
    </>
  )
  return { status: fault === undefined ? 200 : 400, title: 'Keys', body }
}

async function createKey(step: OrganizationStep): Promise<DashboardAnswer> {
  const { ask, org, form, organization } = step
  const permission = form.get('permission')
  const payload = { name: form.get('name') ?? '', permissions: permission ? [permission] : [] }
  const made = await ask<{ value: string; name: string }>({
    method: 'POST',
    url: URL,
    query: org,
    payload,
  })
  if (made.refused !== undefined) return showKeys(step, made.refused)
  const body = (
    <>
      <h1>Your new key</h1>
      <p class="notice fair">Copy it now: only its hash is stored, and nobody can show it again.</p>
      <p>
        <label for="secret">{renderName(made.body.name)}</label>
      </p>
      <input id="secret" class="secret" value={made.body.value} readonly autocomplete="off" />
      <p>
        <a href={toSectionPath(organization.org_id, 'keys')}>I have copied it</a>
      </p>
    </>
  )
  return { status: 201, title: 'Your new key', body }
}

async function revokeKey(step: OrganizationStep): Promise<DashboardAnswer> {
  const { ask, org, form, organization } = step
  const url = `${URL}/${encodeURIComponent(form.get('id') ?? '')}`
  const { refused } = await ask({ method: 'DELETE', url, query: org })
  if (refused !== undefined) return showKeys(step, refused)
  return { next: toSectionPath(organization.org_id, 'keys'), done: 'revoked' }
}

export const keyPlaces: readonly OrganizationPlace[] = [
  { method: 'GET', path: '/keys', take: step => showKeys(step) },
  { method: 'POST', path: '/keys', take: createKey },
  { method: 'POST', path: '/keys/revoke', take: revokeKey },
]
