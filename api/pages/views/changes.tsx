import { countThings } from '../../../pipeline/core/counts.ts'
import { type Domain, parsePastedDomain } from '../../../pipeline/core/domain.ts'
import { type EventType, eventTypeNames } from '../../../pipeline/model/event.ts'
import { listNewestEvents } from '../../../pipeline/read/lookups/newest-events.ts'
import { listDomainChanges } from '../../../pipeline/read/queries/state-changes.ts'
import { getSnapshot } from '../../responses/lists.ts'
import { describeWrongDomain } from '../describe-refusal.ts'
import { JSON_FEED_PATH } from '../feeds/change-feeds.ts'
import { Fragment, type Html, h } from '../html/jsx.ts'
import { renderPages } from '../parts/blocks.tsx'
import { changeNames } from '../parts/change-words.ts'
import { EVENTS_READ, renderEvents } from '../parts/events.tsx'
import { toPublisherPath } from '../parts/paths.ts'
import { CHANGES_PER_PAGE, renderChanges } from '../parts/state-changes.tsx'
import type { View, ViewCall } from '../view.ts'

const EVENTS_BYTES = 44_000

interface ChangesQuery {
  type?: EventType | undefined
  before?: string | undefined
  /** Domain as it was entered; empty for all. */
  domain: string
  cursor?: string | undefined
}

/** Shows the feed, the newest first; for a domain, all that is known to have changed there. */
export async function show(call: ViewCall<ChangesQuery>): Promise<View> {
  const { domain: entered } = call.query
  if (entered === '') return showFeed(call)
  const domain = parsePastedDomain(entered)
  return domain === undefined ? showWrongDomain(entered) : showDomain(call, domain)
}

function showWrongDomain(entered: string): View {
  const fault = describeWrongDomain(entered)
  return {
    status: 400,
    title: 'Changes',
    description: fault,
    body: (
      <>
        <h1>Changes</h1>
        <p class="notice bad" role="alert">
          {fault}
        </p>
        {renderFilter({ domain: entered })}
      </>
    ),
  }
}

async function showDomain({ query, services }: ViewCall<ChangesQuery>, domain: Domain) {
  const snapshot = getSnapshot(services.reader)
  const offset = Number(query.cursor ?? 0)
  const page = { limit: CHANGES_PER_PAGE, offset }
  const found = snapshot && (await listDomainChanges(snapshot, domain, page))
  const title = `Changes for ${domain}`
  return {
    title,
    followed: { domain },
    description: `${title}: its brand, its file, its properties and the agents it authorizes.`,
    body: (
      <>
        <h1>{title}</h1>
        <p class="lead">
          What changed in the domain’s brand, <a href={toPublisherPath(domain)}>inventory</a> and
          authorizations.
        </p>
        {renderFilter({ domain })}
        {found === undefined || found.total === 0 ? (
          <p class="empty">No changes recorded for {domain}.</p>
        ) : (
          renderChanges(found, {
            offset,
            toPath: cursor => `/changes?${new URLSearchParams({ domain, cursor })}`,
          })
        )}
      </>
    ),
  }
}

async function showFeed({ query, services }: ViewCall<ChangesQuery>): Promise<View> {
  const { type, before } = query
  const { reader, config } = services
  const days = config.LIMITS.feedRetentionDays
  const events = listNewestEvents(reader, {
    types: type === undefined ? eventTypeNames : [type],
    limit: EVENTS_READ,
    before,
    retentionDays: days,
  })
  const { html, last } = renderEvents(reader, events, {
    bytes: EVENTS_BYTES,
    before,
    empty:
      type || before
        ? `No ${before ? 'older ' : ''}changes${type ? ' of this type' : ''} in the last ${countThings(days, 'day')}.`
        : undefined,
    isOverview: type === undefined,
  })
  const isEnd = last === undefined || last.event_id === events.at(-1)?.event_id
  return {
    title: type === undefined ? 'Changes' : `Changes: ${type}`,
    ...(type === undefined && { followed: {}, json: JSON_FEED_PATH }),
    description: 'What changed in the registry: agents, authorizations, properties, publishers.',
    ...(before === undefined && { isLive: true }),
    body: (
      <>
        <h1>Changes</h1>
        <p class="lead">
          Changes to publishers and agents in the last {countThings(days, 'day')}.
          {before === undefined ? ' New changes appear here as they happen.' : ''}
        </p>
        {renderFilter({ type })}
        {html}
        {renderPages(
          isEnd ? undefined : toPath(type, last.event_id),
          before === undefined ? undefined : toPath(type, undefined),
        )}
      </>
    ),
  }
}

function toPath(type: EventType | undefined, before: string | undefined): string {
  const query = new URLSearchParams({ ...(type && { type }), ...(before && { before }) })
  return query.size === 0 ? '/changes' : `/changes?${query}`
}

function renderFilter({ type: chosen, domain }: Partial<ChangesQuery>): Html {
  return (
    <form class="filter" action="/changes" method="get">
      <label>
        Domain
        <input name="domain" value={domain ?? ''} maxlength="300" placeholder="Any domain" />
      </label>
      {domain === undefined ? renderTypes(chosen) : null}
      <button type="submit">Apply</button>
      {domain === undefined ? null : <a href="/changes">All changes</a>}
    </form>
  )
}

function renderTypes(chosen: EventType | undefined): Html {
  return (
    <label>
      Type of change
      <select name="type">
        <option value="">All</option>
        {eventTypeNames.map(name => (
          <option value={name} title={name} selected={name === chosen}>
            {changeNames[name]}
          </option>
        ))}
      </select>
    </label>
  )
}
