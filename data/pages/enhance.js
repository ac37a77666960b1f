/**
 * Adds comforts to a page that is complete without them: buttons that copy code and tokens, times as
 * "3 hours ago", with the exact one as their title, and a form that is sent because a link asked for that.
 */
const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]
/** Days for which a time is shown as its distance from now; older ones stay dates. */
const RECENT_DAYS = 14
const RENEW_MS = 30_000
const COPIED_MS = 1_500
const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

function describe(time) {
  const seconds = (time - Date.now()) / 1_000
  if (Math.abs(seconds) > RECENT_DAYS * 86_400) return undefined
  const [unit, size] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? []
  if (unit === undefined) return seconds > 0 ? 'in a moment' : 'just now'
  // What ends in almost a week is not said to end a day earlier.
  return words.format(seconds > 0 ? Math.round(seconds / size) : Math.trunc(seconds / size), unit)
}

function showTimes() {
  for (const element of document.querySelectorAll('main time[datetime]:not(.exact)')) {
    const exact = element.title || element.textContent
    const text = describe(Date.parse(element.dateTime)) ?? exact
    if (element.textContent === text) continue
    element.title = exact
    element.textContent = text
  }
}

function addCopyButtons() {
  if (navigator.clipboard === undefined) return
  for (const source of document.querySelectorAll('main pre, main .secret, main code.copied')) {
    if (source.parentElement.classList.contains('copies')) continue
    const frame = document.createElement(source.tagName === 'CODE' ? 'span' : 'div')
    const button = document.createElement('button')
    frame.className = 'copies'
    button.type = 'button'
    button.className = 'copy'
    button.textContent = 'Copy'
    button.setAttribute('aria-live', 'polite')
    source.replaceWith(frame)
    frame.append(source, button)
  }
}

document.addEventListener('click', async event => {
  const button = event.target.closest?.('button.copy')
  if (!button) return
  const source = button.previousElementSibling
  try {
    await navigator.clipboard.writeText(source.value ?? source.textContent)
    button.textContent = 'Copied'
  } catch {
    button.textContent = 'Select it and press Ctrl-C'
  }
  setTimeout(() => {
    button.textContent = 'Copy'
  }, COPIED_MS)
})

function enhance() {
  showTimes()
  addCopyButtons()
}

enhance()
setInterval(showTimes, RENEW_MS)
// A live page replaces its content.
const main = document.querySelector('main')
if (main) new MutationObserver(enhance).observe(main, { childList: true })
document.querySelector('form[data-send]')?.requestSubmit()
