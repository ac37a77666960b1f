import { listPasskeys } from '../../pipeline/read/lookups/people.ts'
import { renderPasskeyForm } from '../identity/passkey-form.tsx'
import { endPasskey } from '../identity/passkeys.ts'
import { Fragment, h } from '../pages/html/jsx.ts'
import { renderMoment, renderName } from '../pages/html/text.tsx'
import { renderTable } from '../pages/parts/blocks.tsx'
import { type DashboardAnswer, renderButton, renderFault, renderToken } from './page.tsx'
import type { PersonPlace, Step } from './step.ts'

const PATH = '/dashboard/passkeys'

async function showPasskeys(step: Step, fault?: string): Promise<DashboardAnswer> {
  const { services, person, token } = step
  const body = (
    <>
      <h1>Passkeys</h1>
      <p class="lead">
        With a passkey you sign in by your device, without a mail. It counts for this registry
        alone.
      </p>
      {renderFault(fault)}
      {renderTable({
        caption: 'Passkeys',
        columns: ['Passkey', 'Made', 'Last used', 'Change'],
        items: listPasskeys(services.reader, person.user_id),
        empty: 'You have no passkey.',
        render: ({ credential_id, label, created_at, used_at }) => [
          renderName(label, 80),
          renderMoment(created_at),
          renderMoment(used_at ?? undefined),
          renderButton(`${PATH}/remove`, token, 'Remove it', { id: credential_id }, 'plain'),
        ],
      })}
      {await renderNewForm(step)}
    </>
  )
  const status = fault === undefined ? 200 : 400
  return { status, title: 'Your passkeys', body, hasPasskeys: true }
}

async function renderNewForm({ identity, services, person, sessionUid, token }: Step) {
  const upstream = identity.getUpstream(services)
  if (upstream !== undefined) return <p>People sign in at {upstream.name} here, not by passkeys.</p>
  const options = await identity.getPasskeys(services)?.buildRegistration(person, sessionUid)
  if (options === undefined)
    return <p>Browsers make passkeys only for an address with a name and TLS.</p>
  const fields = (
    <>
      <h2>Make a passkey</h2>
      {renderToken(token)}
      <label for="label">Name of the device</label>
      <input id="label" name="label" required maxlength="100" autocomplete="off" />
    </>
  )
  const button = <button type="submit">Make it</button>
  return (
    <>
      {renderPasskeyForm({ action: PATH, asks: 'create', options, fields, button, look: 'panel' })}
      <p>A browser makes passkeys with JavaScript only; the link by mail always works.</p>
    </>
  )
}

async function registerPasskey(step: Step): Promise<DashboardAnswer> {
  const { identity, services, person, sessionUid, form } = step
  const passkeys = identity.getPasskeys(services)
  const fault =
    passkeys === undefined
      ? 'this registry takes no passkeys'
      : await passkeys.register(person, sessionUid, {
          credential: form.get('credential') ?? '',
          label: form.get('label') ?? '',
        })
  return fault === undefined ? { next: PATH, done: 'passkey' } : showPasskeys(step, fault)
}

async function removePasskey(step: Step): Promise<DashboardAnswer> {
  const { services, person, form } = step
  const fault = await endPasskey(services, person.user_id, form.get('id') ?? '')
  return fault === undefined ? { next: PATH, done: 'passkey_removed' } : showPasskeys(step, fault)
}

export const passkeyPlaces: readonly PersonPlace[] = [
  { method: 'GET', path: PATH, take: step => showPasskeys(step) },
  { method: 'POST', path: PATH, take: registerPasskey },
  { method: 'POST', path: `${PATH}/remove`, take: removePasskey },
]
