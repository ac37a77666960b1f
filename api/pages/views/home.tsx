import { countThings } from '../../../pipeline/core/counts.ts'
import { eventTypeNames } from '../../../pipeline/model/event.ts'
import type { RegistryStats } from '../../../pipeline/model/responses/index.ts'
import { listNewestEvents } from '../../../pipeline/read/lookups/newest-events.ts'
import { loadCrawlOverview } from '../../../pipeline/read/queries/crawl-overview.ts'
import {
  type BrandRow,
  brandDirectory,
  countDirectory,
  listDirectory,
  type PublisherRow,
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
const NAMES_SHOWN = 6
/** Sub-brands among which one is looked for whose house is known. */
const SUB_BRANDS_READ = 20

/** Shows what the registry knows today. */
export async function show({ ask, services }: ViewCall): Promise<View> {
  const { reader, config } = services
  const { snapshot } = reader
  const [stats, listed = 0, brands = [], publishers = [], overview, subBrand] = await Promise.all([
    askIfReady(reader, () => ask<RegistryStats>(registryStats)),
    askIfReady(reader, async () => snapshot && countListedPublishers(snapshot)),
    askIfReady(reader, async () => snapshot && listNewBrands(snapshot)),
    askIfReady(reader, async () => snapshot && listLargePublishers(snapshot)),
    askIfReady(reader, async () => snapshot && loadCrawlOverview(snapshot, reader.now())),
    askIfReady(reader, async () => snapshot && findSubBrand(snapshot)),
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
      'Which brand is behind this domain, what does this publisher own, and can this agent sell its ads? ' +
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
          {config.DEMO ? <p class="quiet">This is a demo: all domains are invented.</p> : null}
          {renderSearch('large')}
          {renderQuestions((subBrand ?? brands[0])?.id, publishers[0]?.id, sales)}
        </section>
        {TASKS}
        {counts === undefined || isNothingCounted(counts)
          ? renderBeginning()
          : renderTotals(counts, listed)}
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
          <a href={toBrandPath(brand)}>Which brand is behind {renderName(brand, 40)}?</a>
        </li>
      )}
      {publisher === undefined ? null : (
        <li>
          <a href={toPublisherPath(publisher)}>Who can sell ads on {renderName(publisher, 40)}?</a>
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
    note: 'Is it authorized to sell what it’s offering you? See who says so.',
  },
  {
    label: 'Publishing?',
    value: <a href="/workshop">Check your file</a>,
    note: 'Find mistakes before buyers do, and see who can sell your ads.',
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

/** Counts the publishers that the tile leads to: more than have a file, since members host some. */
async function countListedPublishers(snapshot: Snapshot): Promise<number> {
  const counts = await countDirectory(snapshot, publisherDirectory)
  return counts.reduce((sum, { size }) => sum + size, 0)
}

function renderTotals(stats: RegistryStats, publishers: number): Html {
  return renderCounts([
    ['brands', stats.total_brands, '/brands'],
    ['publishers', publishers, '/publishers'],
    ['properties', stats.total_properties, '/publishers?sort=properties'],
    ['agents', stats.total_agents, '/agents'],
    ['authorizations', stats.authorizations, '/publishers?sort=agents'],
  ])
}

/** Lists the brands that changed last. Only a file of its own brings a brand here: members can save any name. */
async function listNewBrands(snapshot: Snapshot): Promise<BrandRow[]> {
  const asked = { filters: { verified: 'yes' }, sort: 'changed', after: undefined }
  return (await listDirectory<BrandRow>(snapshot, brandDirectory, { ...asked, limit: NAMES_SHOWN }))
    .rows
}

/** Finds a brand that belongs to a house, of which there is the most to see. */
async function findSubBrand(snapshot: Snapshot): Promise<BrandRow | undefined> {
  const filters = { verified: 'yes', type: 'sub_brand' }
  const asked = { filters, sort: 'name', after: undefined, limit: SUB_BRANDS_READ }
  const { rows } = await listDirectory<BrandRow>(snapshot, brandDirectory, asked)
  return rows.find(({ id, house_domain }) => house_domain !== null && house_domain !== id)
}

async function listLargePublishers(snapshot: Snapshot): Promise<PublisherRow[]> {
  const asked = { filters: { sells: 'yes' }, sort: 'agents', after: undefined, limit: NAMES_SHOWN }
  return (await listDirectory<PublisherRow>(snapshot, publisherDirectory, asked)).rows
}

/** Renders examples, for visitors who have no domain in mind. */
function renderNames(
  reader: Reader,
  brands: readonly BrandRow[],
  publishers: readonly PublisherRow[],
): Html | null {
  if (brands.length + publishers.length === 0) return null
  const faces = findFaces(
    reader,
    [...brands, ...publishers].map(({ id }) => id),
  )
  return renderSection(
    'begin',
    'Browse',
    <>
      {renderList(
        'Recently changed brands',
        brands.map(({ id }) => [faces.renderLink(id, toBrandPath(id)), null]),
      )}
      {renderList(
        'Publishers with the most agents',
        publishers.map(({ id, agents }) => [
          <a class="face" href={toPublisherPath(id)}>
            {faces.renderMark(id)}
            {faces.renderName(id)}
          </a>,
          countThings(agents, 'agent'),
        ]),
      )}
    </>,
  )
}

/** Renders things one below the other, with what is said of each at the side. */
function renderList(
  title: string,
  things: readonly (readonly [link: Html, said: string | null])[],
): Html | null {
  if (things.length === 0) return null
  return (
    <>
      <h3>{title}</h3>
      <ul class="names">
        {things.map(([link, said]) => (
          <li>
            {link}
            {said === null ? null : <span class="quiet">{said}</span>}
          </li>
        ))}
      </ul>
    </>
  )
}
