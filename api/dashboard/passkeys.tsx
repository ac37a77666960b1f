import { listPasskeys } from '../../pipeline/read/lookups/people.ts'
import { renderPasskeyForm } from '../identity/passkey-form.tsx'
import { endPasskey } from '../identity/passkeys.ts'
import { Fragment, h } from '../pages/html/jsx.ts'
import { renderMoment, renderName } from '../pages/html/text.tsx'
import { renderTable } from '../pages/parts/blocks.tsx'
import { confirmFirst, SUBJECT } from './confirm.tsx'
import type { DashboardRequest, PersonRoute } from './dashboard-request.ts'
import { type DashboardAnswer, renderButton, renderFault, renderToken } from './page.tsx'

const PATH = '/dashboard/passkeys'

async function showPasskeys(context: DashboardRequest, fault?: string): Promise<DashboardAnswer> {
  const { services, person, token } = context
  const body = (
    <>
      <p class="lead">
        A passkey lets you sign in with your device instead of an emailed link. It works for this
        registry only.
      </p>
      {renderFault(fault)}
      {renderTable({
        caption: 'Passkeys',
        columns: ['Passkey', 'Created', 'Last used', 'Action'],
        items: listPasskeys(services.reader, person.user_id),
        empty: 'You have no passkeys.',
        render: ({ credential_id, label, created_at, used_at }) => [
          renderName(label, 80),
          renderMoment(created_at),
          renderMoment(used_at ?? undefined),
          renderButton(
            `${PATH}/remove`,
            token,
            'Remove',
            { id: credential_id, [SUBJECT]: label },
            'plain',
          ),
        ],
      })}
      {await renderNewForm(context)}
    </>
  )
  const status = fault === undefined ? 200 : 400
  return { status, title: 'Your passkeys', heading: 'Passkeys', body, hasPasskeys: true }
}

async function renderNewForm({ identity, services, person, sessionUid, token }: DashboardRequest) {
  const upstream = identity.getUpstream(services)
  if (upstream !== undefined)
    return <p>People sign in here with {upstream.name}, not with passkeys.</p>
  const options = await identity.getPasskeys(services)?.buildRegistration(person, sessionUid)
  if (options === undefined)
    return (
      <p>
        You can’t create a passkey here: browsers allow that only on localhost or a host name with
        TLS, and this registry is at <code>{services.baseUrl()}</code>.
      </p>
    )
  const fields = (
    <>
      <h2>Create a passkey</h2>
      {renderToken(token)}
      <label for="label">Device name</label>
      <input id="label" name="label" required maxlength="100" autocomplete="off" />
    </>
  )
  const button = <button type="submit">Create passkey</button>
  return (
    <>
      {renderPasskeyForm({
        action: PATH,
        ceremony: 'create',
        options,
        fields,
        button,
        className: 'panel',
      })}
      <p>Passkeys need JavaScript; email links always work.</p>
    </>
  )
}

async function registerPasskey(context: DashboardRequest): Promise<DashboardAnswer> {
  const { identity, services, person, sessionUid, form } = context
  const passkeys = identity.getPasskeys(services)
  const fault =
    passkeys === undefined
      ? 'this registry doesn’t accept passkeys'
      : await passkeys.register(person, sessionUid, {
          credential: form.get('credential') ?? '',
          label: form.get('label') ?? '',
        })
  return fault === undefined ? { next: PATH, done: 'passkey' } : showPasskeys(context, fault)
}

const askAboutPasskey = () => ({
  label: 'Remove',
  effect: 'You’ll no longer be able to sign in with this passkey. Email links always work.',
})

async function removePasskey(context: DashboardRequest): Promise<DashboardAnswer> {
  const { services, person, form } = context
  const fault = await endPasskey(services, person.user_id, form.get('id') ?? '')
  return fault === undefined
    ? { next: PATH, done: 'passkey_removed' }
    : showPasskeys(context, fault)
}

export const passkeyRoutes: readonly PersonRoute[] = [
  { method: 'GET', path: PATH, handle: context => showPasskeys(context) },
  { method: 'POST', path: PATH, handle: registerPasskey },
  { method: 'POST', path: `${PATH}/remove`, handle: confirmFirst(askAboutPasskey, removePasskey) },
]
