import { countThings } from '../../../pipeline/core/counts.ts'
import { type Domain, parsePastedDomain } from '../../../pipeline/core/domain.ts'
import { parseUrl } from '../../../pipeline/core/url.ts'
import type { BrandResolution } from '../../../pipeline/model/responses/index.ts'
import type { AgentMatch, SearchAnswer } from '../../../pipeline/model/responses/search.ts'
import { findProbedAgent } from '../../../pipeline/read/lookups/agent-profiles.ts'
import { findAgent } from '../../../pipeline/read/lookups/agents.ts'
import { findFileRecord } from '../../../pipeline/read/lookups/file-records.ts'
import { isPublicAgent } from '../../../pipeline/read/lookups/public-agents.ts'
import { findPublisher } from '../../../pipeline/read/lookups/publisher-lookup.ts'
import { findBrand } from '../../../pipeline/read/lookups/resolutions.ts'
import { searchEverything } from '../../../pipeline/read/queries/search.ts'
import type { Reader } from '../../../pipeline/read/reader.ts'
import { AgentUrl } from '../../inputs/sale.ts'
import { getSearch } from '../../responses/lists.ts'
import { searchRegistry } from '../../routes/search.ts'
import { askIfReady } from '../ask.ts'
import { type FoundKind, foundKinds } from '../directory-choices.ts'
import { type FoundDocument, findDocuments } from '../documents.ts'
import { type Child, Fragment, type Html, h } from '../html/jsx.ts'
import { capitalize, clipText, renderName } from '../html/text.tsx'
import { describeAgentType, renderProbedState } from '../parts/agent.tsx'
import { renderSection, renderTable } from '../parts/blocks.tsx'
import { findSource, renderListedSource } from '../parts/brand.tsx'
import { renderEntry } from '../parts/directory.tsx'
import { renderSearch } from '../parts/document.tsx'
import { findFaces } from '../parts/faces.tsx'
import { renderBadge } from '../parts/freshness.tsx'
import { renderMonogram } from '../parts/looks.tsx'
import { toAgentPath, toBrandPath, toPublisherPath } from '../parts/paths.ts'
import { toPlainWords } from '../parts/plain-words.ts'
import { renderUnknownDomain } from '../parts/unknown-domain.tsx'
import type { View, ViewCall } from '../view.ts'

const QUERY_CHARS_MIN = 2
/** Results of each kind on a page of all kinds, as the API has them, and on a page of one. */
const RESULTS_SHOWN = 5
const RESULTS_OF_KIND_SHOWN = 30
const MARK_PX = 40
/** Matches what an email address has before its domain. */
const MAILBOX = /^(?:mailto:)?[^\s@/:]+@(?=[^\s@/]+$)/i

interface Found {
  /** The only kind that is shown; undefined for all. */
  kind: FoundKind | undefined
  shown: SearchAnswer
  /** The kinds of which there may be more. */
  cut: readonly FoundKind[]
  direct: readonly Html[]
  documents: readonly FoundDocument[]
  /** The domain that was searched for, where the registry knows nothing about it. */
  unknown: Domain | undefined
}

