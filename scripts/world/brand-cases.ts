import { json, status } from './answer.ts'
import { canonical, portfolio, slug, titleOf, website } from './documents.ts'
import { brandPages } from './home-pages.ts'
import type { Doc, Place } from './site.ts'

const house = 'many-houses.example'
const central = 'brands.central-hosting.example'

/** Brands that each show one rule of identity or trust. */
export function brandCases(): Place[] {
  return [...houseCases, ...leafCases, ...walks, ...pointers, ...agentDocuments]
}

const houseCases: Place[] = [
  brand(house, 'portfolio', () =>
    portfolio({
      house: { domain: house, name: 'Many Houses', architecture: 'house_of_brands' },
      brand_refs: [
        ref('ref-too-old.example', { effective_at: '2020-01-01T00:00:00Z' }),
        ref('ref-to-come.example', { effective_at: '2090-01-01T00:00:00Z' }),
        ref('ref-one-sided.example'),
        ref('ref-wrong-id.example', { brand_id: 'another_name' }),
        ref('ref-absent.example'),
        ref('xn--mnchen-3ya.example', { brand_id: 'muenchen' }),
      ],
    }),
  ),
  brand('wrong-house-domain.example', 'invalid', () =>
    portfolio({
      house: { domain: house, name: 'Many Houses' },
      brands: [{ id: 'impostor', names: [{ en: 'Impostor' }] }],
    }),
  ),
  brand('doubled-brands.example', 'invalid', host =>
    portfolio({
      house: { domain: host, name: 'Doubled' },
      brands: [1, 2].map(() => ({ id: 'twice', names: [{ en: 'Twice' }] })),
    }),
  ),
  brand('sells-for-others.example', 'portfolio', host =>
    portfolio({
      house: { domain: host, name: 'Sells For Others' },
      brands: [
        {
          id: 'sells_for_others',
          names: [{ en: 'Sells For Others' }],
          keller_type: 'master',
          properties: [
            website(host, { primary: true }),
            website('sold-by-others.example', { relationship: 'delegated' }),
            website('placed-ads.example', { relationship: 'ad_network' }),
            website('exclusive-seller.example', { relationship: 'direct' }),
          ],
        },
      ],
    }),
  ),
]

const leafCases: Place[] = [
  brand('claims-a-house.example', 'canonical_leaf_only', claiming(house)),
  brand('ref-too-old.example', 'canonical_leaf_only', claiming(house)),
  brand('ref-to-come.example', 'canonical_leaf_only', claiming(house)),
  brand('ref-one-sided.example', 'canonical', host => canonical(host, titleOf(host))),
  brand('ref-wrong-id.example', 'canonical_leaf_only', claiming(house)),
  brand('xn--mnchen-3ya.example', 'canonical_mutual', host =>
    canonical(host, 'München', { id: 'muenchen', house_domain: house }),
  ),
  brand('house-is-down.example', 'canonical_unverifiable', claiming('dirt-status-503.example')),
  brand('house-is-absent.example', 'canonical_unverifiable', claiming('nobody-home.example')),
  brand(
    'sold-by-others.example',
    'house_redirect_unlisted',
    redirecting('sells-for-others.example'),
  ),
  brand('uninvited.example', 'house_redirect_unlisted', redirecting(house)),
  brand('stands-alone.example', 'canonical', host => canonical(host, titleOf(host))),
  brand('xn--bcher-kva.example', 'canonical', host =>
    canonical(host, 'Bücher', { id: 'buecher', names: [{ de: 'Bücher' }, { en: 'Books' }] }),
  ),
  { host: 'ref-absent.example' },
  homePageOnly('only-a-home-page.example'),
]

/** Houses that redirect on: two in a ring, a walk just short enough and one too long. */
const walks: Place[] = [
  brand('ring-one.example', 'house_loop', redirecting('ring-two.example')),
  brand('ring-two.example', 'house_loop', redirecting('ring-one.example')),
  brand('own-house.example', 'house_loop', redirecting('own-house.example')),
  brand('walk-5.example', 'house_too_far', redirecting('walk-4.example')),
  brand('walk-4.example', 'house_too_far', redirecting('walk-3.example')),
  brand('walk-3.example', 'house_redirect', redirecting('walk-2.example')),
  brand('walk-2.example', 'house_redirect', redirecting('walk-1.example')),
  brand('walk-1.example', 'house_redirect', redirecting('walk-end.example')),
  brand('walk-end.example', 'portfolio', host =>
    portfolio({
      house: { domain: host, name: 'Walk End' },
      brands: [
        {
          id: 'walk_end',
          names: [{ en: 'Walk End' }],
          keller_type: 'master',
          properties: [host, ...[1, 2, 3, 4, 5].map(n => `walk-${n}.example`)].map(domain =>
            website(domain),
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
        json(canonical('hosted-centrally.example', 'Hosted Centrally')),
      '/no-websites.json': () =>
        json(canonical('hosted-unbound.example', 'Hosted Unbound', { properties: [] })),
      '/somebody-else.json': () => json(canonical('somebody-else.example', 'Somebody Else')),
      '/failing.json': () => status(500),
    },
  },
  pointer('hosted-centrally.example', 'pointer', `https://${central}/hosted-centrally.json`),
  pointer('hosted-unbound.example', 'pointer', `https://${central}/no-websites.json`),
  pointer('hosted-elsewhere.example', 'pointer_unbound', `https://${central}/somebody-else.json`),
  pointer('hosted-nowhere.example', 'pointer_absent', `https://${central}/nothing.json`),
  pointer('hosted-badly.example', 'pointer_status_500', `https://${central}/failing.json`),
  pointer('hosted-insecurely.example', 'pointer_insecure', `http://${central}/no-websites.json`),
  pointer(
    'hosted-here.example',
    'pointer_to_itself',
    'https://hosted-here.example/.well-known/brand.json',
  ),
]

const agentDocuments: Place[] = [
  brand('agent-for-brand.example', 'brand_agent', host => ({
    version: '1.0',
    agents: [{ type: 'brand', url: `https://identity.${host}/mcp`, id: 'brand_agent' }],
  })),
  brand('old-brand-agent.example', 'brand_agent', host => ({
    brand_agent: { url: `https://identity.${host}/mcp`, id: 'brand_agent' },
  })),
  brand('agents-doubled.example', 'invalid', host => ({
    agents: [1, 2].map(n => ({ type: 'brand', url: `https://identity.${host}/mcp`, id: `a_${n}` })),
  })),
]

function brand(host: string, situation: string, write: (host: string) => Doc): Place {
  const document = (): Doc => write(host)
  return { host, title: titleOf(host), files: { 'brand.json': { situation, document } } }
}

/** Says who it is to people and search engines, and to nobody else. */
function homePageOnly(host: string): Place {
  return { host, title: titleOf(host), pages: brandPages(host, titleOf(host)) }
}

function pointer(host: string, situation: string, authoritative_location: string): Place {
  return brand(host, situation, () => ({ authoritative_location }))
}

function claiming(house_domain: string): (host: string) => Doc {
  return host => canonical(host, titleOf(host), { house_domain })
}

function redirecting(to: string): (host: string) => Doc {
  return () => ({ house: to, redirect_reason: 'consolidation' })
}

function ref(domain: string, more: Doc = {}): Doc {
  return { domain, brand_id: slug(titleOf(domain)), ...more }
}
