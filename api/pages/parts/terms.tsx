import { countThings } from '../../../pipeline/core/counts.ts'
import type { PublisherLookup } from '../../../pipeline/model/responses/index.ts'
import { findInventory, type StockedGrant } from '../../../pipeline/read/lookups/inventory.ts'
import type { Reader } from '../../../pipeline/read/reader.ts'
import { type Child, Fragment, type Html, h } from '../html/jsx.ts'
import { clipText, joinWords, renderWindow } from '../html/text.tsx'
import { describeGrantedSelling, toCountryInSentence } from './plain-words.ts'

const GRANTS_SHOWN_MAX = 3
const VALUES_SHOWN_MAX = 12
/** Stays with the term before it: no line begins with one. */
const SEPARATOR = '\u00a0· '

/** Terms of the grants to each agent, by its address as the page shows it. */
export type AgentTerms = ReadonlyMap<string, readonly StockedGrant[]>

/** Loads the terms of the agents on a page; empty if no grant of the publisher has any. */
export function loadTerms(
  reader: Reader,
  { domain, authorized_agents }: Pick<PublisherLookup, 'domain' | 'authorized_agents'>,
): AgentTerms {
  const inventory = authorized_agents.length > 0 && findInventory(reader, domain)
  if (!inventory) return new Map()
  const terms = authorized_agents.map(({ url }): [string, readonly StockedGrant[]] => [
    url,
    inventory.grantsTo(url).filter(grant => grant.in_force),
  ])
  const hasTerms = terms.some(([, grants]) => grants.some(grant => listTerms(grant).length > 0))
  return new Map(hasTerms ? terms : [])
}

/** Renders the terms of an agent's grants, a line for each grant. */
export function renderTerms(grants: readonly StockedGrant[] = []): Html {
  const lines = grants.slice(0, GRANTS_SHOWN_MAX).map(grant => {
    const terms = listTerms(grant)
    return (
      <div class="terms">
        {terms.length === 0
          ? 'none'
          : terms.map((term, i) => (
              <>
                {term}
                {i < terms.length - 1 ? SEPARATOR : ''}
              </>
            ))}
      </div>
    )
  })
  const more = grants.length - lines.length
  return (
    <>
      {lines}
      {more > 0 ? <div class="quiet">and {countThings(more, 'more grant')}</div> : null}
    </>
  )
}

function listTerms(grant: StockedGrant): Child[] {
  const { effective_from, effective_until, collections } = grant
  const terms: (Child | undefined)[] = [
    describeGrantedSelling(grant),
    joinValues('only in', grant.countries?.map(toCountryInSentence) ?? null, 'no country'),
    joinValues('placements', grant.placement_ids, 'no placement'),
    joinValues('placements tagged', grant.placement_tags, 'no placement'),
    collections === null
      ? undefined
      : joinValues(
          'collections',
          collections.flatMap(({ collection_ids }) => collection_ids),
          'no collection',
        ),
    renderWindow(effective_from, effective_until),
  ]
  return terms.filter(term => term !== undefined)
}

function joinValues(
  name: string,
  values: readonly string[] | null,
  none: string,
): Child | undefined {
  if (values === null) return undefined
  if (values.length === 0) return none
  const left = values.length - VALUES_SHOWN_MAX
  const shown = values.slice(0, VALUES_SHOWN_MAX)
  return (
    <>
      {name} <bdi>{clipText(left > 0 ? shown.join(', ') : joinWords(shown), 160)}</bdi>
      {left > 0 ? ` and ${left} more` : ''}
    </>
  )
}
