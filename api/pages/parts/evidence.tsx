import { countThings } from '../../../pipeline/core/counts.ts'
import type { Evidence } from '../../../pipeline/model/responses/authority.ts'
import { findInventory, type StockedProperty } from '../../../pipeline/read/lookups/inventory.ts'
import type { Reader } from '../../../pipeline/read/reader.ts'
import { Fragment, type Html, h } from '../html/jsx.ts'
import {
  capitalize,
  clipText,
  fitItems,
  joinWords,
  renderMoment,
  renderName,
  renderOutside,
  renderWindow,
  showDomains,
  toContractions,
} from '../html/text.tsx'
import { renderFacts } from './blocks.tsx'
import type { FileCopies } from './file-copies.tsx'
import { renderBadge, renderState } from './freshness.tsx'
import { toBrandPath, toPublisherPath } from './paths.ts'
import {
  describeGrantedSelling,
  describeSelling,
  toCountryName,
  toPlainWords,
} from './plain-words.ts'
import { describeNeeded, nameFile, PUBLISHER_REVOKED } from './verdict.tsx'

const STEPS_SHOWN_MAX = 20
const PROPERTIES_SHOWN_MAX = 12

const verdicts = {
  match: ['good', 'says yes'],
  mismatch: ['bad', 'says no'],
  unknown: ['none', 'unknown'],
} as const

/** A step of the reasoning, which may hold for several properties alike. */
interface Step {
  step: Evidence
  properties: string[]
}

/** Names of properties by their Registry ID. */
export type PropertyNames = ReadonlyMap<string, string>

/** Finds the names of the properties in the steps of a judgement, each with its identifier. */
export function findPropertyNames(reader: Reader, evidence: readonly Evidence[]): PropertyNames {
  const rids = new Set(evidence.flatMap(({ property_rid }) => property_rid ?? []))
  const domain = evidence.find(({ side }) => side === 'publisher')?.domain
  const inventory = rids.size === 0 || !domain ? undefined : findInventory(reader, domain)
  const named = inventory?.properties.filter(({ property_rid }) => rids.has(property_rid)) ?? []
  return new Map(named.map(property => [property.property_rid, nameProperty(property)]))
}

function nameProperty({ name, identifiers }: StockedProperty): string {
  const [first] = identifiers
  return first === undefined || first.value === name
    ? name
    : `${name} (${showDomains(first.value)})`
}

/** Renders the steps of a judgement in their order: which file, which entry, when, and what follows. */
export function renderChain(
  evidence: readonly Evidence[],
  names: PropertyNames = new Map(),
  copies: FileCopies = new Map(),
): Html {
  if (evidence.length === 0) return <p class="empty">No evidence.</p>
  const steps = joinEqualSteps(evidence, names)
  const limits = { limit: STEPS_SHOWN_MAX, bytes: 30_000 }
  const { rows, shown } = fitItems(steps, step => renderStep(step, copies), limits)
  return (
    <>
      <ol class="chain">{rows}</ol>
      {shown < steps.length ? (
        <p class="more">{countThings(steps.length - shown, 'more step')} in the JSON below</p>
      ) : null}
    </>
  )
}

/** Joins steps that differ in nothing but their property: a reader compares what differs. */
function joinEqualSteps(evidence: readonly Evidence[], names: PropertyNames): Step[] {
  const steps = new Map<string, Step>()
  for (const { property_rid, property_id, ...rest } of evidence) {
    const key = JSON.stringify(rest)
    const property = names.get(property_rid ?? '') ?? property_id ?? property_rid
    const known = steps.get(key)
    if (known === undefined)
      steps.set(key, { step: rest as Evidence, properties: property ? [property] : [] })
    else if (property) known.properties.push(property)
  }
  return [...steps.values()]
}

