import { type Child, type Html, h } from '../pages/html/jsx.ts'

interface PasskeyForm {
  action: string
  /** `create` registers a new passkey, `get` signs in with an existing one (WebAuthn's own words). */
  ceremony: 'create' | 'get'
  /** Options for the authenticator, as JSON. */
  options: string
  /** Fields that are sent along with the credential. */
  fields?: Child
  button: Html
  className?: 'panel'
}

/**
 * Renders the form of a passkey. It stays hidden until its script (`data/pages/passkeys.js`) finds that the
 * browser supports passkeys.
 */
export function renderPasskeyForm({
  action,
  ceremony,
  options,
  className,
  ...content
}: PasskeyForm): Html {
  return (
    <form
      method="post"
      action={action}
      class={className}
      data-passkey={ceremony}
      data-options={options}
      hidden
    >
      {content.fields}
      <input type="hidden" name="credential" />
      <p class="fault" role="alert" hidden>
        The passkey wasn’t used. Please try again.
      </p>
      {content.button}
    </form>
  )
}
