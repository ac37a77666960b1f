import { type EventType, eventTypeNames } from '../../../pipeline/model/event.ts'
import { listNewestEvents } from '../../../pipeline/read/lookups/newest-events.ts'
import { Fragment, type Html, h } from '../html/jsx.ts'
import { changeNames } from '../parts/change-words.ts'
import { renderEvents } from '../parts/events.tsx'
import type { View, ViewCall } from '../view.ts'

const EVENTS_PER_PAGE = 1_000
const EVENTS_BYTES = 44_000

interface ChangesQuery {
  type?: EventType | undefined
  before?: string | undefined
}

/** Shows the feed, the newest first. */
export async function show({ query, services }: ViewCall<ChangesQuery>): Promise<View> {
  const { type, before } = query
  const { reader, config } = services
  const found = listNewestEvents(reader, {
    types: type === undefined ? eventTypeNames : [type],
    limit: EVENTS_PER_PAGE + 1,
    before,
    retentionDays: config.LIMITS.feedRetentionDays,
  })
  const events = found.slice(0, EVENTS_PER_PAGE)
  const { html, last } = renderEvents(reader, events, {
    bytes: EVENTS_BYTES,
    isOverview: type === undefined,
  })
  const isEnd = last === undefined || last.event_id === found.at(-1)?.event_id
  return {
    title: type === undefined ? 'Changes' : `Changes: ${type}`,
    ...(type === undefined && { followed: {} }),
    description: 'What changed in the registry: agents, authorizations, properties, publishers.',
    json: `/api/registry/feed${type === undefined ? '' : `?types=${type}`}`,
    ...(before === undefined && { isLive: true }),
    body: (
      <>
        <h1>Changes</h1>
        <p class="lead">
          What publishers, brands and agents changed in the last {config.LIMITS.feedRetentionDays}{' '}
          days.
          {before === undefined ? ' New changes appear here as they happen.' : ''}
        </p>
        {renderTypes(type)}
        {html}
        {isEnd ? null : (
          <p class="more">
            <a href={toPath(type, last.event_id)}>Older changes</a>
          </p>
        )}
      </>
    ),
  }
}

function toPath(type: EventType | undefined, before: string): string {
  return `/changes?${new URLSearchParams({ ...(type && { type }), before })}`
}

function renderTypes(chosen: EventType | undefined): Html {
  return (
    <form class="filter" action="/changes" method="get">
      <label for="type">Type of change</label>
      <select id="type" name="type">
        <option value="">All</option>
        {eventTypeNames.map(name => (
          <option value={name} title={name} selected={name === chosen}>
            {changeNames[name]}
          </option>
        ))}
      </select>
      <button type="submit">Show</button>
    </form>
  )
}
