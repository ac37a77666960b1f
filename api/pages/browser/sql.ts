import { renderResultChart, renderResultTable } from './render-result.ts'
import { Refusal, type Result, ROWS_MAX, SnapshotDatabase } from './snapshot-database.ts'

/** Runs the page `/sql`: runs the query in the field, and shows the result below it. */

const FIRST_QUESTION = `-- Which tables are there?
select view_name as name, comment from duckdb_views()
where database_name = 'registry' and schema_name = 'main' and not internal
order by name`

/** The comment in which a query says what it means if it finds nothing. */
const NO_ROWS = /^-- No rows: (.+)$/m

/** The table that a query begins with, after which its CSV is named. */
const FIRST_TABLE = /\bfrom\s+(?:\w+\.)?(\w+)/i

/** A query that was answered. */
interface Answered {
  sql: string
  result: Result
}

const place = findElement<HTMLElement>(document, '.sql')
place.innerHTML = `
  <form>
    <label for="sql">SQL query</label>
    <textarea id="sql" rows="8" spellcheck="false" autocomplete="off"></textarea>
    <div class="row">
      <button>Run</button>
      <button type="button" class="plain" disabled>Cancel</button>
      <span class="aside">Ctrl+Enter runs it, Escape cancels it.</span>
    </div>
  </form>
  <p role="status"></p>
  <div class="views" hidden>
    <button type="button" value="table">Table</button>
    <button type="button" value="whole">Full values</button>
    <button type="button" value="chart">Chart</button>
    <button type="button" value="csv">Download as CSV</button>
    <span class="aside">The CSV has an apostrophe before text that a spreadsheet could run as a formula.</span>
  </div>
  <div class="answer"></div>`
const form = findElement<HTMLFormElement>(place, 'form')
const field = findElement<HTMLTextAreaElement>(place, 'textarea')
const runButton = findElement<HTMLButtonElement>(form, 'button')
const cancelButton = findElement<HTMLButtonElement>(form, 'button[type=button]')
const status = findElement<HTMLElement>(place, '[role=status]')
const views = findElement<HTMLElement>(place, '.views')
const answer = findElement<HTMLElement>(place, '.answer')

/** The snapshot that is open, the commit that it shows, and what was loaded of it. */
const snapshot = { url: '', bytes: 0, commit: '' }
const loaded = { bytes: 0 }
let opening: Promise<SnapshotDatabase> | undefined
let latest: Answered | undefined
/** Ends the query that is running. */
let cancel: (() => void) | undefined
/** The reader asked for another answer while one was under way. */
let isAskedAgain = false

/** Finds an element that the page always has. */
function findElement<Found extends Element>(parent: ParentNode, selector: string): Found {
  const found = parent.querySelector<Found>(selector)
  if (found === null) throw new Error(`the page has no ${selector}`)
  return found
}

function openDatabase(): Promise<SnapshotDatabase> {
  opening ??= openCurrent().catch(error => {
    opening = undefined
    throw error
  })
  return opening
}

/** Opens the snapshot that is current now: that of a page which was read for a while may be gone. */
async function openCurrent(): Promise<SnapshotDatabase> {
  const { url, ok, status: code, headers } = await askHead('/data/registry.duckdb')
  if (!ok) throw new Error(`The registry answers ${code}.`)
  Object.assign(snapshot, { url, bytes: Number(headers.get('content-length')) })
  loaded.bytes = 0
  const database = await SnapshotDatabase.open(url, bytes => {
    if (url !== snapshot.url) return
    loaded.bytes += bytes
    if (latest) status.textContent = describeResult(latest)
  })
  snapshot.commit = await database.describeCommit()
  return database
}

/** Asks for the headers of a file as the server has it now. */
function askHead(url: string): Promise<Response> {
  return fetch(url, { method: 'HEAD', cache: 'no-store' })
}

function closeDatabase(): void {
  void opening?.then(database => database.close()).catch(() => undefined)
  opening = undefined
}

/** Asks the open snapshot, or the one that is current now where that is no longer served. */
async function useDatabase<Answer>(
  ask: (database: SnapshotDatabase) => Promise<Answer>,
  signal?: AbortSignal,
): Promise<Answer> {
  try {
    return await ask(await openDatabase())
  } catch (error) {
    if (error instanceof Refusal || !snapshot.url) throw error
    const { status: code } = await askHead(snapshot.url)
    signal?.throwIfAborted()
    if (code !== 404) throw error
    closeDatabase()
    return ask(await openDatabase())
  }
}

