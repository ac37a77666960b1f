import { answerJson, answerStatus } from './answer.ts'
import { buildCanonical, buildPortfolio, buildWebsite, toSlug, toTitle } from './documents.ts'
import { buildBrandPages } from './home-pages.ts'
import type { Doc, Place } from './site.ts'

const house = 'many-houses.example'
const central = 'brands.central-hosting.example'

/** Builds brands that each show one rule of identity or trust. */
export function buildBrandCases(): Place[] {
  return [...houseCases, ...leafCases, ...walks, ...pointers, ...agentDocuments]
}

const houseCases: Place[] = [
  buildBrand(house, 'portfolio', () =>
    buildPortfolio({
      house: { domain: house, name: 'Many Houses', architecture: 'house_of_brands' },
      brand_refs: [
        buildRef('ref-too-old.example', { effective_at: '2020-01-01T00:00:00Z' }),
        buildRef('ref-to-come.example', { effective_at: '2090-01-01T00:00:00Z' }),
        buildRef('ref-one-sided.example'),
        buildRef('ref-wrong-id.example', { brand_id: 'another_name' }),
        buildRef('ref-absent.example'),
        buildRef('xn--mnchen-3ya.example', { brand_id: 'muenchen' }),
      ],
    }),
  ),
  buildBrand('wrong-house-domain.example', 'invalid', () =>
    buildPortfolio({
      house: { domain: house, name: 'Many Houses' },
      brands: [{ id: 'impostor', names: [{ en: 'Impostor' }] }],
    }),
  ),
  buildBrand('doubled-brands.example', 'invalid', host =>
    buildPortfolio({
      house: { domain: host, name: 'Doubled' },
      brands: [1, 2].map(() => ({ id: 'twice', names: [{ en: 'Twice' }] })),
    }),
  ),
  buildBrand('sells-for-others.example', 'portfolio', host =>
    buildPortfolio({
      house: { domain: host, name: 'Sells For Others' },
      brands: [
        {
          id: 'sells_for_others',
          names: [{ en: 'Sells For Others' }],
          keller_type: 'master',
          properties: [
            buildWebsite(host, { primary: true }),
            buildWebsite('sold-by-others.example', { relationship: 'delegated' }),
            buildWebsite('placed-ads.example', { relationship: 'ad_network' }),
            buildWebsite('exclusive-seller.example', { relationship: 'direct' }),
          ],
        },
      ],
    }),
  ),
]

const leafCases: Place[] = [
  buildBrand('claims-a-house.example', 'canonical_leaf_only', claimHouse(house)),
  buildBrand('ref-too-old.example', 'canonical_leaf_only', claimHouse(house)),
  buildBrand('ref-to-come.example', 'canonical_leaf_only', claimHouse(house)),
  buildBrand('ref-one-sided.example', 'canonical', host => buildCanonical(host, toTitle(host))),
  buildBrand('ref-wrong-id.example', 'canonical_leaf_only', claimHouse(house)),
  buildBrand('xn--mnchen-3ya.example', 'canonical_mutual', host =>
    buildCanonical(host, 'München', { id: 'muenchen', house_domain: house }),
  ),
  buildBrand(
    'house-is-down.example',
    'canonical_unverifiable',
    claimHouse('dirt-status-503.example'),
  ),
  buildBrand(
    'house-is-absent.example',
    'canonical_unverifiable',
    claimHouse('nobody-home.example'),
  ),
  buildBrand(
    'sold-by-others.example',
    'house_redirect_unlisted',
    redirectTo('sells-for-others.example'),
  ),
  buildBrand('uninvited.example', 'house_redirect_unlisted', redirectTo(house)),
  buildBrand('stands-alone.example', 'canonical', host => buildCanonical(host, toTitle(host))),
  buildBrand('xn--bcher-kva.example', 'canonical', host =>
    buildCanonical(host, 'Bücher', { id: 'buecher', names: [{ de: 'Bücher' }, { en: 'Books' }] }),
  ),
  { host: 'ref-absent.example' },
  buildHomePageOnly('only-a-home-page.example'),
]

/**
 * Houses that redirect to another one: a ring of two, a chain just short enough, and one too long.
 */
