import { countThings } from '../../../pipeline/core/counts.ts'
import type { Domain } from '../../../pipeline/core/domain.ts'
import { DEFAULT_KELLER_TYPE } from '../../../pipeline/model/documents/vocabulary.ts'
import { buildHostedAddress } from '../../../pipeline/model/hosted.ts'
import type { LogoList } from '../../../pipeline/model/logo.ts'
import { type Source, toUrl } from '../../../pipeline/model/observation.ts'
import type {
  BrandResolution,
  FreshnessBlock,
  PublisherLookup,
} from '../../../pipeline/model/responses/index.ts'
import type { FileRecord } from '../../../pipeline/read/lookups/file-records.ts'
import { findLogos } from '../../../pipeline/read/lookups/logos.ts'
import { findHostedByOwner } from '../../../pipeline/read/lookups/ownership.ts'
import { listPortfolio, type Portfolio } from '../../../pipeline/read/lookups/portfolios.ts'
import { resolveBrand } from '../../routes/brands/brands.ts'
import { listLogos } from '../../routes/brands/logos.ts'
import { brandHistory } from '../../routes/community/history.ts'
import { readBrandRevision } from '../../routes/community/revisions.ts'
import { lookUpPublisher } from '../../routes/lookups.ts'
import { type FileIssues, loadIssues } from '../counted-faults.ts'
import { brandChoices } from '../directory-choices.ts'
import { Fragment, type Html, h } from '../html/jsx.ts'
import { clipText } from '../html/text.tsx'
import { renderFacts, renderSection } from '../parts/blocks.tsx'
import { findSource, renderHead, renderLooks, renderRaw } from '../parts/brand.tsx'
import { loadEdits, renderHistory } from '../parts/edits.tsx'
import { renderIssues } from '../parts/faults.tsx'
import { renderFreshness } from '../parts/freshness.tsx'
import { renderMeant, renderOwnerLinks } from '../parts/owner-links.tsx'
import { toBrandPath, toPublisherPath } from '../parts/paths.ts'
import { toPlainWords } from '../parts/plain-words.ts'
import { renderHouse, renderTree } from '../parts/portfolio.tsx'
import { renderProblem } from '../parts/problem.tsx'
import { isNothing, renderNextStep } from '../parts/publisher.tsx'
import { listRawFacts } from '../parts/raw-file.tsx'
import { renderWatch } from '../parts/watch.tsx'
import type { View, ViewCall } from '../view.ts'
import { loadShownFile, type ShownFile } from '../withheld-file.ts'

interface Refused {
  error: string
  did_you_mean?: string[]
  freshness?: FreshnessBlock
}

/** A file with its issues. */
type ExaminedFile = ShownFile & { issues: FileIssues }

const edited = {
  entity: 'brand',
  list: brandHistory,
  read: readBrandRevision,
} as const

/** Shows which brand a domain is, and who says so. */
export async function show(call: ViewCall<unknown, { domain: Domain }>): Promise<View> {
  const { ask, services } = call
  const { domain } = call.params
  const query = { domain }
  const found = await ask<BrandResolution | Refused>(resolveBrand, { query })
  const source: Source = { kind: 'brand.json', location: domain }
  const record = await loadShownFile(source, services)
  const file = record && { ...record, issues: await loadIssues({ source, file: record }, call) }
  const portfolio = listPortfolio(services.reader, domain)
  if (found.status !== 200) {
    const refused = found.body as Refused
    const edits = await loadEdits({ ask, services }, edited, domain)
    return portfolio.total > 0
      ? showHouse({ services, domain, edits }, refused, file, portfolio)
      : showUnknown({ services, domain, edits }, refused)
  }
  const brand = found.body as BrandResolution
  const [hasInventory, logos, edits] = await Promise.all([
    findInventory(ask, domain),
    loadLogos({ ask, services }, domain),
    loadEdits({ ask, services }, edited, domain),
  ])
  const hosted = findOwnersFile(brand, domain, services)
  const describer = findDescriber(brand, file)
  const asked = { ...hosted?.house, ...brand }
  const house = renderHouse(services.reader, asked, domain, portfolio)
  // That there is no house is the smallest news.
  const isAlone = portfolio.total === 0 && !(asked.house_domain ?? asked.claimed_house_domain)
  const teller = hosted === undefined ? (describer ?? sources[brand.source]) : 'its owner'
  return {
    title: brand.brand_name,
    description: `${brand.brand_name} is the brand of ${domain}, according to ${teller}.`,
    followed: { brand: domain },
    json: `/api/brands/resolve?${new URLSearchParams(query)}`,
    body: (
      <>
        {renderHead(brand, domain, logos, {
          isHouse: portfolio.total > 0,
          isHosted: hosted !== undefined,
          describer,
          watch: renderWatch(services, 'brand', domain),
        })}
        {hosted === undefined ? null : renderNextStep(hosted, services.baseUrl())}
        {renderFreshness(brand.freshness, 'brand.json')}
        {renderBrandLinks(services, domain, file)}
        {isAlone ? null : house}
        {renderIdentity(brand, domain, hasInventory)}
        {renderLooks(brand)}
        {isAlone ? house : null}
        {!file && brand.source !== 'brand_json'
          ? null
          : renderSection('file', 'File status', renderFile(file, domain, describer))}
        {renderSection('history', 'What changed', renderHistory('brand', domain, edits, file))}
        {renderSection('raw', 'Raw record', renderRaw(brand))}
      </>
    ),
  }
}

