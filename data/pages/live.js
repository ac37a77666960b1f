/**
 * Renews a page while somebody looks at it: when the server tells that something was committed or
 * published, and now and then without that. What it sends is the same page, and 304 as long as nothing
 * changed: without this script, reloading does the same.
 */
const EVERY_MS = 4_000
/** While commits are told. */
const TOLD_EVERY_MS = 30_000
const SLOWEST_MS = 60_000
/** Commits of a moment are shown together. */
const TOGETHER_MS = 300
let wait = EVERY_MS
let timer
let stream
/** What the server sent last: other scripts may have added to it. */
let sent = document.querySelector('main')?.innerHTML

function plan(ms) {
  clearTimeout(timer)
  timer = setTimeout(renew, ms)
}

const isTold = () => stream?.readyState === EventSource.OPEN

async function renew() {
  try {
    if (document.hidden || document.querySelector('main :focus')) return
    const answer = await fetch(location.href, { headers: { accept: 'text/html' } })
    if (!answer.ok) throw new Error(`HTTP ${answer.status}`)
    const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const [from, to] = [fresh.querySelector('main'), document.querySelector('main')]
    if (from && to && from.innerHTML !== sent) {
      sent = from.innerHTML
      to.replaceChildren(...from.childNodes)
    }
    wait = isTold() ? TOLD_EVERY_MS : EVERY_MS
  } catch {
    wait = Math.min(2 * wait, SLOWEST_MS)
  } finally {
    plan(wait)
  }
}

/** Listens while the page is looked at: a browser has few connections to a server. */
function listen() {
  stream?.close()
  stream = undefined
  if (document.hidden) return
  stream = new EventSource('/changes/stream')
  stream.addEventListener('state', () => plan(TOGETHER_MS))
}

document.addEventListener('visibilitychange', listen)
listen()
plan(wait)
