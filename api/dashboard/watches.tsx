import { findMailPlace } from '../../pipeline/core/mail-place.ts'
import { parseUrl } from '../../pipeline/core/url.ts'
import type { Watch, WatchPace } from '../../pipeline/model/watch.ts'
import { WATCHES_PATH } from '../identity/way-back.ts'
import { parseFormDomain } from '../inputs/workshop-form.ts'
import { describeWrongDomain } from '../pages/describe-refusal.ts'
import { Fragment, type Html, h } from '../pages/html/jsx.ts'
import { capitalize, clipText, renderMoment, renderName } from '../pages/html/text.tsx'
import { renderTable } from '../pages/parts/blocks.tsx'
import { toAgentPath, toBrandPath, toPublisherPath } from '../pages/parts/paths.ts'
import type { DashboardRequest, PersonRoute } from './dashboard-request.ts'
import {
  type DashboardAnswer,
  renderButton,
  renderFault,
  renderHidden,
  renderToken,
} from './page.tsx'

const API = '/api/me/watches'
const ABOUT_DOMAIN =
  'You get an email when a file breaks or is valid again, when someone else edits or stops hosting a file, when a domain gains or loses an agent, when an agent claims to sell its inventory, and when someone saves a look-alike domain.'
const ABOUT_AGENT =
  'You get an email when a publisher starts or stops authorizing the agent, and when its test results or badges change.'

const paces = {
  at_once: 'Right away',
  daily: 'Daily digest',
} as const satisfies Record<WatchPace, string>

const kinds = { domain: 'Domain', brand: 'Brand', agent: 'Agent' } as const
const pageNames = { domain: 'publisher', brand: 'brand', agent: 'agent' } as const
const toPath = { domain: toPublisherPath, brand: toBrandPath, agent: toAgentPath } as const

/** Subject of a form: a kind and its domain or address. */
type Subject = readonly [kind: keyof typeof kinds, name: string]

async function showWatches(context: DashboardRequest, fault?: string): Promise<DashboardAnswer> {
  const { callApi, query, services, token } = context
  const { body, refused } = await callApi<{ watches: Watch[] }>({ method: 'GET', url: API })
  const named = findSubject(name => query[name])
  const unusable = named && describeUnusable(named)
  const place = findMailPlace(services.config, services.baseUrl())
  const content = (
    <>
      <p class="lead">
        {named?.[0] === 'agent' ? ABOUT_AGENT : ABOUT_DOMAIN} Every email has an unsubscribe link.
      </p>
      {place === 'terminal' ? (
        <p class="hint">This registry has no mail server: its emails appear in its terminal.</p>
      ) : null}
      {renderFault(fault ?? refused ?? unusable)}
      {named === undefined || unusable
        ? null
        : renderNamed(named, { token, watches: body.watches ?? [] })}
      {renderTable({
        caption: 'Watching',
        columns: ['Watched', 'Type', 'Emails', 'To', 'Since', 'Action'],
        items: body.watches ?? [],
        empty:
          place === undefined
            ? 'This registry sends no email, so nothing can be watched.'
            : `You aren’t watching anything yet.${named ? '' : ' Select Watch on any publisher, brand or agent page.'}`,
        render: watch => renderRow(watch, token),
      })}
    </>
  )
  const status = fault === undefined && !unusable ? 200 : 400
  return { status, title: 'Watching', heading: 'Watching', body: content }
}