function renderStep({ step, properties }: Step, copies: FileCopies): Html {
  const limits = describeNeeded(step)
  const isContradicting = step.rule === 'declared_otherwise'
  const [look, says] = limits
    ? ['fair', `says: ${limits.long}`]
    : isContradicting
      ? ['bad', 'disagrees']
      : step.rule === 'not_declared'
        ? ['none', 'says nothing']
        : step.rule === PUBLISHER_REVOKED
          ? ['bad', 'revoked']
          : verdicts[step.says]
  const [side, toPath] =
    step.side === 'publisher'
      ? ['The publisher', toPublisherPath]
      : ['The agent’s operator', toBrandPath]
  return (
    <li class={look}>
      <h3>
        {step.domain === undefined ? (
          step.side === 'publisher' ? (
            'The property is unknown'
          ) : (
            `${side} is unknown`
          )
        ) : (
          <>
            {side} <a href={toPath(step.domain)}>{renderName(step.domain)}</a>{' '}
            {renderBadge(look, says)}
          </>
        )}
      </h3>
      <p class="says">
        {renderSentence(step, copies)}.{step.side === 'publisher' ? describeGrant(step) : null}
      </p>
      {renderDetails([
        [properties.length === 1 ? 'Property' : 'Properties', joinProperties(properties)],
        ['File', step.file && renderFile(step, copies)],
        [
          'Selected by',
          step.authorization_type &&
            capitalize(toPlainWords(clipText(step.authorization_type, 60))),
        ],
        ['Countries', joinFew(step.countries?.map(toCountryName))],
        ['Placements', joinFew(step.placement_ids)],
        ['Collections', joinFew(step.collection_ids)],
        ['In force', renderWindow(step.effective_from, step.effective_until)],
        [
          'Path',
          step.files?.slice(0, 5).map(file => (
            <div>
              {renderFile(file, copies)} {renderMoment(file.fetched_at)}
            </div>
          )),
        ],
        [
          'Operator says',
          step.declared?.slice(0, 5).map(({ identifier, relationship }) => (
            <div>
              {renderName(identifier, 80)}: {describeSelling(clipText(relationship, 30))}
            </div>
          )),
        ],
      ])}
    </li>
  )
}

/** Describes as a further sentence in which way a publisher lets the agent sell; undefined if it does not say. */
function describeGrant(step: Evidence): string | undefined {
  const way = describeGrantedSelling(step)
  return way && ` The agent ${way}.`
}

/** Beginning of a text that is about an entry. */
const ENTRY = /^(?:this|the) entry\b/

/** The end of a text about a country that a question leaves open; the page has a form for it. */
const COUNTRY_ASKED = /(?<=some countries), and this check .*$/

/** Renders what a step says, with where it was read, and when, as far as that is known. */
function renderSentence(step: Evidence, copies: FileCopies): Html {
  const { entry, file, fetched_at } = step
  const copy = renderCopy(file, copies)
  const at = entry && clipText(toEntryName(entry, step), 160)
  const said = nameFile(clipText(step.text, 300), file)
  const text = toContractions(said).replace(COUNTRY_ASKED, '')
  const isCountryAsked = COUNTRY_ASKED.test(step.text)
  const isNamed = at !== undefined && ENTRY.test(text)
  const place = isNamed ? undefined : at
  return (
    <>
      {capitalize(isNamed ? text.replace(ENTRY, () => at) : text)}
      {place || fetched_at ? (
        <>
          {' '}
          ({place}
          {place && fetched_at ? ', ' : ''}
          {fetched_at ? <>read {renderMoment(fetched_at)}</> : null}
          {copy && <>; {copy}</>})
        </>
      ) : null}
      {isCountryAsked ? '. Choose one above' : null}
    </>
  )
}

/** Names an entry of a file as people count, and the host of a file that is elsewhere. */
function toEntryName(entry: string, { domain, file }: Evidence): string {
  const host = URL.parse(file ?? '')?.hostname
  const whose = host === undefined || host === domain ? 'its' : `${host}’s`
  return entry.replace(
    /^authorized_agents\[(\d+)\](.*)$/,
    (_, at, rest) => `entry ${Number(at) + 1}${rest} of ${whose} adagents.json`,
  )
}

/** Renders the facts behind a step so that they open on request. */
function renderDetails(facts: Parameters<typeof renderFacts>[0]): Html | null {
  const rendered = renderFacts(facts)
  return (
    rendered && (
      <details>
        <summary>Details</summary>
        {rendered}
      </details>
    )
  )
}

function renderFile(
  { file = '', file_state: state }: Pick<Evidence, 'file' | 'file_state'>,
  copies: FileCopies,
): Html {
  return (
    <span>
      {renderOutside(file)} {state === undefined ? null : renderState(clipText(state, 30))}{' '}
      {renderCopy(file, copies)}
    </span>
  )
}

/** Renders the way to the bytes of a file as they were read; null where there are none. */
function renderCopy(file: string | undefined, copies: FileCopies): Html | null {
  const path = copies.get(file ?? '')
  return path === undefined ? null : (
    <a class="whole" href={path}>
      raw file
    </a>
  )
}

function joinProperties(properties: readonly string[]): string {
  const shown = properties.slice(0, PROPERTIES_SHOWN_MAX).map(id => clipText(id, 60))
  const left = properties.length - shown.length
  return left > 0 ? `${shown.join(', ')} and ${left} more` : joinWords(shown)
}

function joinFew(values: readonly string[] | undefined): string | undefined {
  return values && clipText(values.slice(0, 20).join(', '), 200)
}
