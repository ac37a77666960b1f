/**
 * Makes a passkey, or signs in with one, and sends the answer of the authenticator with the form that asks for
 * it. Without this script the form stays hidden, and people sign in by the link.
 */
const isAble = typeof window.PublicKeyCredential?.parseRequestOptionsFromJSON === 'function'

async function ask(form) {
  const options = JSON.parse(form.dataset.options)
  if (form.dataset.passkey === 'create') {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
    return navigator.credentials.create({ publicKey })
  }
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
  return navigator.credentials.get({ publicKey })
}

for (const form of isAble ? document.querySelectorAll('form[data-passkey]') : []) {
  const fault = form.querySelector('[role=alert]')
  form.hidden = false
  form.addEventListener('submit', async event => {
    event.preventDefault()
    fault.hidden = true
    try {
      form.elements.credential.value = JSON.stringify(await ask(form))
      form.submit()
    } catch {
      fault.hidden = false
    }
  })
}
