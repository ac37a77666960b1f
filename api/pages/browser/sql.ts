import { renderResultChart, renderResultTable } from './render-result.ts'
import { type Result, ROWS_MAX, SnapshotDatabase } from './snapshot-database.ts'

/** Runs the page `/sql`: runs the query in the field, and shows the result below it. */

const FIRST_QUESTION = `-- Which tables are there?
select view_name as name, comment from duckdb_views()
where database_name = 'registry' and schema_name = 'main' and not internal
order by name`

const place = findElement<HTMLElement>(document, '[data-snapshot]')
place.innerHTML = `
  <form>
    <label for="sql">SQL query</label>
    <textarea id="sql" rows="8" spellcheck="false" autocomplete="off"></textarea>
    <p><button>Run</button> <span class="aside">or press Ctrl+Enter</span></p>
  </form>
  <p role="status"></p>
  <div class="views" hidden>
    <button type="button" value="table">Table</button>
    <button type="button" value="chart">Chart</button>
    <button type="button" value="csv">Download as CSV</button>
  </div>
  <div class="answer"></div>`
const form = findElement<HTMLFormElement>(place, 'form')
const field = findElement<HTMLTextAreaElement>(place, 'textarea')
const runButton = findElement<HTMLButtonElement>(form, 'button')
const status = findElement<HTMLElement>(place, '[role=status]')
const views = findElement<HTMLElement>(place, '.views')
const answer = findElement<HTMLElement>(place, '.answer')

const snapshot = {
  url: new URL(place.dataset.snapshot ?? '', location.href).href,
  bytes: Number(place.dataset.bytes),
}
const loaded = { bytes: 0, requests: 0 }
let opening: Promise<SnapshotDatabase> | undefined
let latest: { sql: string; result: Result } | undefined
/** The reader asked for another answer while one was under way. */
let isAskedAgain = false

/** Finds an element that the page always has. */
function findElement<Found extends Element>(parent: ParentNode, selector: string): Found {
  const found = parent.querySelector<Found>(selector)
  if (found === null) throw new Error(`the page has no ${selector}`)
  return found
}

function openDatabase(): Promise<SnapshotDatabase> {
  opening ??= SnapshotDatabase.open(snapshot.url, bytes => {
    loaded.bytes += bytes
    loaded.requests++
    if (latest) status.textContent = describeResult(latest.result)
  }).catch(error => {
    opening = undefined
    throw error
  })
  return opening
}

/** Asks the snapshot, or the one that is current now where it is no longer served. */
async function ask(sql: string): Promise<Result> {
  try {
    const database = await openDatabase()
    return await database.ask(sql)
  } catch (error) {
    if (!/\b404\b/.test(String(error))) throw error
    const { url, headers } = await fetch('/data/registry.duckdb', { method: 'HEAD' })
    Object.assign(snapshot, { url, bytes: Number(headers.get('content-length')) })
    Object.assign(loaded, { bytes: 0, requests: 0 })
    opening = undefined
    const database = await openDatabase()
    return database.ask(sql)
  }
}

async function run(): Promise<void> {
  if (runButton.disabled) {
    isAskedAgain = true
    return
  }
  const sql = field.value
  history.replaceState(null, '', buildLink(sql))
  status.textContent = opening ? 'Running …' : 'Loading DuckDB, about 7 MB, once …'
  runButton.disabled = true
  try {
    latest = { sql, result: await ask(sql) }
    showResult('table')
  } catch (error) {
    latest = undefined
    views.hidden = true
    answer.replaceChildren(renderFailure(error))
    status.textContent = 'DuckDB cannot answer this.'
  } finally {
    runButton.disabled = false
  }
  if (!isAskedAgain) return
  isAskedAgain = false
  await run()
}

function showResult(view: 'table' | 'chart'): void {
  if (latest === undefined) return
  const { result } = latest
  const chart = renderResultChart(result)
  answer.replaceChildren((view === 'chart' && chart) || renderResultTable(result))
  views.hidden = false
  for (const button of views.querySelectorAll('button')) {
    if (button.value === 'chart') button.disabled = chart === undefined
    if (button.value !== 'csv') button.setAttribute('aria-pressed', String(button.value === view))
  }
  status.textContent = describeResult(result)
}

function describeResult({ rows, isCut, ms }: Result): string {
  const count = isCut
    ? `The first ${ROWS_MAX} rows`
    : `${rows.length} ${rows.length === 1 ? 'row' : 'rows'}`
  const part = `${formatMegabytes(loaded.bytes)} of ${formatMegabytes(snapshot.bytes)}`
  return `${count} in ${Math.round(ms)} ms. Loaded ${part}, in ${loaded.requests} requests.`
}

function formatMegabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}

function renderFailure(error: unknown): HTMLElement {
  const text = document.createElement('pre')
  text.tabIndex = 0
  text.textContent = error instanceof Error ? error.message : String(error)
  return text
}

async function saveCsv(): Promise<void> {
  if (latest === undefined) return
  const database = await openDatabase()
  const bytes = await database.exportCsv(latest.sql)
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([bytes], { type: 'text/csv' }))
  link.download = 'registry.csv'
  link.click()
  URL.revokeObjectURL(link.href)
}

/** Builds the link to a question: the part of the address that no server sees. */
function buildLink(sql: string): string {
  return `#q=${encodeURIComponent(sql)}`
}

/** Reads the question of a link; undefined for any other one. */
function readQuestion({ hash }: { hash: string }): string | undefined {
  return new URLSearchParams(hash.slice(1)).get('q') ?? undefined
}

/** Puts the query of a shared link into the field; it runs when the reader starts it. */
function readSharedQuestion(): void {
  field.value = readQuestion(location) ?? field.value
}

form.addEventListener('submit', event => {
  event.preventDefault()
  void run()
})
field.addEventListener('keydown', event => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void run()
})
views.addEventListener('click', ({ target }) => {
  const { value } = target as HTMLButtonElement
  if (value === 'table' || value === 'chart') showResult(value)
  if (value === 'csv') void saveCsv()
})
for (const link of document.querySelectorAll<HTMLAnchorElement>('main a[href^="#q="]')) {
  link.addEventListener('click', event => {
    event.preventDefault()
    field.value = readQuestion(link) ?? ''
    place.scrollIntoView()
    void run()
  })
}
for (const link of document.querySelectorAll<HTMLAnchorElement>('main a[href^="/sql?table="]')) {
  link.addEventListener('click', () => {
    link.hash = buildLink(field.value)
  })
}
field.value = FIRST_QUESTION
readSharedQuestion()
addEventListener('hashchange', readSharedQuestion)
