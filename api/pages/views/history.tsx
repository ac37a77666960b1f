import { countThings } from '../../../pipeline/core/counts.ts'
import type { Domain } from '../../../pipeline/core/domain.ts'
import { findBrandName } from '../../../pipeline/read/lookups/operated.ts'
import {
  listBrandChanges,
  listPublisherChanges,
} from '../../../pipeline/read/queries/state-changes.ts'
import { getSnapshot } from '../../responses/lists.ts'
import { Fragment, h } from '../html/jsx.ts'
import { renderName, showDomains } from '../html/text.tsx'
import { toBrandPath, toHistoryPath, toPublisherPath } from '../parts/paths.ts'
import { renderProblem } from '../parts/problem.tsx'
import { CHANGES_PER_PAGE, renderChanges } from '../parts/state-changes.tsx'
import type { View, ViewCall } from '../view.ts'

type HistoryCall = ViewCall<{ cursor?: string | undefined }, { domain: Domain }>

interface HistoryKind {
  of: 'brand' | 'publisher'
  list: typeof listBrandChanges
  /** Word for what the page shows, behind the name of the thing. */
  what: string
  lead: string
  toThing: (domain: string) => string
}

/** Shows every state that the brand of a domain was in. */
export function showBrand(call: HistoryCall): Promise<View> {
  return showChanges(call, {
    of: 'brand',
    list: listBrandChanges,
    what: 'history',
    lead: 'Every change to this brand or its house, from its file or from members.',
    toThing: toBrandPath,
  })
}

/** Shows every state that a publisher, its properties and its grants were in. */
export function showPublisher(call: HistoryCall): Promise<View> {
  return showChanges(call, {
    of: 'publisher',
    list: listPublisherChanges,
    what: 'inventory history',
    lead: 'Every change that the registry has seen to this publisher’s file, properties and authorizations.',
    toThing: toPublisherPath,
  })
}

async function showChanges(
  { params: { domain }, query: { cursor }, services }: HistoryCall,
  { of, list, what, lead, toThing }: HistoryKind,
): Promise<View> {
  const snapshot = getSnapshot(services.reader)
  const offset = Number(cursor ?? 0)
  const page = { limit: CHANGES_PER_PAGE, offset }
  const found = snapshot && (await list(snapshot, domain, page))
  if (found === undefined || found.total === 0) return showNothing(domain, toThing)
  const named = `${showDomains(findBrandName(services.reader, domain))}: ${what}`
  return {
    title: named,
    followed: of === 'brand' ? { brand: domain } : { domain },
    description: `${named}. ${countThings(found.total, 'change')}, each with the values before and after.`,
    body: (
      <>
        <p class="kicker">
          <a href={toThing(domain)}>{of === 'brand' ? 'Brand' : 'Publisher'}</a>
        </p>
        <h1>{renderName(named)}</h1>
        <p class="lead">{lead}</p>
        {renderChanges(found, {
          offset,
          toPath: cursor => `${toHistoryPath(of, domain)}?${new URLSearchParams({ cursor })}`,
        })}
      </>
    ),
  }
}

function showNothing(domain: string, toThing: (domain: string) => string): View {
  const title = `No changes at ${domain} yet`
  return {
    status: 404,
    title,
    description: title,
    body: renderProblem(
      title,
      'The registry records changes starting with the first valid file or edit. A new one appears here within a minute or so.',
      <p>
        <a href={toThing(domain)}>{domain}</a>
      </p>,
    ),
  }
}