/** Shows the results of a search: what the text names exactly, and names that match it. */
export async function show({
  query: { q, kind },
  ask,
  services,
}: ViewCall<{ q: string; kind?: FoundKind | undefined }>): Promise<View> {
  // A scheme alone names nothing yet.
  const text = q.trim().replace(/^https?:\/*$/i, '')
  const isShort = text.length > 0 && text.length < QUERY_CHARS_MIN
  const found =
    text.length < QUERY_CHARS_MIN ? undefined : await findAll(text, kind, { ask, services })
  return {
    ...(isShort && { status: 400 as const }),
    title: text === '' ? 'Search' : `Search: ${text}`,
    description: 'Find brands, publishers, properties and agents by name, domain or identifier.',
    hasSearch: true,
    ...(found && { json: `/api/search?${new URLSearchParams({ q: text })}` }),
    body: (
      <>
        <h1>{text === '' ? 'Search' : <>Results for “{renderName(text, 80)}”</>}</h1>
        {renderSearch('large', text)}
        {text === '' ? (
          <p class="empty">Type a name, a domain, an identifier or an agent URL.</p>
        ) : null}
        {isShort ? <p class="empty">Type at least {QUERY_CHARS_MIN} characters.</p> : null}
        {found === undefined ? null : renderFound(text, found, services)}
      </>
    ),
  }
}

async function findAll(
  text: string,
  kind: FoundKind | undefined,
  { ask, services }: Pick<ViewCall, 'ask' | 'services'>,
): Promise<Found> {
  const { reader } = services
  const limit = kind ? RESULTS_OF_KIND_SHOWN : RESULTS_SHOWN
  const found =
    (await askIfReady(reader, () =>
      kind
        ? findMore(reader, text, limit)
        : ask<SearchAnswer>(searchRegistry, { query: { q: text } }).then(({ body }) => body),
    )) ?? nothing
  const domain = kind ? undefined : parsePastedDomain(text.replace(MAILBOX, ''))
  const known = domain === undefined ? [] : listDomainPages(domain, services)
  const agent = kind ? undefined : findPastedAgent(text, reader)
  const direct = [...(agent === undefined ? [] : [renderAgentPage(agent, reader)]), ...known]
  const hasAgent = found.agents.some(({ agent_url }) => parsePastedDomain(agent_url) === domain)
  const agents = found.agents.filter(({ agent_url }) => agent_url !== agent)
  const all = { ...found, agents, properties: omitEqual(found.properties) }
  return {
    kind,
    shown: kind ? { ...nothing, [kind]: all[kind] } : omitDomain(all, known.length > 0 && domain),
    cut: foundKinds.filter(name => found[name].length >= limit),
    direct,
    documents: kind || domain ? [] : findDocuments(text, RESULTS_SHOWN),
    unknown: direct.length > 0 || hasAgent ? undefined : domain,
  }
}

const nothing: SearchAnswer = { brands: [], publishers: [], properties: [], agents: [] }

/** Finds more results than the API shows. */
async function findMore(reader: Reader, text: string, limit: number): Promise<SearchAnswer> {
  const index = getSearch(reader)
  const found = index && (await searchEverything(reader, index, text, limit))
  return found === undefined
    ? nothing
    : JSON.parse(`{${Object.entries(found).map(([kind, items]) => `"${kind}":[${items}]`)}}`)
}

/** Omits properties that nobody could tell apart: a file may list one twice, in its list and in an entry. */
function omitEqual(properties: SearchAnswer['properties']): SearchAnswer['properties'] {
  const toKey = ({
    name,
    property_type,
    identifiers,
    publisher_domain,
  }: SearchAnswer['properties'][0]) =>
    JSON.stringify([name, property_type, identifiers[0], publisher_domain])
  return [...new Map(properties.toReversed().map(item => [toKey(item), item])).values()].reverse()
}

/** Omits the pages of a domain that are shown above. */
function omitDomain(
  { brands, publishers, ...rest }: SearchAnswer,
  shown: Domain | false | undefined,
): SearchAnswer {
  return {
    ...rest,
    brands: brands.filter(({ domain }) => domain !== shown),
    publishers: publishers.filter(({ domain }) => domain !== shown),
  }
}

/** Finds the agent whose address a text is, for people who paste one. */
function findPastedAgent(text: string, reader: Reader): string | undefined {
  const agent = /^https?:\/\//i.test(text) ? AgentUrl.safeParse(text) : undefined
  return agent?.success && isPublicAgent(reader, agent.data) ? agent.data : undefined
}

function renderAgentPage(agent_url: string, reader: Reader): Html {
  const { publisher_count } = findAgent(reader, agent_url)
  const { profile } = findProbedAgent(reader, agent_url)
  const below = (
    <>
      Agent{describeAgentType(profile?.type)} · authorized by{' '}
      {countThings(publisher_count, 'publisher')}
    </>
  )
  return renderAgentEntry(reader, { agent_url, name: profile?.name }, below)
}

/** Lists the pages of a domain that have something to show. */
function listDomainPages(domain: Domain, { reader, baseUrl }: ViewCall['services']): Html[] {
  const faces = findFaces(reader, [domain])
  const render = (path: string, below: string) =>
    renderEntry({
      mark: faces.renderMark(domain, MARK_PX),
      link: <a href={path}>{faces.renderName(domain)}</a>,
      below: (
        <>
          {faces.renderDomain(domain, ' · ')}
          {below}
        </>
      ),
      aside: null,
    })
  return [
    ...(findPublisher(reader, domain, baseUrl()) === undefined
      ? []
      : [
          render(
            toPublisherPath(domain),
            'Publisher: its properties, and who can sell ads on them',
          ),
        ]),
    ...(findBrand(reader, domain) === undefined
      ? []
      : [render(toBrandPath(domain), 'Brand: its identity, and the company behind it')]),
  ]
}

function renderFound(
  text: string,
  { kind: only, shown, cut, direct, documents, unknown }: Found,
  services: ViewCall['services'],
): Html {
  const { reader } = services
  const { brands, publishers, properties, agents } = shown
  const total = brands.length + publishers.length + properties.length + agents.length
  const counted = total + direct.length
  const render = (kind: FoundKind, list: Html) =>
    shown[kind].length === 0
      ? null
      : renderSection(
          kind,
          capitalize(kind),
          <>
            {list}
            {cut.includes(kind) ? renderMore(text, kind, only) : null}
          </>,
        )
  return (
    <>
      {counted === 0 || cut.length > 0 ? null : (
        <p class="lead">{countThings(counted, 'result')}</p>
      )}
      {direct.length > 0 ? (
        <ul class="entries" aria-label="Exact matches">
          {direct}
        </ul>
      ) : null}
      {unknown === undefined
        ? null
        : renderUnknownDomain(
            unknown,
            services,
            other => listDomainPages(other, services).length > 0,
          )}
      {counted + documents.length > 0 || unknown !== undefined ? null : (
        <p class="empty">No matches. Try the full domain, such as acme.example.</p>
      )}
      {render('brands', renderBrands(services, brands))}
      {render('publishers', renderPublishers(reader, publishers))}
      {render('agents', renderAgents(reader, agents))}
      {render('properties', renderProperties(properties))}
      {documents.length === 0
        ? null
        : renderSection('documentation', 'Documentation', renderDocuments(documents))}
    </>
  )
}

function renderDocuments(documents: readonly FoundDocument[]): Html {
  return (
    <dl class="guides">
      {documents.map(({ title, path, about }) => (
        <>
          <dt>
            <a href={path}>{title}</a>
          </dt>
          <dd>{about}</dd>
        </>
      ))}
    </dl>
  )
}

/** Renders the way to the results of a kind of which only the best are shown. */
function renderMore(text: string, kind: FoundKind, only: FoundKind | undefined): Html {
  if (only) return <p class="more">These are the {RESULTS_OF_KIND_SHOWN} best matches.</p>
  return (
    <p class="more">
      <a href={`/search?${new URLSearchParams({ q: text, kind })}`}>See all {kind} that match</a>
    </p>
  )
}

function renderAgentEntry(
  reader: Reader,
  { agent_url: url, name }: { agent_url: string; name: string | null | undefined },
  below: Child,
): Html {
  const title = name || (parseUrl(url)?.host ?? url)
  return renderEntry({
    mark: renderMonogram(title, url, MARK_PX),
    link: <a href={toAgentPath(url)}>{renderName(title, 100)}</a>,
    below,
    aside: renderProbedState(findProbedAgent(reader, url)),
  })
}

function renderAgents(reader: Reader, agents: readonly AgentMatch[]): Html {
  return (
    <ul class="entries">
      {agents.map(agent =>
        renderAgentEntry(
          reader,
          agent,
          <>
            {renderName(agent.agent_url.replace(/^https:\/\//, ''), 120)}
            {describeAgentType(agent.type)}
          </>,
        ),
      )}
    </ul>
  )
}

function renderBrandSource(
  services: ViewCall['services'],
  { domain, source }: Pick<SearchAnswer['brands'][0], 'domain' | 'source'>,
): Html {
  const { reader } = services
  const found = findBrand(reader, domain)
  const { house_name }: Pick<BrandResolution, 'house_name'> =
    found === undefined ? {} : JSON.parse(found.body.toString())
  const file = findFileRecord(reader, { kind: 'brand.json', location: domain })
  return renderListedSource(services, domain, findSource({ source, house_name }, file))
}

function renderBrands(services: ViewCall['services'], brands: SearchAnswer['brands']): Html {
  const faces = findFaces(
    services.reader,
    brands.map(({ domain }) => domain),
  )
  return (
    <ul class="entries">
      {brands.map(({ domain, brand_name, source }) =>
        renderEntry({
          mark: faces.renderMark(domain, MARK_PX, brand_name),
          link: <a href={toBrandPath(domain)}>{renderName(brand_name, 100)}</a>,
          below: renderName(domain),
          aside: renderBrandSource(services, { domain, source }),
        }),
      )}
    </ul>
  )
}

function renderPublishers(reader: Reader, publishers: SearchAnswer['publishers']): Html {
  const faces = findFaces(
    reader,
    publishers.map(({ domain }) => domain),
  )
  return (
    <ul class="entries">
      {publishers.map(({ domain }) =>
        renderEntry({
          mark: faces.renderMark(domain, MARK_PX),
          link: <a href={toPublisherPath(domain)}>{faces.renderName(domain)}</a>,
          below: faces.renderDomain(domain),
          aside: null,
        }),
      )}
    </ul>
  )
}

function renderProperties(properties: SearchAnswer['properties']): Html {
  return renderTable({
    caption: 'Properties',
    columns: ['Property', 'Type', 'Identifier', 'Publisher'],
    items: properties,
    empty: '',
    render: ({ name, property_type, identifiers, publisher_domain }) => [
      renderName(name),
      renderName(capitalize(toPlainWords(property_type))),
      renderName(identifiers[0]?.value ?? '', 80),
      <a href={toPublisherPath(publisher_domain)}>{renderName(publisher_domain)}</a>,
    ],
  })
}
