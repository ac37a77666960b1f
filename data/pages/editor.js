/**
 * Checks a file while somebody types: it sends the form as its button would, and shows the same problem and result.
 * Without this script the button does it.
 */
const PAUSE_MS = 700
const form = document.querySelector('form.editor')
const text = form?.querySelector('textarea')
const upload = form?.querySelector('input[type=file]')
let pause
let asking

async function check() {
  asking?.abort()
  asking = new AbortController()
  try {
    const body = new FormData(form)
    const { signal } = asking
    const answer = await fetch(form.action, { method: 'POST', body, signal })
    const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html')
    showRefused(fresh)
    for (const part of ['#problem', '#result']) {
      const [from, to] = [fresh.querySelector(part), document.querySelector(part)]
      if (from && to) to.replaceChildren(...from.childNodes)
    }
  } catch {
    // The next key asks again.
  }
}

/** Shows why nothing was checked, which is a page of its own without this script. */
function showRefused(fresh) {
  const why = fresh.querySelector('.problem .lead')
  if (!why) return
  why.className = 'notice bad'
  why.setAttribute('role', 'alert')
  document.querySelector('#problem').replaceChildren(why)
  document.querySelector('#result').replaceChildren()
}

/** Selects a line in the text and scrolls it into view. */
function select(line) {
  const lines = text.value.split('\n')
  const start = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0)
  text.focus()
  text.setSelectionRange(start, start + (lines[line - 1] ?? '').length)
  const height = Number.parseFloat(getComputedStyle(text).lineHeight)
  text.scrollTop = Math.max(0, (line - 4) * height)
}

text?.addEventListener('input', () => {
  upload.value = ''
  clearTimeout(pause)
  pause = setTimeout(check, PAUSE_MS)
})

document.querySelector('#result')?.addEventListener('click', event => {
  const line = event.target.closest?.('a[data-line]')?.dataset.line
  if (line === undefined) return
  event.preventDefault()
  select(Number(line))
})

upload?.addEventListener('change', async () => {
  const [file] = upload.files
  if (!file) return
  try {
    text.value = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer())
    upload.value = ''
  } catch {
    // In another encoding its bytes are sent, so that they are checked as they are.
    text.value = ''
  }
  check()
})
