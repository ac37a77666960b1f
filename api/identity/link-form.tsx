import type { MailPlace } from '../../pipeline/core/mail-place.ts'
import { type Html, h } from '../pages/html/jsx.ts'

/** Tells people whom no link can reach; those with a passkey can still sign in. */
export const NO_LINKS = 'This registry can’t send email yet, so it has no way to send you a link.'

/** Renders the form in which a person asks for a link, or says that this registry can send none. */
export function renderLinkForm(
  uid: string,
  {
    fault,
    email,
    place,
  }: { fault?: string | undefined; email?: string | undefined; place: MailPlace | undefined },
): Html {
  if (place === undefined) return <p role="alert">{NO_LINKS} Please tell its operator.</p>
  return (
    <form method="post" action={`/sign-in/${uid}/link`}>
      <label for="email">Email address</label>
      <input
        id="email"
        name="email"
        type="email"
        value={email}
        required
        maxlength="254"
        autocomplete="username webauthn"
        {...(fault !== undefined && { 'aria-describedby': 'fault', 'aria-invalid': 'true' })}
      />
      {fault === undefined ? null : (
        <p id="fault" class="fault" role="alert">
          {fault}
        </p>
      )}
      <p class="hint">
        {place === 'mail'
          ? 'You’ll get a link by email.'
          : 'This registry has no mail server: the link appears in its terminal.'}{' '}
        You don’t need a password or an account.
      </p>
      <button type="submit">{place === 'mail' ? 'Send me a link' : 'Get a link'}</button>
    </form>
  )
}