/** Tells whether the page of a domain's inventory has anything to show. */
async function findInventory(ask: ViewCall['ask'], domain: string): Promise<boolean> {
  const query = { domain, limit: '1' }
  return !isNothing((await ask<PublisherLookup>(lookUpPublisher, { query })).body)
}

/** Loads the logos that everybody may see; asks nothing where there are none. */
async function loadLogos(
  { ask, services }: Pick<ViewCall, 'ask' | 'services'>,
  domain: string,
): Promise<LogoList['logos']> {
  if (findLogos(services.reader, domain).length === 0) return []
  return (await ask<LogoList>(listLogos, { params: { domain } })).body.logos
}

/** A brand.json that the owner of its domain hosts here, and the house that it names. */
interface OwnersFile {
  hosted_url: string
  expected_url: string
  house: Pick<BrandResolution, 'claimed_house_domain'>
}

/** Finds the file that a brand's owner hosts here, while the domain does not point to it. */
function findOwnersFile(
  { source }: BrandResolution,
  domain: Domain,
  { reader, config, baseUrl }: ViewCall['services'],
): OwnersFile | undefined {
  if (source !== 'community') return undefined
  const file = findHostedByOwner(reader, 'brand.json', domain, config.LIMITS.proofDays)
  if (file === undefined) return undefined
  const { house } = JSON.parse(file.body.toString()) as { house?: string | { domain?: string } }
  const claimed_house_domain = typeof house === 'object' ? house.domain : house
  return {
    hosted_url: buildHostedAddress(baseUrl(), 'brand.json', domain),
    expected_url: toUrl({ kind: 'brand.json', location: domain }),
    house: claimed_house_domain === undefined ? {} : { claimed_house_domain },
  }
}

/** Names the file that describes a brand, where its own one is no more than a pointer to that. */
function findDescriber(
  brand: BrandResolution,
  file: FileRecord | null | undefined,
): string | undefined {
  const source = findSource(brand, file)
  if (source === 'file_elsewhere') return 'the file it points to'
  return source === 'house_file' ? `${brand.house_name}’s file` : undefined
}

const sources = {
  brand_json: 'its own file',
  enriched: 'a third party',
  community: 'a member of the registry',
} as const

/** Renders the ids of a brand, as far as they differ from the domain above them. */
function renderIdentity(
  { canonical_id, canonical_domain, ...brand }: BrandResolution,
  domain: string,
  hasInventory: boolean,
): Html | null {
  const facts = renderFacts([
    ['Canonical ID', canonical_id !== domain && <code>{canonical_id}</code>],
    [
      'Domain',
      canonical_domain !== canonical_id && canonical_domain !== domain && (
        <code>{canonical_domain}</code>
      ),
    ],
    // The resolution says `master` also where no file states a type.
    ['Type', brand.keller_type !== DEFAULT_KELLER_TYPE && describeType(brand.keller_type)],
    ['Brand ID', brand.brand_id && <code>{brand.brand_id.slice(0, 120)}</code>],
    [
      'Inventory',
      hasInventory && <a href={toPublisherPath(domain)}>Properties and authorized agents</a>,
    ],
  ])
  return facts && renderSection('identity', 'Identity', facts)
}

const typeWords: Readonly<Record<string, string>> = brandChoices.fields.type.words

