import { type Child, type Html, h } from '../pages/html/jsx.ts'

interface PasskeyForm {
  action: string
  /** `create` for a new passkey, `get` for one that signs in. */
  asks: 'create' | 'get'
  /** Options for the authenticator, as JSON. */
  options: string
  /** Fields that are sent with its answer. */
  fields?: Child
  button: Html
  look?: 'panel'
}

/** Renders the form of a passkey. It is hidden until its script (`data/pages/passkeys.js`) finds a browser that can do it. */
export function renderPasskeyForm({ action, asks, options, look, ...content }: PasskeyForm): Html {
  return (
    <form
      method="post"
      action={action}
      class={look}
      data-passkey={asks}
      data-options={options}
      hidden
    >
      {content.fields}
      <input type="hidden" name="credential" />
      <p class="fault" role="alert" hidden>
        The passkey was not used. Try once more.
      </p>
      {content.button}
    </form>
  )
}
