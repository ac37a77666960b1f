import { eventTypeNames } from '../../../pipeline/model/event.ts'
import type { RegistryStats } from '../../../pipeline/model/responses/index.ts'
import { listNewestEvents } from '../../../pipeline/read/lookups/newest-events.ts'
import { loadCrawlOverview } from '../../../pipeline/read/queries/crawl-overview.ts'
import {
  brandDirectory,
  type Directory,
  listDirectory,
  publisherDirectory,
} from '../../../pipeline/read/queries/directories.ts'
import type { ExampleSale } from '../../../pipeline/read/queries/example-sales.ts'
import type { Reader, Snapshot } from '../../../pipeline/read/reader.ts'
import { registryStats } from '../../routes/lookups.ts'
import { askIfReady } from '../ask.ts'
import { Fragment, type Html, h } from '../html/jsx.ts'
import { renderName } from '../html/text.tsx'
import { renderCounts, renderSection, renderTiles } from '../parts/blocks.tsx'
import { renderSearch } from '../parts/document.tsx'
import { EVENTS_READ, renderEvents } from '../parts/events.tsx'
import { findExampleSales, renderSaleLinks } from '../parts/example-sales.tsx'
import { findFaces } from '../parts/faces.tsx'
import { renderLatestDays } from '../parts/latest-days.tsx'
import { toBrandPath, toPublisherPath } from '../parts/paths.ts'
import type { View, ViewCall } from '../view.ts'

const STORIES_SHOWN_MAX = 8
const EVENTS_BYTES = 12_000
const NAMES_SHOWN = 8

/** Shows what the registry knows today. */
export async function show({ ask, services }: ViewCall): Promise<View> {
  const { reader, config } = services
  const { snapshot } = reader
  const [stats, brands = [], publishers = [], overview] = await Promise.all([
    askIfReady(reader, () => ask<RegistryStats>(registryStats)),
    askIfReady(reader, async () => snapshot && listNames(snapshot, brandDirectory, 'changed')),
    askIfReady(reader, async () => snapshot && listNames(snapshot, publisherDirectory, 'agents')),
    askIfReady(reader, async () => snapshot && loadCrawlOverview(snapshot, reader.now())),
  ])
  const events = listNewestEvents(reader, {
    types: eventTypeNames,
    limit: EVENTS_READ,
    retentionDays: config.LIMITS.feedRetentionDays,
  })
  const counts = stats?.body
  const sales = await findExampleSales({ ask, services })
  return {
    title: 'Agentic Ad Registry',
    description:
      'Which brand is this domain, what does this publisher own, and may this agent sell it? ' +
      'Answers come from the files that domains publish, with evidence.',
    json: '/api/registry/stats',
    isLive: true,
    body: (
      <>
        <section class="hero">
          <h1>See who is authorized to sell a publisher’s ads, with evidence</h1>
          <p class="lead">
            An open registry of brands, publishers and advertising agents, read from the files that
            domains publish themselves.
          </p>
          {renderSearch(undefined, 'large')}
          {renderQuestions(brands[0], publishers[0], sales)}
        </section>
        {TASKS}
        {counts === undefined || isNothingCounted(counts)
          ? renderBeginning()
          : renderTotals(counts)}
        <div class="columns">
          {renderSection(
            'changes',
            'Latest changes',
            renderEvents(reader, events, {
              limit: STORIES_SHOWN_MAX,
              bytes: EVENTS_BYTES,
              isOverview: true,
            }).html,
            <a href="/changes">All changes</a>,
          )}
          <div>
            {overview === undefined || overview.days.length < 2
              ? null
              : renderSection('growth', 'Growth', renderLatestDays(overview))}
            {renderNames(reader, brands, publishers)}
          </div>
        </div>
      </>
    ),
  }
}

/** Renders questions that the registry answers, about names that it knows. */
function renderQuestions(
  brand: string | undefined,
  publisher: string | undefined,
  sales: readonly ExampleSale[],
): Html {
  return (
    <ul class="chips">
      {brand === undefined ? null : (
        <li>
          <a href={toBrandPath(brand)}>Which brand is {renderName(brand, 40)}?</a>
        </li>
      )}
      {publisher === undefined ? null : (
        <li>
          <a href={toPublisherPath(publisher)}>Who may sell {renderName(publisher, 40)}?</a>
        </li>
      )}
      {renderSaleLinks(sales)}
    </ul>
  )
}

/** Leads each kind of visitor to a task. */
const TASKS = renderTiles([
  {
    label: 'Buying?',
    value: <a href="/authorization">Check an agent</a>,
    note: 'May it sell what it offers you, and who says so?',
  },
  {
    label: 'Publishing?',
    value: <a href="/workshop">Check your file</a>,
    note: 'Find mistakes before buyers do, and see who may sell what.',
  },
  {
    label: 'Building?',
    value: <a href="/docs/guides">Use the data</a>,
    note: (
      <>
        An open API, a change feed, <a href="/sql">SQL</a> and <a href="/data">daily downloads</a>.
      </>
    ),
  },
])

function renderBeginning(): Html {
  return (
    <p class="notice" role="status">
      The first crawl is in progress. Counts will appear here in a moment.
    </p>
  )
}

/** Tells whether no file has been counted yet: commits come first, and counts in batches after them. */
function isNothingCounted(stats: RegistryStats): boolean {
  return stats.total_brands + stats.discovered_publishers + stats.total_agents === 0
}

function renderTotals(stats: RegistryStats): Html {
  return renderCounts([
    ['brands', stats.total_brands, '/brands'],
    ['publishers', stats.discovered_publishers, '/publishers'],
    ['properties', stats.total_properties, '/publishers?sort=properties'],
    ['agents', stats.total_agents, '/agents'],
    ['authorizations', stats.authorizations, '/publishers?sort=agents'],
  ])
}

/** Lists the domains at the beginning of a directory. */
async function listNames(snapshot: Snapshot, directory: Directory, sort: string) {
  const asked = { filters: {}, sort, after: undefined, limit: NAMES_SHOWN }
  const { rows } = await listDirectory<{ id: string }>(snapshot, directory, asked)
  return rows.map(({ id }) => id)
}

/** Renders examples, for visitors who have no domain in mind. */
function renderNames(
  reader: Reader,
  brands: readonly string[],
  publishers: readonly string[],
): Html | null {
  if (brands.length + publishers.length === 0) return null
  const faces = findFaces(reader, [...brands, ...publishers])
  const renderList = (domains: readonly string[], toPath: (domain: string) => string) => (
    <ul class="chips">
      {domains.map(domain => (
        <li>{faces.renderLink(domain, toPath(domain))}</li>
      ))}
    </ul>
  )
  return renderSection(
    'begin',
    'Browse',
    <>
      <h3>Recently changed brands</h3>
      {renderList(brands, toBrandPath)}
      <h3>Publishers with the most agents</h3>
      {renderList(publishers, toPublisherPath)}
    </>,
  )
}