/** Describes the type of a brand in the word of the list of brands. */
function describeType(type: string): string {
  return (Object.hasOwn(typeWords, type) && typeWords[type]) || toPlainWords(type)
}

/** Describes whether a house names its brands, or they name it. */
function describeNaming({ brands }: Portfolio): string {
  const trusts = new Set(brands.map(({ relationship_trust }) => relationship_trust))
  const isNamed = trusts.has('mutual') || trusts.has('leaf_only') || trusts.has('unverifiable')
  const isNaming = trusts.has('mutual') || trusts.has('house_only') || trusts.has('inline')
  if (isNamed && isNaming) return 'It names brands, and brands name it as their house.'
  return isNaming ? 'It names brands as its own.' : 'Brands name it as their house.'
}

/** A domain without a brand, and the edits of the entry that it had. */
interface Unbranded {
  services: ViewCall['services']
  domain: Domain
  edits: Awaited<ReturnType<typeof loadEdits>>
}

/** Shows a house of which only its brands are known. */
function showHouse(
  { services, domain, edits }: Unbranded,
  { freshness }: Refused,
  file: ExaminedFile | null | undefined,
  portfolio: Portfolio,
): View {
  const brands = countThings(portfolio.total, 'brand')
  return {
    title: `The house ${domain}`,
    description: `The domain ${domain} isn’t a brand itself. ${describeNaming(portfolio)}`,
    body: (
      <>
        <div class="title">
          <div>
            <p class="kicker">House</p>
            <h1>{domain}</h1>
          </div>
          {renderWatch(services, 'brand', domain)}
        </div>
        <p class="lead">This domain isn’t a brand itself. {describeNaming(portfolio)}</p>
        {renderFreshness(freshness, 'brand.json')}
        {renderBrandLinks(services, domain, file)}
        {renderSection(
          'house',
          'Portfolio',
          renderTree(services.reader, portfolio, { name: domain, domain }),
          brands,
        )}
        {!file ? null : renderSection('file', 'File status', renderFile(file, domain))}
        {renderSection('history', 'What changed', renderHistory('brand', domain, edits, file))}
        <p>
          <a href={toPublisherPath(domain)}>View publisher page</a>
        </p>
      </>
    ),
  }
}

function renderBrandLinks(
  services: ViewCall['services'],
  domain: Domain,
  file: ExaminedFile | null | undefined,
): Html {
  const label = file ? undefined : 'Check a file'
  return renderOwnerLinks(services, { domain, kind: 'brand.json' }, label)
}

function renderFile(file: ExaminedFile | null | undefined, domain: Domain, describer?: string) {
  const source: Source = { kind: 'brand.json', location: domain }
  return (
    <>
      {describer === undefined ? null : (
        <p>
          This brand is described in {clipText(describer, 80)}.
          {file ? ' The raw file below is the domain’s own.' : ''}
        </p>
      )}
      {!file ? null : renderFacts(listRawFacts(source, file))}
      <h3>Issues</h3>
      {renderIssues(source, file, file?.issues)}
    </>
  )
}

function showUnknown(
  { services, domain, edits }: Unbranded,
  { error, did_you_mean, freshness }: Refused,
): View {
  const title = `No brand found for ${domain}`
  return {
    status: 404,
    title,
    description: error,
    body: renderProblem(
      title,
      describeMissing(freshness?.state),
      <>
        {renderMeant(did_you_mean, toBrandPath)}
        {renderFreshness(freshness, 'brand.json')}
        <p>
          <a href={toPublisherPath(domain)}>View publisher page</a>
        </p>
        {renderOwnerLinks(services, { domain, kind: 'brand.json' }, 'Check a file')}
        {edits.length === 0
          ? null
          : renderSection(
              'history',
              'What changed',
              renderHistory('brand', domain, edits, undefined),
            )}
      </>,
      { kind: 'Brand', watch: renderWatch(services, 'brand', domain) },
    ),
  }
}

function describeMissing(state: FreshnessBlock['state'] | undefined): string {
  switch (state) {
    case 'never_crawled':
      return 'The registry hasn’t read this domain’s brand.json yet. A domain is usually crawled within a minute of its first lookup.'
    case 'absent':
      return 'This domain has no brand.json file, and no member has added an entry.'
    case 'failing':
    case 'invalid':
      return 'The registry couldn’t read this domain’s brand.json file, and no member has added an entry.'
    default:
      return 'Its brand.json doesn’t identify a brand, and no member has added an entry.'
  }
}
