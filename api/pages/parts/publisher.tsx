import { countThings, formatCount } from '../../../pipeline/core/counts.ts'
import { toHostingBase } from '../../../pipeline/model/hosted.ts'
import type { Source } from '../../../pipeline/model/observation.ts'
import type { FreshnessBlock, PublisherLookup } from '../../../pipeline/model/responses/index.ts'
import type { Reader } from '../../../pipeline/read/reader.ts'
import { Fragment, type Html, h } from '../html/jsx.ts'
import { capitalize, clipText, renderMoment, renderName, renderOutside } from '../html/text.tsx'
import type { ShownFile } from '../withheld-file.ts'
import { LATER_ROWS_OPEN, ROWS_OPEN, renderFacts, renderTable, type TablePages } from './blocks.tsx'
import { renderNamedAgent } from './events.tsx'
import { isLastRead, renderBadge } from './freshness.tsx'
import { renderOperatorSide } from './operator-side.tsx'
import { toPublisherAuthorizationPath, toPublisherPath } from './paths.ts'
import { toPlainWords } from './plain-words.ts'
import { listRawFacts } from './raw-file.tsx'
import { renderStale } from './stale.tsx'
import { type AgentTerms, renderTerms } from './terms.tsx'

/** Tells whether a lookup has nothing to show: no inventory, and no file that could be read. */
export function isNothing({
  properties,
  authorized_agents,
  freshness,
  files,
}: PublisherLookup): boolean {
  const isKnown = properties.length + authorized_agents.length > 0
  const isRead = freshness?.state === 'current' || freshness?.state === 'stale'
  return !isKnown && !isRead && files.adagents_json.status !== 'invalid'
}

/** Tells whether this registry serves the file, and the domain does not point to it yet. */
export function isHostedOnly({ files, hosting }: PublisherLookup): boolean {
  return files.adagents_json.status === 'community' && hosting.mode === 'aao_hosted'
}

/** Renders who hosts a file here, and what is left to do for it. */
export function renderNextStep(
  { hosted_url, expected_url }: Pick<PublisherLookup['hosting'], 'hosted_url' | 'expected_url'>,
  baseUrl: string,
  isByOwner = true,
): Html {
  const file = <a href={hosted_url}>this file</a>
  const owner = isByOwner ? (
    <>The domain’s owner hosts {file} here.</>
  ) : (
    <>The organization that had {file} hosted here is no longer the verified owner of the domain.</>
  )
  if (toHostingBase(baseUrl) === undefined)
    return (
      <p class="notice">
        {owner} This registry has no public https URL, so the domain can’t point to it.
      </p>
    )
  return (
    <p class="notice">
      {owner} One step left: <code>{clipText(expected_url)}</code> has to point to{' '}
      <a href={hosted_url}>the hosted file</a>, which then counts as the domain’s own.
    </p>
  )
}

/**
 * Says why it is unknown what a file lists: no valid version of it was ever read, and the domain does not say
 * that it has none. Undefined where it is known.
 */
export function describeUnknown(lookup: PublisherLookup): string | undefined {
  const { adagents_valid, discovery_method, freshness } = lookup
  if (adagents_valid || isHostedOnly(lookup) || freshness === undefined) return undefined
  const { state, succeeded_at } = freshness
  // A file that was read grants nothing if nothing in it can be used, or once it has failed for so long that its grants ended.
  const isRead = state === 'failing' ? succeeded_at !== undefined : discovery_method !== null
  return isRead ? undefined : unknowns[state]
}

const unknowns: Partial<Record<FreshnessBlock['state'], string>> = {
  invalid: 'Unknown: the file is invalid.',
  failing: 'Unknown: the file couldn’t be fetched yet.',
  never_crawled: 'Unknown: the file hasn’t been fetched yet.',
}

/** Renders the agents with what they can sell, each with a link to the evidence. */
export function renderAgents(
  reader: Reader,
  lookup: PublisherLookup,
  { terms, whyNone, pages }: { terms: AgentTerms; whyNone: string | undefined; pages: TablePages },
): Html {
  const { domain, authorized_agents, authorized_agents_total } = lookup
  return renderTable({
    caption: 'Authorized agents',
    columns: ['Agent', 'For', 'Scope', 'Operator', 'Terms', 'Evidence'],
    items: authorized_agents,
    total: authorized_agents_total,
    pages,
    rest: toJsonPath(domain),
    bytes: 14_000,
    open: ROWS_OPEN,
    empty:
      describeUnknown(lookup) ??
      ['No agent is authorized to sell this inventory.', whyNone].filter(Boolean).join(' '),
    render: agent => [
      renderNamedAgent(reader, agent.url),
      agent.authorized_for === undefined ? '' : renderName(agent.authorized_for, 160),
      <>
        {describeReach(agent)} {renderStale(agent)}
        {renderSelection(agent)}
      </>,
      renderOperatorSide(agent),
      renderTerms(terms.get(agent.url)),
      <a href={toPublisherAuthorizationPath(agent.url, domain)}>View</a>,
    ],
  })
}

