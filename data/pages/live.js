/**
 * Renews a page while somebody looks at it. The server answers 304 as long as nothing changed, and
 * what it sends is the same page: without this script, reloading does the same.
 */
const EVERY_MS = 4_000
const SLOWEST_MS = 60_000
let wait = EVERY_MS

async function renew() {
  try {
    if (document.hidden || document.querySelector('main :focus')) return
    const answer = await fetch(location.href, { headers: { accept: 'text/html' } })
    if (!answer.ok) throw new Error(`HTTP ${answer.status}`)
    const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const [from, to] = [fresh.querySelector('main'), document.querySelector('main')]
    if (from && to && from.innerHTML !== to.innerHTML) to.replaceChildren(...from.childNodes)
    wait = EVERY_MS
  } catch {
    wait = Math.min(2 * wait, SLOWEST_MS)
  } finally {
    setTimeout(renew, wait)
  }
}

setTimeout(renew, wait)
