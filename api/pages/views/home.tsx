import { eventTypeNames } from '../../../pipeline/model/event.ts'
import type { PublisherList } from '../../../pipeline/model/responses/agents.ts'
import type {
  BrandList,
  PublisherLookup,
  RegistryStats,
} from '../../../pipeline/model/responses/index.ts'
import { listNewestEvents } from '../../../pipeline/read/lookups/newest-events.ts'
import { loadCrawlOverview } from '../../../pipeline/read/queries/crawl-overview.ts'
import type { Reader } from '../../../pipeline/read/reader.ts'
import { listRegisteredBrands } from '../../routes/brands/brands.ts'
import { lookUpPublisher, registryStats } from '../../routes/lookups.ts'
import { listRegisteredPublishers } from '../../routes/publishers.ts'
import { askIfReady } from '../ask.ts'
import { Fragment, type Html, h } from '../html/jsx.ts'
import { countThings, renderMoment, renderName } from '../html/text.tsx'
import { renderCounts, renderSection } from '../parts/blocks.tsx'
import { renderSearch } from '../parts/document.tsx'
import { renderEvents } from '../parts/events.tsx'
import { findFaces } from '../parts/faces.tsx'
import { renderLatestDays } from '../parts/latest-days.tsx'
import { toBrandPath, toPublisherPath } from '../parts/paths.ts'
import type { View, ViewCall } from '../view.ts'

const EVENTS_READ = 100
const STORIES_SHOWN_MAX = 8
const EVENTS_BYTES = 12_000
const NAMES = '12'
const SELLERS_TRIED = 5

/** Shows what the registry knows today. */
export async function show({ ask, services }: ViewCall): Promise<View> {
  const { reader, config } = services
  const { snapshot } = reader
  const [stats, brands, publishers, overview] = await Promise.all([
    askIfReady(reader, () => ask<RegistryStats>(registryStats)),
    askIfReady(reader, () => ask<BrandList>(listRegisteredBrands, { query: { limit: NAMES } })),
    askIfReady(reader, () =>
      ask<PublisherList>(listRegisteredPublishers, { query: { limit: NAMES } }),
    ),
    askIfReady(reader, async () => snapshot && loadCrawlOverview(snapshot, reader.now())),
  ])
  const events = listNewestEvents(reader, {
    types: eventTypeNames,
    limit: EVENTS_READ,
    retentionDays: config.LIMITS.feedRetentionDays,
  })
  const counts = stats?.body
  const seller = await askIfReady(reader, () => findSeller(ask, publishers?.body))
  return {
    title: 'Agentic Ad Registry',
    description:
      'Which brand is this domain, what does this publisher own, and may this agent sell it? ' +
      'Answers from the files that domains publish, with their evidence.',
    json: '/api/registry/stats',
    isLive: true,
    body: (
      <>
        <section class="hero">
          <h1>See who may sell a publisher’s ads, and who says so</h1>
          <p class="lead">
            Brands, publishers and advertising agents, read from the files that domains publish
            themselves.
          </p>
          {renderSearch(undefined, 'large')}
          {renderQuestions(brands?.body.brands[0], seller)}
        </section>
        {counts === undefined || counts.seq === 0 ? renderBeginning() : renderTotals(counts)}
        {overview === undefined ? null : (
          <p class="asof">
            Last fetch {renderMoment(overview.last_attempt_at)}
            {overview.due > 0 ? `, ${countThings(overview.due, 'file')} due now` : ''}.{' '}
            <a href="/crawl">Crawl status</a>
          </p>
        )}
        <div class="columns">
          {renderSection(
            'changes',
            'Latest changes',
            renderEvents(reader, events, { limit: STORIES_SHOWN_MAX, bytes: EVENTS_BYTES }).html,
            <a href="/changes">all</a>,
          )}
          <div>
            {overview === undefined || overview.days.length < 2
              ? null
              : renderSection('growth', 'Growth', renderLatestDays(overview))}
            {renderNames(reader, brands?.body, publishers?.body)}
          </div>
        </div>
      </>
    ),
  }
}

/** An agent that a publisher authorized. */
interface Seller {
  domain: string
  agent_url: string
}

/** Finds one of the listed publishers that authorized an agent. */
async function findSeller(
  ask: ViewCall['ask'],
  listed: PublisherList | undefined,
): Promise<Seller | undefined> {
  for (const { domain } of listed?.publishers.slice(0, SELLERS_TRIED) ?? []) {
    const query = { domain, limit: '1' }
    const { body } = await ask<PublisherLookup>(lookUpPublisher, { query })
    const agent_url = body.authorized_agents[0]?.url
    if (agent_url !== undefined) return { domain, agent_url }
  }
  return undefined
}

/** Renders the questions that the registry answers, about names that it knows. */
function renderQuestions(
  brand: BrandList['brands'][number] | undefined,
  seller: Seller | undefined,
): Html {
  if (brand === undefined || seller === undefined) {
    return (
      <p>
        Or ask whether <a href="/authorization">an agent may sell something</a>, and why.
      </p>
    )
  }
  const { domain, agent_url } = seller
  const sale = new URLSearchParams({ agent_url, identifier_value: domain })
  return (
    <ul class="chips">
      <li>
        <a href={toBrandPath(brand.domain)}>Which brand is {renderName(brand.domain, 40)}?</a>
      </li>
      <li>
        <a href={toPublisherPath(domain)}>What does {renderName(domain, 40)} own?</a>
      </li>
      <li>
        <a href={`/authorization?${sale}`}>
          May {renderName(new URL(agent_url).hostname, 40)} sell it?
        </a>
      </li>
    </ul>
  )
}

function renderBeginning(): Html {
  return (
    <p class="notice" role="status">
      The first crawl is in progress. Counts appear here once the first files have been read.
    </p>
  )
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

/** Renders examples, for visitors who have no domain in mind. */
function renderNames(
  reader: Reader,
  brands: BrandList | undefined,
  publishers: PublisherList | undefined,
): Html | null {
  const named = brands?.brands ?? []
  const owning = publishers?.publishers ?? []
  if (named.length + owning.length === 0) return null
  const faces = findFaces(
    reader,
    [...named, ...owning].map(({ domain }) => domain),
  )
  return renderSection(
    'begin',
    'Browse',
    <>
      <h3>Brands</h3>
      <ul class="chips">
        {named.map(({ domain }) => (
          <li>
            <a class="face" href={toBrandPath(domain)}>
              {faces.renderMark(domain)} {faces.renderName(domain)}
            </a>
          </li>
        ))}
      </ul>
      <h3>Publishers</h3>
      <ul class="chips">
        {owning.map(({ domain }) => (
          <li>{faces.renderLink(domain, toPublisherPath(domain))}</li>
        ))}
      </ul>
    </>,
  )
}