function describeReach(agent: PublisherLookup['authorized_agents'][number]): string {
  const { properties_authorized, properties_total, publisher_wide } = agent
  if (agent.signals_only) return 'Signals only'
  if (publisher_wide) return 'All properties'
  if (properties_total === 0 && agent.properties_stale !== undefined) return ''
  if (properties_authorized === undefined || properties_total === undefined) return ''
  return `${formatCount(properties_authorized)} of ${countThings(properties_total, 'property', 'properties')}`
}

/** Renders by what its grants select what an agent can sell. */
function renderSelection({
  authorization_types: types = [],
}: PublisherLookup['authorized_agents'][number]): Html | null {
  if (types.length === 0) return null
  return (
    <div class="quiet">
      selected by {types.map(type => toPlainWords(clipText(type, 40))).join(', ')}
    </div>
  )
}

/** Renders the properties of a publisher, a page of them. */
export function renderInventory(lookup: PublisherLookup, pages: TablePages): Html {
  const { domain, properties, properties_total } = lookup
  const repeated = listRepeated(properties)
  return renderTable({
    caption: 'Properties',
    columns: ['Property', 'Type', 'Identifiers', 'Status', 'Tags'],
    items: properties,
    total: properties_total,
    pages,
    rest: toJsonPath(domain),
    bytes: 16_000,
    open: LATER_ROWS_OPEN,
    empty:
      describeUnknown(lookup) ??
      (lookup.adagents_valid === false
        ? 'The file lists no valid properties.'
        : 'The file lists no properties.'),
    render: property => {
      const { name, property_type, identifiers, status, tags, source } = property
      return [
        <>
          {renderName(name)}
          {repeated.has(property) ? (
            <div class="quiet">listed again in the file or in an authorization</div>
          ) : null}
        </>,
        renderName(capitalize(toPlainWords(property_type)), 40),
        identifiers.slice(0, 3).map(({ type, value }) => (
          <div>
            <span class="quiet">{toPlainWords(clipText(type, 30))}</span> {renderName(value, 80)}
          </div>
        )),
        status === undefined
          ? source === 'community' && renderBadge('fair', 'hosted here')
          : renderBadge(status === 'active' ? 'good' : 'fair', clipText(status, 20)),
        tags.slice(0, 4).map(tag => <span class="tag">{renderName(tag, 40)}</span>),
      ]
    },
  })
}

/** Lists the properties before which another one with the same identifiers is listed. */
function listRepeated(properties: PublisherLookup['properties']): ReadonlySet<object> {
  const listed = new Set<string>()
  return new Set(
    properties.filter(({ identifiers }) => {
      const key = JSON.stringify(identifiers.map(({ type, value }) => `${type} ${value}`).sort())
      const isRepeated = identifiers.length > 0 && listed.has(key)
      listed.add(key)
      return isRepeated
    }),
  )
}

function toJsonPath(domain: string): string {
  return `/api/registry/publisher?${new URLSearchParams({ domain })}`
}

const modes = {
  self: 'On its own site',
  self_redirected: 'On another site',
  aao_hosted: 'By this registry',
  self_invalid: 'On its own site',
  none: 'Nowhere',
} as const

const methods: Readonly<Record<string, string>> = {
  direct: 'Its well-known URL',
  authoritative_location: 'The domain’s own file, which points there',
  ads_txt_managerdomain: 'The domain’s ads.txt, which names the manager',
}

/** Renders where the deciding file is served, and how the domain leads there. */
export function renderHosting(
  lookup: PublisherLookup,
  source: Source,
  file: ShownFile | null | undefined,
): Html | null {
  const { hosting, discovery_method, manager_domain, freshness } = lookup
  const isAnswered = hosting.mode !== 'none' || describeUnknown(lookup) === undefined
  // A file at its well-known URL is what the address says.
  const isOrdinary =
    hosting.mode === 'self_invalid' || (hosting.mode === 'self' && discovery_method === 'direct')
  return renderFacts([
    // No answer is not the answer that nothing is there.
    ['Hosted', !isOrdinary && isAnswered && modes[hosting.mode]],
    [isOrdinary ? 'URL' : 'Expected at', renderOutside(hosting.expected_url)],
    [
      'Read at',
      hosting.resolved_url !== undefined &&
        hosting.resolved_url !== hosting.expected_url &&
        renderOutside(hosting.resolved_url),
    ],
    [
      'Found by',
      !isOrdinary && discovery_method && (methods[discovery_method] ?? discovery_method),
    ],
    [
      'Managed by',
      manager_domain && <a href={toPublisherPath(manager_domain)}>{renderName(manager_domain)}</a>,
    ],
    ...listRawFacts(source, file),
    [
      'Last valid version',
      (freshness?.state === 'stale' || !isLastRead(freshness)) &&
        !isHostedOnly(lookup) &&
        renderMoment(hosting.last_validated, 'None'),
    ],
  ])
}