function renderRow({ watch_id: id, kind, subject, pace, email, created_at }: Watch, token: string) {
  const other: WatchPace = pace === 'daily' ? 'at_once' : 'daily'
  return [
    <a href={toPath[kind](subject)}>{renderName(subject.replace(/^https:\/\//, ''), 100)}</a>,
    kinds[kind],
    paces[pace],
    renderName(email, 100),
    renderMoment(created_at),
    <div class="actions">
      {renderButton(
        `${WATCHES_PATH}/change`,
        token,
        other === 'daily' ? 'Switch to a daily digest' : 'Email me right away',
        { id, pace: other },
        'plain',
      )}
      {renderButton(`${WATCHES_PATH}/stop`, token, 'Stop', { id }, 'plain')}
    </div>,
  ]
}

/** Renders the form that begins to watch what an address names, or that it is watched, with the way back to its page. */
function renderNamed(
  named: Subject,
  { token, watches }: { token: string; watches: readonly Watch[] },
): Html {
  const [kind, name] = named
  const subject = kind === 'agent' ? name : parseFormDomain(name)
  const watched = watches.find(watch => watch.kind === kind && watch.subject === subject)
  return watched === undefined ? (
    renderNewForm(named, token)
  ) : (
    <p class="notice">
      You’re watching {renderName(name.replace(/^https:\/\//, ''))}.{' '}
      <a href={toPath[kind](watched.subject)}>View {pageNames[kind]} page</a>
    </p>
  )
}

function renderNewForm([kind, name]: Subject, token: string): Html {
  return (
    <form method="post" action={WATCHES_PATH} class="panel">
      <h2>Watch {renderName(clipText(name, 200).replace(/^https:\/\//, ''))}</h2>
      {renderToken(token)}
      {renderHidden({ [kind]: name })}
      <label for="pace">Emails</label>
      <select id="pace" name="pace">
        {Object.entries(paces).map(([value, label]) => (
          <option value={value}>{capitalize(label)}</option>
        ))}
      </select>
      <button type="submit">Watch</button>
    </form>
  )
}

/** Finds what an address or a form names. */
function findSubject(read: (name: string) => unknown): Subject | undefined {
  for (const kind of Object.keys(kinds) as (keyof typeof kinds)[]) {
    const name = read(kind)
    if (typeof name === 'string' && name !== '') return [kind, name]
  }
  return undefined
}

/** Describes why what an address names cannot be watched; undefined if it can. */
function describeUnusable([kind, name]: Subject): string | undefined {
  const isUsable =
    kind === 'agent' ? parseUrl(name) !== undefined : parseFormDomain(name) !== undefined
  if (isUsable) return undefined
  return kind === 'agent'
    ? `“${name}” isn’t an agent URL. Enter a URL such as https://agent.example/mcp.`
    : describeWrongDomain(name)
}

async function begin(context: DashboardRequest): Promise<DashboardAnswer> {
  const { callApi, form } = context
  const [kind, name] = findSubject(field => form.get(field)) ?? []
  const pace = form.get('pace')
  const payload = { ...(kind && { [kind]: name }), ...(pace && { pace }) }
  const { refused } = await callApi({ method: 'POST', url: API, payload })
  if (kind === undefined || name === undefined || refused !== undefined)
    return showWatches(context, refused)
  return { next: `${WATCHES_PATH}?${new URLSearchParams({ [kind]: name })}`, done: 'watched' }
}

async function change(context: DashboardRequest): Promise<DashboardAnswer> {
  const { callApi, form } = context
  const payload = { pace: form.get('pace') ?? '' }
  const { refused } = await callApi({ method: 'PATCH', url: toUrl(form), payload })
  return refused === undefined
    ? { next: WATCHES_PATH, done: 'watch_changed' }
    : showWatches(context, refused)
}

async function stop(context: DashboardRequest): Promise<DashboardAnswer> {
  const { refused } = await context.callApi({ method: 'DELETE', url: toUrl(context.form) })
  return refused === undefined
    ? { next: WATCHES_PATH, done: 'unwatched' }
    : showWatches(context, refused)
}

function toUrl(form: URLSearchParams): string {
  return `${API}/${encodeURIComponent(form.get('id') ?? '')}`
}

export const watchRoutes: readonly PersonRoute[] = [
  { method: 'GET', path: WATCHES_PATH, handle: context => showWatches(context) },
  { method: 'POST', path: WATCHES_PATH, handle: begin },
  { method: 'POST', path: `${WATCHES_PATH}/change`, handle: change },
  { method: 'POST', path: `${WATCHES_PATH}/stop`, handle: stop },
]
