import { toIso } from '../../../pipeline/core/clock.ts'
import { getAt, getFirst, requireValue } from '../../../pipeline/core/present.ts'
import { toInstant } from '../../../pipeline/core/uuid-v7.ts'
import type { EventType, FeedEvent } from '../../../pipeline/model/event.ts'
import { findProbedAgent } from '../../../pipeline/read/lookups/agent-profiles.ts'
import { findBrandName } from '../../../pipeline/read/lookups/operated.ts'
import type { Reader } from '../../../pipeline/read/reader.ts'
import { Fragment, type Html, h } from '../html/jsx.ts'
import {
  capitalize,
  formatMoment,
  joinWords,
  renderExactMoment,
  renderName,
} from '../html/text.tsx'
import { countInWords, crowdSentences, predicates } from './change-words.ts'
import { findSubject, readText } from './event-subject.ts'
import { toAgentPath, toPublisherPath } from './paths.ts'
import { toPlainWords } from './plain-words.ts'

const FIRST_FILE = 'publisher.adagents_discovered'
/** Follows from each authorization, which is told itself. */
const FOLLOWING = 'agent.profile_updated'

type Payload = Readonly<Record<string, unknown>>

/** Things that are named of each kind of change. */
const NAMED_MAX = 4
/** Subjects of a like change at one moment that have a sentence each; more of them share one. */
const SINGLE_MAX = 2
const CROWD_NAMED_MAX = 4

/** Events that a page reads: one more than it shows, since the others may begin in the middle of a story. */
export const EVENTS_READ = 1_000

interface Shown {
  /** Stories on the page; all, where nothing is said. */
  limit?: number
  bytes: number
  /** Event of the page before that these follow. */
  before?: string | undefined
  /** Text where there are no events. */
  empty?: string | undefined
  /** Tells many like changes of one moment as one story, and no change that follows from others. */
  isOverview?: boolean
}

const NONE_YET = 'No changes yet. They appear here after the first crawl.'

/** Rendered events, and the last of them. */
interface Rendered {
  html: Html
  last: FeedEvent | undefined
}

/**
 * Renders events, the newest first: those of one domain or agent at one moment as one sentence. As many events
 * are rendered as fit; the others must not be part of a sentence, so fewer are tried until all of them fit, and
 * all of a subject are left to the next page that are not all on this one.
 */
export function renderEvents(
  reader: Reader,
  events: readonly FeedEvent[],
  { limit = Number.POSITIVE_INFINITY, bytes, before, empty = NONE_YET, isOverview = false }: Shown,
): Rendered {
  if (events.length === 0) return { html: <p class="empty">{empty}</p>, last: undefined }
  const most = Math.max(1, Math.min(events.length, EVENTS_READ - 1))
  for (let size = most; ; size = Math.ceil(size / 2)) {
    const some = cutAtSubject(events, size)
    const edges = {
      before: before && formatMoment(toIso(toInstant(before))),
      after: events[some.length] && formatMoment(getAt(events, some.length).created_at),
    }
    const html = renderMoments(reader, some, { limit, isOverview, edges })
    if (size === 1 || Buffer.byteLength(html.toString()) <= bytes)
      return { html, last: some.at(-1) }
  }
}

/** Cuts events between two subjects; within one that has all of them. */
function cutAtSubject(events: readonly FeedEvent[], size: number): readonly FeedEvent[] {
  const next = events[size]
  const subject = next && findSubject(next)
  const end = events.slice(0, size).findLastIndex(event => findSubject(event) !== subject) + 1
  return events.slice(0, end || size)
}

interface Moments {
  limit: number
  isOverview: boolean
  /** Moments of the events that were shown before these, and that are left for after them. */
  edges: { before: string | undefined; after: string | undefined }
}