async function run(): Promise<void> {
  if (cancel !== undefined) {
    isAskedAgain = true
    return
  }
  const sql = field.value
  history.replaceState(null, '', buildLink(sql))
  status.textContent = opening ? 'Running …' : 'Downloading DuckDB (about 7 MB, only once) …'
  latest = undefined
  showRunning(true)
  try {
    const result = await askUntilCanceled(sql)
    if (typeof result === 'string') showText(result, 'Query plan')
    else {
      latest = { sql, result }
      showResult('table')
    }
  } catch (error) {
    showFailure(error)
  } finally {
    showRunning(false)
  }
  if (!isAskedAgain) return
  isAskedAgain = false
  await run()
}

/** Runs a query; rejects when the reader cancels it, which ends the DuckDB that works on it. */
async function askUntilCanceled(sql: string): Promise<Result | string> {
  const controller = new AbortController()
  const { signal } = controller
  const canceled = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Refusal('Canceled.')))
  })
  cancel = () => {
    closeDatabase()
    controller.abort()
  }
  try {
    return await Promise.race([useDatabase(database => database.ask(sql), signal), canceled])
  } finally {
    cancel = undefined
  }
}

/** Shows that a query runs, and that what stands below is the answer to an earlier one. */
function showRunning(isRunning: boolean): void {
  runButton.disabled = isRunning
  cancelButton.disabled = !isRunning
  answer.ariaBusy = String(isRunning)
  if (isRunning) for (const button of views.querySelectorAll('button')) button.disabled = true
}

function showResult(view: 'table' | 'whole' | 'chart'): void {
  if (latest === undefined) return
  const { result } = latest
  const chart = renderResultChart(result)
  answer.replaceChildren((view === 'chart' && chart) || renderResultTable(result, view === 'whole'))
  views.hidden = false
  for (const button of views.querySelectorAll('button')) {
    button.disabled = button.value === 'chart' && chart === undefined
    button.title = button.disabled
      ? 'A chart needs a column of numbers after the first column.'
      : ''
    if (button.value !== 'csv') button.setAttribute('aria-pressed', String(button.value === view))
  }
  status.textContent = describeResult(latest)
}

function describeResult({ sql, result: { count, ms } }: Answered): string {
  const rows = `${count.toLocaleString('en')} ${count === 1 ? 'row' : 'rows'} in ${Math.round(ms)} ms`
  const cut =
    count > ROWS_MAX
      ? ` The first ${ROWS_MAX.toLocaleString('en')} are shown; the CSV has all.`
      : ''
  const size = formatMegabytes(snapshot.bytes)
  const part =
    loaded.bytes < snapshot.bytes
      ? `${formatMegabytes(loaded.bytes)} of the ${size} file so far`
      : `the whole file, ${size}`
  const meaning = count === 0 ? (NO_ROWS.exec(sql)?.[1] ?? '') : ''
  const asOf = `Data as of ${snapshot.commit}; reload the page for newer data.`
  return `${rows}.${cut}${meaning && ` This means: ${meaning}`} Downloaded ${part}. ${asOf}`
}

function formatMegabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}

/** Shows text in place of a table. */
function showText(text: string, summary: string): void {
  const block = document.createElement('pre')
  block.tabIndex = 0
  block.textContent = text
  views.hidden = true
  answer.replaceChildren(...(text === '' ? [] : [block]))
  status.textContent = summary
}

function showFailure(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof Refusal) showText('', message)
  else showText(message, 'Query failed')
}

async function saveCsv(): Promise<void> {
  if (latest === undefined) return
  const { sql } = latest
  const bytes = await useDatabase(database => database.exportCsv(sql))
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([bytes], { type: 'text/csv' }))
  link.download = `${FIRST_TABLE.exec(sql)?.[1] ?? 'query'}.csv`
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
cancelButton.addEventListener('click', () => cancel?.())
addEventListener('keydown', ({ key }) => {
  if (key === 'Escape') cancel?.()
})
views.addEventListener('click', ({ target }) => {
  const { value } = target as HTMLButtonElement
  if (value === 'table' || value === 'whole' || value === 'chart') showResult(value)
  if (value === 'csv') void saveCsv().catch(showFailure)
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
