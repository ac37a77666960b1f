import { outcomes, successfulOutcomes } from '../../pipeline/core/outcomes.ts'
import type {
  CrawlRequestStatus,
  CrawlStatus,
  RequestOutcome,
} from '../../pipeline/model/crawl-request.ts'
import { toHostingBase } from '../../pipeline/model/hosted.ts'
import { proposedKinds } from '../../pipeline/model/proposed-kind.ts'
import { findLastCrawlRequest } from '../../pipeline/read/lookups/crawl-requests.ts'
import { findHosted } from '../../pipeline/read/lookups/hosted.ts'
import { findOwnership } from '../../pipeline/read/lookups/ownership.ts'
import { CRAWL_PATH } from '../identity/way-back.ts'
import { parseFormDomain } from '../inputs/workshop-form.ts'
import { type Child, Fragment, type Html, h } from '../pages/html/jsx.ts'
import {
  capitalize,
  joinWords,
  renderMoment,
  renderName,
  toContractions,
} from '../pages/html/text.tsx'
import { renderSection, renderTable } from '../pages/parts/blocks.tsx'
import { renderBadge, renderResult } from '../pages/parts/freshness.tsx'
import { renderWithoutWww } from '../pages/parts/owner-links.tsx'
import { toBrandPath, toCrawlPath, toPublisherPath, toWorkshopPath } from '../pages/parts/paths.ts'
import type { DashboardRequest, PersonRoute } from './dashboard-request.ts'
import { findFormFault, type Refusal, renderDomainField } from './field.tsx'
import {
  type DashboardAnswer,
  renderButton,
  renderFault,
  renderToken,
  toEntryPath,
} from './page.tsx'

const API = '/api/registry/crawl-request'
const REFRESH_SECONDS = 2

const texts = {
  queued: 'The crawl is about to start. This page refreshes itself.',
  running: 'The files are being fetched. This page refreshes itself.',
  retrying: 'A file couldn’t be read. It will be tried again soon. This page refreshes itself.',
  deferred: 'The server asked the crawler to come back later. This page refreshes itself.',
  completed: 'Crawl finished. Every page about the domain is up to date.',
  invalid: 'At least one of the files is invalid.',
  failed: 'The files couldn’t be read.',
} as const satisfies Record<CrawlStatus, string>

const finals: ReadonlySet<CrawlStatus> = new Set(['completed', 'invalid', 'failed'])

function showForm(
  context: DashboardRequest,
  domain: string,
  {
    refusal = {},
    status = 200,
    isAsked = false,
    last,
  }: { refusal?: Refusal; status?: number; isAsked?: boolean; last?: CrawlRequestStatus } = {},
): DashboardAnswer {
  const body = (
    <>
      <h1>Crawl now</h1>
      <p class="lead">
        Fetches the domain’s brand.json and adagents.json now instead of tonight, including the
        files they point to.
      </p>
      {status === 429
        ? renderFault(refusal.refused, renderWayOn(domain, last), 'fair')
        : renderFault(findFormFault(refusal, ['domain']))}
      <form method="post" action={CRAWL_PATH} class="panel" data-send={isAsked || undefined}>
        {renderToken(context.token)}
        {renderDomainField({ refusal, value: domain })}
        <button type="submit">Crawl now</button>
      </form>
      {last && finals.has(last.status)
        ? renderSection('last', 'Last crawl', renderProgress(last))
        : null}
    </>
  )
  return { status, title: 'Crawl now', body }
}

async function requestCrawl(context: DashboardRequest): Promise<DashboardAnswer> {
  const { callApi, form } = context
  const domain = form.get('domain') ?? ''
  const request = { method: 'POST', url: API, payload: { domain } } as const
  const made = await callApi<{ crawl_request_id: string }>(request)
  if (made.refused !== undefined) {
    const { status } = made
    const last = status === 429 ? await readLast(context, domain) : undefined
    return showForm(context, domain, { refusal: made, status, ...(last && { last }) })
  }
  return { next: `${CRAWL_PATH}/${made.body.crawl_request_id}` }
}

function readRequest({ callApi }: DashboardRequest, id: string) {
  return callApi<CrawlRequestStatus>({ method: 'GET', url: `${API}/${encodeURIComponent(id)}` })
}

/** Reads the crawl because of which another one is refused; undefined if it is of somebody else. */
async function readLast(
  context: DashboardRequest,
  domain: string,
): Promise<CrawlRequestStatus | undefined> {
  const parsed = parseFormDomain(domain.trim())
  const id = parsed && findLastCrawlRequest(context.services.reader, parsed)
  const read = id === undefined ? undefined : await readRequest(context, id)
  return read?.refused === undefined ? read?.body : undefined
}

