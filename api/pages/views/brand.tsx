import type { Domain } from '../../../pipeline/core/domain.ts'
import type { LogoList } from '../../../pipeline/model/logo.ts'
import type { History } from '../../../pipeline/model/responses/history.ts'
import type { BrandResolution, FreshnessBlock } from '../../../pipeline/model/responses/index.ts'
import { findKnownFile } from '../../../pipeline/read/queries/file-records.ts'
import { loadPortfolio } from '../../../pipeline/read/queries/portfolios.ts'
import { getSnapshot } from '../../responses/lists.ts'
import { resolveBrand } from '../../routes/brands/brands.ts'
import { listLogos } from '../../routes/brands/logos.ts'
import { brandHistory } from '../../routes/community/history.ts'
import { askIfReady, type Reply } from '../ask.ts'
import { Fragment, h } from '../html/jsx.ts'
import { renderMoment } from '../html/text.tsx'
import { renderFacts, renderSection } from '../parts/blocks.tsx'
import { renderHead, renderHistory, renderLooks, renderRaw } from '../parts/brand.tsx'
import { renderFaults } from '../parts/faults.tsx'
import { renderFreshness } from '../parts/freshness.tsx'
import { toPublisherPath } from '../parts/paths.ts'
import { renderHouse } from '../parts/portfolio.tsx'
import { renderProblem } from '../parts/problem.tsx'
import type { View, ViewCall } from '../view.ts'

interface Refused {
  error: string
  freshness?: FreshnessBlock
}

/** Shows which brand a domain is, and who says so. */
export async function show({
  params: { domain },
  ask,
  services,
}: ViewCall<unknown, { domain: Domain }>): Promise<View> {
  const query = { domain }
  const found = await ask<BrandResolution | Refused>(resolveBrand, { query })
  if (found.status !== 200) return showUnknown(domain, found.body as Refused)
  const brand = found.body as BrandResolution
  const { reader } = services
  const [logos, history, file, portfolio] = await Promise.all([
    ask<LogoList>(listLogos, { params: { domain } }),
    ask<History>(brandHistory, { query: { domain, limit: '10' } }),
    askIfReady(reader, async () => {
      const snapshot = getSnapshot(reader)
      return snapshot && findKnownFile(snapshot, { kind: 'brand.json', location: domain })
    }),
    askIfReady(reader, async () => {
      const snapshot = getSnapshot(reader)
      return snapshot && loadPortfolio(snapshot, domain)
    }),
  ])
  return {
    title: brand.brand_name,
    description: `${brand.brand_name} is the brand of ${domain}, as ${sources[brand.source]} says.`,
    json: `/api/brands/resolve?${new URLSearchParams(query)}`,
    body: (
      <>
        {renderHead(brand, domain, logos.body)}
        {renderFreshness(brand.freshness, 'brand.json')}
        {renderSection('identity', 'Identity', renderIdentity(brand, domain))}
        {renderLooks(brand, logos.body)}
        {renderHouse(brand, domain, portfolio)}
        {!file && brand.source !== 'brand_json'
          ? null
          : renderSection(
              'file',
              'The file',
              <>
                {!file
                  ? null
                  : renderFacts([
                      ['First read', renderMoment(file.first_seen_at)],
                      ['Changed', renderMoment(file.changed_at)],
                    ])}
                <h3>Faults</h3>
                {renderFaults(file)}
              </>,
            )}
        {renderSection('history', 'Edits by members', renderHistory(toHistory(history)))}
        {renderSection('raw', 'As the registry holds it', renderRaw(brand))}
      </>
    ),
  }
}

function toHistory({ status, body }: Reply<History>): History['revisions'] {
  return status === 200 ? body.revisions : []
}

const sources = {
  brand_json: 'its own file',
  enriched: 'a third party',
  community: 'a member of the registry',
} as const

function renderIdentity(brand: BrandResolution, domain: string) {
  return renderFacts([
    ['Canonical id', <code>{brand.canonical_id}</code>],
    ['Domain', <code>{brand.canonical_domain}</code>],
    ['Said by', sources[brand.source]],
    ['Role', brand.keller_type],
    ['Brand id', brand.brand_id && <code>{brand.brand_id.slice(0, 120)}</code>],
    ['Inventory', <a href={toPublisherPath(domain)}>What {domain} owns and who may sell it</a>],
  ])
}

function showUnknown(domain: string, { error, freshness }: Refused): View {
  const title = `No brand is known for ${domain}`
  return {
    status: 404,
    title,
    description: error,
    body: renderProblem(
      title,
      freshness?.state === 'never_crawled'
        ? 'Nobody had asked for it. The registry looks at the domain now: come back in a minute.'
        : 'Its brand.json does not say which brand it is, and nobody else has told.',
      <>
        {renderFreshness(freshness, 'brand.json')}
        <p>
          <a href={toPublisherPath(domain)}>Inventory of {domain}</a>
        </p>
      </>,
    ),
  }
}
