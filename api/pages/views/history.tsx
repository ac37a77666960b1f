import type { Domain } from '../../../pipeline/core/domain.ts'
import { getAt } from '../../../pipeline/core/present.ts'
import {
  type ChangedKind,
  listBrandChanges,
  listPublisherChanges,
  type StateChange,
  type StateChanges,
} from '../../../pipeline/read/queries/state-changes.ts'
import { getSnapshot } from '../../responses/lists.ts'
import { Fragment, type Html, h } from '../html/jsx.ts'
import { countThings, fitItems, renderExactMoment, renderName } from '../html/text.tsx'
import { renderChangedFields } from '../parts/changed-fields.tsx'
import { compareDocuments } from '../parts/compare-documents.ts'
import { renderAgent } from '../parts/events.tsx'
import { renderBadge } from '../parts/freshness.tsx'
import { toBrandPath, toHistoryPath, toPublisherPath } from '../parts/paths.ts'
import { renderProblem } from '../parts/problem.tsx'
import type { View, ViewCall } from '../view.ts'

const CHANGES_PER_PAGE = 60
const CHANGES_BYTES = 44_000

type HistoryCall = ViewCall<{ cursor?: string | undefined }, { domain: Domain }>

interface HistoryKind {
  of: 'brand' | 'publisher'
  list: typeof listBrandChanges
  title: string
  lead: string
  toThing: (domain: string) => string
}

/** Shows every state that the brand of a domain was in. */
export function showBrand(call: HistoryCall): Promise<View> {
  return showChanges(call, {
    of: 'brand',
    list: listBrandChanges,
    title: 'History of the brand of',
    lead: 'Every time its file, or an edit by a member, changed its brand or its house.',
    toThing: toBrandPath,
  })
}

/** Shows every state that a publisher, its properties and its grants were in. */
export function showPublisher(call: HistoryCall): Promise<View> {
  return showChanges(call, {
    of: 'publisher',
    list: listPublisherChanges,
    title: 'History of the inventory of',
    lead: 'Every change to its file, its properties and its authorizations, as the registry read them.',
    toThing: toPublisherPath,
  })
}

async function showChanges(
  { params: { domain }, query: { cursor }, services }: HistoryCall,
  { of, list, title, lead, toThing }: HistoryKind,
): Promise<View> {
  const snapshot = getSnapshot(services.reader)
  const offset = Number(cursor ?? 0)
  const page = { limit: CHANGES_PER_PAGE, offset }
  const found = snapshot && (await list(snapshot, domain, page))
  if (found === undefined || found.total === 0) return showNothing(domain, toThing)
  const named = `${title} ${domain}`
  return {
    title: named,
    followed: of === 'brand' ? { brand: domain } : { domain },
    description: `${named}: ${countThings(found.total, 'change')}, each with its before and after.`,
    body: (
      <>
        <p class="kicker">
          <a href={toThing(domain)}>{domain}</a>
        </p>
        <h1>{named}</h1>
        <p class="lead">{lead}</p>
        {renderChanges(found, { offset, path: toHistoryPath(of, domain) })}
      </>
    ),
  }
}

const nouns: Record<ChangedKind, string> = {
  brand: 'brand',
  publisher: 'file',
  property: 'property',
  grant: 'grant to',
}

/** Renders as many changes as a page has room for by moment, and the way to those before them. */
function renderChanges(
  { changes, total }: StateChanges,
  { offset, path }: { offset: number; path: string },
): Html {
  const { rows, shown } = fitItems(changes, renderChange, {
    limit: CHANGES_PER_PAGE,
    bytes: CHANGES_BYTES,
  })
  const moments = new Map<string, Html[]>()
  for (const [index, row] of rows.entries()) {
    const { at } = getAt(changes, index)
    moments.set(at, [...(moments.get(at) ?? []), row])
  }
  const left = total - offset - shown
  return (
    <>
      <ol class="timeline">
        {[...moments].map(([at, items]) => (
          <li>
            <h2>{renderExactMoment(at)}</h2>
            <ul>{items}</ul>
          </li>
        ))}
      </ol>
      {left > 0 ? (
        <p class="more">
          <a href={`${path}?${new URLSearchParams({ cursor: String(offset + shown) })}`}>
            Earlier changes
          </a>{' '}
          {countThings(left, 'more change')}
        </p>
      ) : null}
    </>
  )
}

/** Renders a change as a sentence, with the fields that it changed. */
function renderChange(change: StateChange): Html {
  const { ended, before, after } = change
  if (ended)
    return (
      <li>
        {renderBadge('bad', 'removed')} {renderSubject(change)}
      </li>
    )
  if (before === null)
    return (
      <li>
        {renderBadge('good', 'new')} {renderSubject(change)}
      </li>
    )
  return (
    <li>
      {renderBadge('change', 'changed')} {renderSubject(change)}
      {renderChangedFields(compareDocuments(before, after), true)}
    </li>
  )
}

function renderSubject({ kind, subject }: StateChange): Html {
  if (kind === 'publisher') return <strong>{nouns.publisher}</strong>
  return (
    <>
      {nouns[kind]}{' '}
      <strong>{kind === 'grant' ? renderAgent(subject) : renderName(subject, 100)}</strong>
    </>
  )
}

function showNothing(domain: string, toThing: (domain: string) => string): View {
  const title = `No changes at ${domain} yet`
  return {
    status: 404,
    title,
    description: title,
    body: renderProblem(
      title,
      'The registry records changes from the first valid file or edit on. A new one appears here within a minute or so.',
      <p>
        <a href={toThing(domain)}>{domain}</a>
      </p>,
    ),
  }
}
