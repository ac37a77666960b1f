import { type EventType, eventTypes, type FeedEvent } from '../../../pipeline/model/event.ts'
import { Fragment, type Html, h } from '../html/jsx.ts'
import { clipText, fitItems, renderMoment, renderName } from '../html/text.tsx'
import { toAgentPath, toPublisherPath } from './paths.ts'

type Payload = Readonly<Record<string, unknown>>

/** Renders events, the newest first. */
export function renderEvents(events: readonly FeedEvent[], limit: number): Html {
  if (events.length === 0)
    return <p class="empty">No changes yet. They appear here after the first crawl.</p>
  const { rows } = fitItems(events, renderEvent, { limit, bytes: 32_000 })
  return <ol class="events">{rows}</ol>
}

function renderEvent({ event_type, entity_id, payload, created_at }: FeedEvent): Html {
  return (
    <li>
      {renderMoment(created_at)}
      <span class={`kind ${toLook(event_type)}`}>{event_type}</span>
      <span class="what">{describeEvent(event_type, entity_id, payload)}</span>
    </li>
  )
}

function toLook(type: EventType): string {
  if (/granted|created|discovered|reactivated|earned/.test(type)) return 'gain'
  return /revoked|removed|stale|lost/.test(type) ? 'loss' : 'change'
}

function describeEvent(type: EventType, entity: string, payload: Payload): Html {
  const agent = readText(payload.agent_url)
  const publisher = readText(payload.publisher_domain) ?? readText(payload.domain)
  const [kind] = type.split('.')
  if (kind === 'authorization' && agent && publisher)
    return (
      <>
        {renderPublisher(publisher)} · {renderAgent(agent)}
      </>
    )
  if (kind === 'agent') return renderAgent(agent ?? entity)
  if (kind === 'publisher') return renderPublisher(publisher ?? entity)
  const name = readText(payload.name) ?? readText(payload.property_id)
  if (name === undefined)
    return (
      <>
        {publisher === undefined ? null : <>{renderPublisher(publisher)} · </>}
        {eventTypes[type].means}
      </>
    )
  return publisher === undefined ? (
    renderName(name)
  ) : (
    <>
      {renderName(name)} of {renderPublisher(publisher)}
    </>
  )
}

function renderPublisher(domain: string): Html {
  return <a href={toPublisherPath(domain)}>{renderName(domain)}</a>
}

export function renderAgent(url: string): Html {
  return <a href={toAgentPath(url)}>{renderName(url.replace(/^https:\/\//, ''), 80)}</a>
}

function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? clipText(value, 2_048) : undefined
}