function renderMoments(
  reader: Reader,
  events: readonly FeedEvent[],
  { limit, isOverview, edges }: Moments,
): Html {
  let left = limit
  const moments = Map.groupBy(events, ({ created_at }) => formatMoment(created_at))
  return (
    <ol class="timeline stories">
      {[...moments].map(([moment, some]) => {
        const crowds = isOverview ? findCrowds(some) : []
        const grouped = new Set(crowds.flatMap(({ subjects }) => subjects))
        const others = some.filter(
          event =>
            !grouped.has(findSubject(event)) && !(isOverview && event.event_type === FOLLOWING),
        )
        const singles = [...Map.groupBy(others, findSubject)].map(([subject, all]) =>
          renderStory(reader, subject, all),
        )
        const cut =
          moment === edges.before ? 'continued' : moment === edges.after ? 'open' : undefined
        const stories = [...crowds.map(crowd => renderCrowd(crowd, cut)), ...singles]
        const shown = stories.slice(0, left)
        left -= shown.length
        return shown.length === 0 ? null : (
          <li>
            <p class="moment">{renderExactMoment(getFirst(some).created_at)}</p>
            <ul>{shown}</ul>
          </li>
        )
      })}
    </ol>
  )
}

/** Many subjects of which one moment tells the same. */
interface Crowd {
  type: EventType
  subjects: string[]
}

/** Finds the changes that many subjects have in common; a first file tells what else its publisher did. */
function findCrowds(events: readonly FeedEvent[]): Crowd[] {
  const crowds = new Map<EventType, string[]>()
  for (const [subject, all] of Map.groupBy(events, findSubject)) {
    const types = new Set(
      all.map(({ event_type }) => event_type).filter(type => type !== FOLLOWING),
    )
    const [only] = types
    const type = types.has(FIRST_FILE) ? FIRST_FILE : types.size === 1 ? only : undefined
    if (type === undefined || crowdSentences[type] === undefined) continue
    crowds.set(type, [...(crowds.get(type) ?? []), subject])
  }
  return [...crowds]
    .map(([type, subjects]) => ({ type, subjects }))
    .filter(({ subjects }) => subjects.length > SINGLE_MAX)
}

/** Renders a crowd; `cut` tells that another page has more of it, and so that this is not its count. */
function renderCrowd({ type, subjects }: Crowd, cut: 'continued' | 'open' | undefined): Html {
  const links = subjects.map(subject =>
    /^https?:/.test(subject) ? (
      renderAgent(subject)
    ) : (
      <a href={toPublisherPath(subject)}>{renderName(subject, 80)}</a>
    ),
  )
  const { thing, tell } = requireValue(crowdSentences[type], 'sentence of a crowd')
  const counted = countInWords(subjects.length, cut === 'continued' ? `more ${thing}` : thing)
  // Of a story that goes on elsewhere this page knows no number.
  const things = cut === 'open' ? `many ${thing}s` : counted
  return (
    <li class={toLook([type])}>
      <p>{capitalize(tell(things))}.</p>
      {renderThings('', links, CROWD_NAMED_MAX, cut !== undefined)}
    </li>
  )
}

function renderStory(reader: Reader, subject: string, events: readonly FeedEvent[]): Html {
  const byType = Map.groupBy(omitFollowing(events), ({ event_type }) => event_type)
  const ordered = (Object.keys(predicates) as EventType[]).filter(type => byType.has(type))
  const named = ordered.map(type => nameThings(byType.get(type) ?? []))
  const words = ordered.map((type, at) => predicates[type](named[at]?.size ?? 1))
  return (
    <li class={toLook(ordered)}>
      <p>
        {renderSubject(reader, subject)} {joinWords(words)}.
      </p>
      {ordered.map((type, at) => {
        const things = [...(named[at]?.values() ?? [])].filter(thing => thing !== null)
        return renderThings(toLabel(type, things.length), things)
      })}
    </li>
  )
}