/** Shows the progress of a crawl; the page renews itself until the crawl has ended. */
async function showProgress(context: DashboardRequest): Promise<DashboardAnswer> {
  const read = await readRequest(context, context.params.id ?? '')
  if (read.refused !== undefined)
    return showForm(context, '', { refusal: { refused: read.refused }, status: 404 })
  const { domain, status } = read.body
  const isFinal = finals.has(status)
  const body = (
    <>
      <h1>Crawl of {renderName(domain)}</h1>
      {renderProgress(read.body)}
      {isFinal && !read.body.outcome.some(isFound) ? renderWithoutWww(domain, toCrawlPath) : null}
      {isFinal ? renderNext(read.body, context) : null}
      <p>
        <a href={toPublisherPath(domain)}>View publisher page</a> ·{' '}
        <a href={toBrandPath(domain)}>View brand page</a>
      </p>
    </>
  )
  const answer = { status: 200, title: `Crawl of ${domain}`, body }
  return isFinal ? answer : { ...answer, refreshSeconds: REFRESH_SECONDS }
}

/** Renders where somebody sees meanwhile what is known: the crawl that is running, or what the last one found. */
function renderWayOn(domain: string, last: CrawlRequestStatus | undefined): Html {
  return last && !finals.has(last.status) ? (
    <a href={`${CRAWL_PATH}/${last.crawl_request_id}`}>See the running crawl</a>
  ) : (
    <a href={toPublisherPath(domain)}>View publisher page</a>
  )
}

function renderProgress({ status, outcome, next_attempt_at }: CrawlRequestStatus): Html {
  return (
    <>
      <p class={`notice ${status === 'completed' ? 'good' : 'fair'}`} role="status">
        {texts[status]}
      </p>
      {next_attempt_at === null ? null : <p>Next attempt: {renderMoment(next_attempt_at)}</p>}
      {renderFiles(outcome)}
    </>
  )
}

function renderFiles(files: CrawlRequestStatus['outcome']): Html {
  return renderTable({
    caption: 'Files',
    columns: ['File', 'Result', 'Meaning', 'Attempts'],
    // An ads.txt is only fetched where the adagents.json is missing: until then nothing waits for it.
    items: files.filter(({ file, outcome }) => file !== 'ads.txt' || outcome !== null),
    empty: 'No file has been fetched yet.',
    render: ({ url, outcome, http_status, attempts }) => [
      <code>{url}</code>,
      ...describeResult(outcome, http_status),
      attempts,
    ],
  })
}

function describeResult(outcome: RequestOutcome | null, status: number | null): [Child, Child] {
  if (outcome === null) return ['Waiting', '']
  if (outcome === 'quarantined')
    return [renderBadge('bad', 'set aside'), 'The registry couldn’t process it']
  const means = toContractions(outcomes[outcome].means.replace(/ \(.*\)$/, ''))
  const text = outcome === 'absent' ? 'no file at this URL' : means
  return [renderResult(outcome), capitalize(status === null ? text : `${text} (HTTP ${status})`)]
}

function isFound({ outcome }: CrawlRequestStatus['outcome'][number]): boolean {
  return successfulOutcomes.some(name => name === outcome)
}

/** Says what to do where a file was not found. */
function renderNext(
  { domain, outcome }: CrawlRequestStatus,
  context: DashboardRequest,
): Html | null {
  if (!outcome.some(file => file.outcome === 'absent' || file.outcome === 'store_denied'))
    return null
  return (
    <>
      {renderHostedHere(domain, context)}
      <p>
        A missing file isn’t an error. To publish one, serve it at the URL above, then crawl again.
      </p>
      <div class="actions">
        {renderButton(CRAWL_PATH, context.token, 'Crawl again', { domain }, 'plain')}
        <a href={toWorkshopPath(domain, 'adagents.json')}>Check a file</a>
      </div>
    </>
  )
}

/** Names the files of a domain that are hosted here, with what its holder does so that the crawler finds them. */
function renderHostedHere(
  domain: string,
  { memberships, services: { baseUrl, config, reader } }: DashboardRequest,
): Html | null {
  const kinds = proposedKinds.filter(kind => findHosted(reader, kind, domain) !== undefined)
  if (kinds.length === 0) return null
  const { proofDays } = config.LIMITS
  const holder = memberships.find(
    ({ org_id }) => findOwnership(reader, org_id, domain, proofDays).proven,
  )
  return (
    <p class="notice">
      The {joinWords(kinds)} of {renderName(domain)} {kinds.length === 1 ? 'is' : 'are'} hosted
      here.{' '}
      {toHostingBase(baseUrl()) === undefined
        ? null
        : 'The crawler finds a hosted file once your site serves the pointer to it. '}
      {holder && <a href={toEntryPath(holder.org_id, domain)}>Manage hosted files</a>}
    </p>
  )
}

export const crawlRoutes: readonly PersonRoute[] = [
  {
    method: 'GET',
    path: CRAWL_PATH,
    handle: context => {
      const domain = String(context.query.domain ?? '')
      // Whoever follows a link of ours has asked for the crawl; one of another site asks for nothing.
      const isAsked = domain !== '' && context.request.headers['sec-fetch-site'] === 'same-origin'
      return showForm(context, domain, { isAsked })
    },
  },
  { method: 'POST', path: CRAWL_PATH, handle: requestCrawl },
  { method: 'GET', path: `${CRAWL_PATH}/:id`, handle: showProgress },
]