const walks: Place[] = [
  buildBrand('ring-one.example', 'house_loop', redirectTo('ring-two.example')),
  buildBrand('ring-two.example', 'house_loop', redirectTo('ring-one.example')),
  buildBrand('own-house.example', 'house_loop', redirectTo('own-house.example')),
  buildBrand('walk-5.example', 'house_too_far', redirectTo('walk-4.example')),
  buildBrand('walk-4.example', 'house_too_far', redirectTo('walk-3.example')),
  buildBrand('walk-3.example', 'house_redirect', redirectTo('walk-2.example')),
  buildBrand('walk-2.example', 'house_redirect', redirectTo('walk-1.example')),
  buildBrand('walk-1.example', 'house_redirect', redirectTo('walk-end.example')),
  buildBrand('walk-end.example', 'portfolio', host =>
    buildPortfolio({
      house: { domain: host, name: 'Walk End' },
      brands: [
        {
          id: 'walk_end',
          names: [{ en: 'Walk End' }],
          keller_type: 'master',
          properties: [host, ...[1, 2, 3, 4, 5].map(n => `walk-${n}.example`)].map(domain =>
            buildWebsite(domain),
          ),
        },
      ],
    }),
  ),
]

const pointers: Place[] = [
  {
    host: central,
    listed: false,
    pages: {
      '/hosted-centrally.json': () =>
        answerJson(buildCanonical('hosted-centrally.example', 'Hosted Centrally')),
      '/no-websites.json': () =>
        answerJson(buildCanonical('hosted-unbound.example', 'Hosted Unbound', { properties: [] })),
      '/somebody-else.json': () =>
        answerJson(buildCanonical('somebody-else.example', 'Somebody Else')),
      '/failing.json': () => answerStatus(500),
    },
  },
  buildPointer('hosted-centrally.example', 'pointer', `https://${central}/hosted-centrally.json`),
  buildPointer('hosted-unbound.example', 'pointer', `https://${central}/no-websites.json`),
  buildPointer(
    'hosted-elsewhere.example',
    'pointer_unbound',
    `https://${central}/somebody-else.json`,
  ),
  buildPointer('hosted-nowhere.example', 'pointer_absent', `https://${central}/nothing.json`),
  buildPointer('hosted-badly.example', 'pointer_status_500', `https://${central}/failing.json`),
  buildPointer(
    'hosted-insecurely.example',
    'pointer_insecure',
    `http://${central}/no-websites.json`,
  ),
  buildPointer(
    'hosted-here.example',
    'pointer_to_itself',
    'https://hosted-here.example/.well-known/brand.json',
  ),
]

const agentDocuments: Place[] = [
  buildBrand('agent-for-brand.example', 'brand_agent', host => ({
    version: '1.0',
    agents: [{ type: 'brand', url: `https://identity.${host}/mcp`, id: 'brand_agent' }],
  })),
  buildBrand('old-brand-agent.example', 'brand_agent', host => ({
    brand_agent: { url: `https://identity.${host}/mcp`, id: 'brand_agent' },
  })),
  buildBrand('agents-doubled.example', 'invalid', host => ({
    agents: [1, 2].map(n => ({ type: 'brand', url: `https://identity.${host}/mcp`, id: `a_${n}` })),
  })),
]

function buildBrand(host: string, situation: string, write: (host: string) => Doc): Place {
  const document = (): Doc => write(host)
  return { host, title: toTitle(host), files: { 'brand.json': { situation, document } } }
}

/** Builds a brand that only has a home page with linked data. */
function buildHomePageOnly(host: string): Place {
  return { host, title: toTitle(host), pages: buildBrandPages(host, toTitle(host)) }
}

function buildPointer(host: string, situation: string, authoritative_location: string): Place {
  return buildBrand(host, situation, () => ({ authoritative_location }))
}

function claimHouse(house_domain: string): (host: string) => Doc {
  return host => buildCanonical(host, toTitle(host), { house_domain })
}

function redirectTo(to: string): (host: string) => Doc {
  return () => ({ house: to, redirect_reason: 'consolidation' })
}

function buildRef(domain: string, more: Doc = {}): Doc {
  return { domain, brand_id: toSlug(toTitle(domain)), ...more }
}
