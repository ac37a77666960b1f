import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DAY } from '../../../pipeline/core/clock.ts'
import type { BrandDocument } from '../../../pipeline/model/documents/index.ts'
import type { BrandFacts } from '../../../pipeline/resolve/brand.ts'
import { findDocument, NOW, resolveOnWeb, type Web } from '../../support/worlds/brand-resolution.ts'

type Portfolio = Extract<BrandDocument, { variant: 'house_portfolio' }>

/** Few, so that what they publish has to do with one another. */
const domains = ['a.example', 'b.example', 'c.example']
const files = ['https://cdn.example/1.json', 'https://a.example/3.json']
const wellKnown = domains.map(domain => `https://${domain}/.well-known/brand.json`)

const domain = fc.constantFrom(...domains)
/** Draws brands whose websites have one of these relationships. */
const brandIn = (...ways: (string | undefined)[]) =>
  fc.record({
    id: fc.constantFrom('one', 'two'),
    names: fc.constant([{ en: 'Name' }]),
    keller_type: fc.constantFrom('master', 'sub_brand'),
    properties: fc.array(
      fc.record({
        type: fc.constantFrom('website', 'website', 'mobile_app'),
        identifier: domain,
        primary: fc.boolean(),
        relationship: fc.constantFrom(...ways),
      }),
      { maxLength: 4 },
    ),
  })
type Brands = ReturnType<typeof brandIn>

const ref = fc.record({
  domain,
  brand_id: fc.constantFrom('one', 'two'),
  effective_at: fc.constantFrom(
    undefined,
    '2026-11-01T00:00:00Z',
    '2020-01-01T00:00:00Z',
    '2090-01-01T00:00:00Z',
  ),
})
/** Draws a portfolio, mostly of the domain that serves it. */
const buildPortfolio = (brand: Brands, location: string) =>
  fc.record({
    house: fc
      .oneof({ weight: 3, arbitrary: fc.constant(location.split('/')[2] ?? location) }, domain)
      .map(name => ({ domain: name, name })),
    brands: fc.array(brand, { maxLength: 3 }),
    brand_refs: fc.array(ref, { maxLength: 3 }),
  })
const buildCanonical = (brand: Brands) =>
  fc.record({ brand, house_domain: fc.option(domain, { nil: undefined }) }).map(own => ({
    ...own.brand,
    house_domain: own.house_domain,
  }))
const pointer = fc
  .constantFrom(...files, ...wellKnown)
  .map(authoritative_location => ({ authoritative_location }))
const redirect = domain.map(house => ({ house }))
const agent = fc.constant({ agents: [{ type: 'brand', url: 'https://agent.example/mcp' }] })

/** Draws a web of such brands, without undefined keys. */
function drawWeb(brand: Brands): fc.Arbitrary<Web> {
  const found = (location: string) =>
    fc.oneof(
      { weight: 4, arbitrary: buildPortfolio(brand, location) },
      { weight: 4, arbitrary: buildCanonical(brand) },
      { weight: 4, arbitrary: redirect },
      { weight: 2, arbitrary: pointer },
      agent,
      fc.constantFrom('absent', 'unknown'),
    )
  return fc
    .record(Object.fromEntries([...domains, ...files].map(place => [place, found(place)])))
    .map(web => JSON.parse(JSON.stringify(web)) as Web)
}
const web = drawWeb(brandIn(undefined, 'owned', 'direct', 'delegated', 'ad_network'))

/** Lists the portfolios that speak for this house. */
function listPortfolios(web: Web, house: string): Portfolio[] {
  return Object.entries(web).flatMap(([location, content]) => {
    const document = typeof content === 'string' ? undefined : findDocument(location, content)
    return document?.variant === 'house_portfolio' && document.house.domain === house
      ? [document]
      : []
  })
}

function includesDomain(document: BrandDocument, domain: string): boolean {
  const brands = document.variant === 'house_portfolio' ? document.brands : []
  const own = document.variant === 'brand_canonical' ? [document.brand] : []
  return [...brands, ...own].some(({ properties }) =>
    properties.some(
      ({ type, identifier, relationship: how }) =>
        type === 'website' && how === 'owned' && identifier === domain,
    ),
  )
}

function findBrand(web: Web, domain: string): BrandFacts | undefined {
  const { answer } = resolveOnWeb(web, domain)
  return answer === 'pending' ? undefined : answer
}

/** Checks what holds of the answers on many webs, and that enough of them were of that kind. */
function checkAlways(
  webs: fc.Arbitrary<Web>,
  isMeant: (facts: BrandFacts, requested: string) => boolean,
  check: (facts: BrandFacts, requested: string, files: Web) => void,
): void {
  let met = 0
  fc.assert(
    fc.property(webs, domain, (files, requested) => {
      const facts = findBrand(files, requested)
      if (facts === undefined || !isMeant(facts, requested)) return
      met++
      check(facts, requested, files)
    }),
    { seed: 20261120, numRuns: 5_000 },
  )
  expect(met).toBeGreaterThan(20)
}

describe('for any documents that point to one another', () => {
  it('a resolution ends after a few files, and reads none of them twice on one side', () => {
    fc.assert(
      fc.property(web, domain, (files, resolved) => {
        const { read } = resolveOnWeb(files, resolved)
        expect(read.length).toBeLessThanOrEqual(8)
        for (const location of read) {
          expect(read.filter(other => other === location).length).toBeLessThanOrEqual(2)
        }
      }),
      { seed: 20261120, numRuns: 5_000 },
    )
  })

  it('a house gives a brand only to itself and to domains it names', () => {
    checkAlways(
      web,
      (facts, requested) =>
        facts.relationship_trust === 'inline' && requested !== facts.house_domain,
      (facts, requested, files) => {
        const portfolios = listPortfolios(files, facts.house_domain!)
        expect(portfolios.some(portfolio => includesDomain(portfolio, requested))).toBe(true)
      },
    )
  })

  it('a house and a brand are mutual only where the house names the brand now', () => {
    checkAlways(
      web,
      facts => facts.relationship_trust === 'mutual',
      (facts, _requested, files) => {
        const since = listPortfolios(files, facts.house_domain!)
          .flatMap(portfolio => portfolio.brand_refs)
          .filter(ref => ref.domain === facts.canonical_domain && ref.brand_id === facts.brand_id)
          .map(ref => (ref.effective_at === undefined ? NOW : Date.parse(ref.effective_at)))
        expect(since.some(at => at <= NOW && NOW - at < 180 * DAY)).toBe(true)
      },
    )
  })

  it('a domain resolves to another one only where that leads to the same house, or names it', () => {
    checkAlways(
      web,
      ({ canonical_domain, house_domain }, requested) =>
        canonical_domain !== requested && canonical_domain !== house_domain,
      (facts, requested, files) => {
        const own = JSON.stringify(files[facts.canonical_domain])
        if (facts.relationship_trust === 'inline') expect(own).toContain(facts.house_domain)
        else {
          const documents = Object.entries(files).map(
            ([location, one]) => typeof one === 'object' && findDocument(location, one),
          )
          expect(documents.some(document => document && includesDomain(document, requested))).toBe(
            true,
          )
        }
      },
    )
  })

  it('a domain that is sold, not owned, stays itself', () => {
    checkAlways(
      drawWeb(brandIn('direct', 'delegated', 'ad_network')),
      () => true,
      (facts, requested) => expect(facts.canonical_domain).toBe(requested),
    )
  })
})