/** Omits the changes of what the same story adds: its first facts are told already. */
function omitFollowing(events: readonly FeedEvent[]): FeedEvent[] {
  const added = new Set(
    events.flatMap(({ event_type, entity_id }) =>
      event_type.endsWith('.created') ? entity_id : [],
    ),
  )
  return events.filter(
    ({ event_type, entity_id }) => !(event_type.endsWith('.updated') && added.has(entity_id)),
  )
}

function renderThings(
  label: string,
  things: readonly Html[],
  limit = NAMED_MAX,
  isCut = false,
): Html | null {
  if (things.length === 0) return null
  const more = things.length - limit
  return (
    <p class="things">
      {label}
      {things.slice(0, limit).map((thing, at) => (
        <>
          {at > 0 ? ' · ' : ''}
          {thing}
        </>
      ))}
      {more > 0 ? ` and ${isCut ? '' : `${more} `}more` : ''}
    </p>
  )
}

const labels: Readonly<Record<string, readonly [one: string, many: string]>> = {
  authorization: ['Agent: ', 'Agents: '],
  property: ['Property: ', 'Properties: '],
  collection: ['Collection: ', 'Collections: '],
}

function toLabel(type: EventType, count: number): string {
  return labels[type.split('.', 1)[0] ?? '']?.[count === 1 ? 0 : 1] ?? ''
}

/** Names the things that events of one type are about, each once; one without a name has none. */
function nameThings(events: readonly FeedEvent[]): Map<string, Html | null> {
  const things = new Map<string, Html | null>()
  for (const { entity_type, entity_id, payload } of events) {
    const agent = readText(payload.agent_url)
    if (entity_type === 'authorization' && agent) things.set(agent, renderAgent(agent))
    else if (entity_type === 'property' || entity_type === 'collection')
      things.set(entity_id, nameChanged(payload))
    else things.set(entity_id, null)
  }
  return things
}

/** Names a property or a collection, with the facts of it that changed. */
function nameChanged(payload: Payload): Html | null {
  const name = readName(payload)
  const { changed_fields: fields } = payload
  if (name === null || !Array.isArray(fields)) return name
  return (
    <>
      {name} <span class="quiet">({renderName(fields.map(toPlainWords).join(', '), 80)})</span>
    </>
  )
}

function readName(payload: Payload): Html | null {
  const inner = payload.property
  const own = typeof inner === 'object' && inner !== null ? (inner as Payload) : payload
  const name = readText(own.name) ?? readText(own.property_id)
  return name === undefined ? null : renderName(name, 80)
}

function toLook(types: readonly EventType[]): string {
  if (types.some(type => /revoked|removed|stale|lost/.test(type))) return 'loss'
  return types.some(type => /granted|created|discovered|reactivated|earned/.test(type))
    ? 'gain'
    : 'change'
}

function renderSubject(reader: Reader, subject: string): Html {
  if (/^https?:/.test(subject)) {
    return (
      <>
        The agent <strong>{renderAgent(subject)}</strong>
      </>
    )
  }
  const name = findBrandName(reader, subject)
  return (
    <>
      {name === subject ? 'The publisher ' : null}
      <strong>
        <a href={toPublisherPath(subject)}>{renderName(name, 80)}</a>
      </strong>
      {name === subject ? null : <span class="quiet"> ({renderName(subject, 80)})</span>}
    </>
  )
}

/** Renders an agent by the name that it gives itself, and its URL. */
export function renderNamedAgent(reader: Reader, url: string): Html {
  const name = findProbedAgent(reader, url).profile?.name
  if (!name) return renderAgent(url)
  return (
    <>
      <a href={toAgentPath(url)}>{renderName(name, 80)}</a>
      <div class="quiet">{renderName(url.replace(/^https:\/\//, ''), 80)}</div>
    </>
  )
}

export function renderAgent(url: string): Html {
  return <a href={toAgentPath(url)}>{renderName(url.replace(/^https:\/\//, ''), 80)}</a>
}
