import { buildCanonical, buildPortfolio, buildWebsite, toSlug } from './documents.ts'
import { getItem } from './items.ts'
import { companies, type Name, type nameMaker } from './names.ts'
import { createRandom, type Random } from './random.ts'
import type { Doc, Place } from './site.ts'

type House = Name & { brands: Name[]; refs: Name[]; architecture: string }

export type HousePlaces = { places: Place[]; houses: string[] }

/**
 * Builds companies with several brands. Most brands are part of the house's document, and their
 * domains redirect to it; every third house also refers to brands that publish their own file and
 * name the house in it.
 */
export function buildHousePlaces(
  seed: number,
  count: number,
  invent: ReturnType<typeof nameMaker>,
): HousePlaces {
  const houses = Array.from({ length: count }, (_, i) => drawHouse(seed, i, invent))
  return {
    places: houses.flatMap(house => [buildHome(seed, house), ...buildLeaves(house)]),
    houses: houses.map(house => house.host),
  }
}

function drawHouse(seed: number, number: number, invent: ReturnType<typeof nameMaker>): House {
  const own = invent(['Group', 'Holdings', 'Company'])
  const random = createRandom(seed, own.host)
  const brands = Array.from({ length: 2 + random.below(4) }, () => invent(companies))
  const refs = number % 3 === 0 ? [invent(companies), invent(companies)] : []
  const architecture = random.pick(['house_of_brands', 'branded_house', 'hybrid'])
  return { ...own, brands, refs, architecture }
}

function buildHome(seed: number, house: House): Place {
  return {
    host: house.host,
    title: house.title,
    files: {
      'brand.json': {
        situation: 'portfolio',
        document: () => buildHouseDocument(createRandom(seed, house.host, 'brand'), house),
      },
    },
  }
}

function buildHouseDocument(random: Random, house: House): Doc {
  const refs = house.refs.map(ref => ({ domain: ref.host, brand_id: toSlug(ref.title) }))
  return buildPortfolio({
    house: { domain: house.host, name: house.title, architecture: house.architecture },
    brands: [
      buildMasterBrand(house),
      ...house.brands.map(brand => buildInlineBrand(random, house, brand)),
    ],
    ...(refs.length > 0 ? { brand_refs: refs } : {}),
    contact: { name: house.title, email: `brands@${house.host}`, domain: house.host },
    authorized_operators: [
      { domain: 'lantern-media.example', brands: ['*'], scopes: ['media_buying'] },
      {
        domain: 'north-buy.example',
        brands: [toSlug(getItem(house.brands, 0).title)],
        countries: ['DE', 'FR'],
        valid_from: '2026-01-01T00:00:00Z',
        valid_until: '2035-01-01T00:00:00Z',
      },
    ],
    trademarks: [{ registry: 'EUIPO', number: '000111222', mark: house.title, status: 'active' }],
  })
}

function buildMasterBrand(house: House): Doc {
  return {
    id: toSlug(house.title),
    names: [{ en: house.title }],
    keller_type: 'master',
    url: `https://${house.host}`,
    properties: [buildWebsite(house.host, { primary: true })],
  }
}

function buildInlineBrand(random: Random, house: House, brand: Name): Doc {
  const id = toSlug(brand.title)
  const hex = random.below(0x1000000).toString(16).padStart(6, '0')
  return {
    id,
    names: [{ en: brand.title }, { de: `${brand.title} Deutschland` }],
    keller_type: random.pick(['sub_brand', 'endorsed', 'independent']),
    parent_brand: toSlug(house.title),
    url: `https://${brand.host}`,
    description: `${brand.title} is an invented brand of ${house.title}.`,
    industries: [random.pick(['food', 'automotive', 'retail', 'travel'])],
    logos: [
      {
        url: `https://${brand.host}/logo.svg`,
        orientation: 'horizontal',
        background: 'light-bg',
        variant: 'primary',
      },
    ],
    colors: { primary: `#${hex}` },
    tone: 'Calm and clear',
    properties: [
      buildWebsite(brand.host, { primary: true }),
      buildWebsite(`shop.${brand.host}`, { region: 'DE' }),
      { type: 'mobile_app', identifier: `test.${id}`, store: 'google' },
      ...(random.chance(0.3)
        ? [buildWebsite('two-shows.example', { relationship: 'direct' })]
        : []),
    ],
  }
}

function buildLeaves(house: House): Place[] {
  const redirects = house.brands.map((brand, i): Place => {
    const base = { host: brand.host, title: brand.title }
    // The last brand has no file: only its house mentions it.
    if (i === house.brands.length - 1) return base
    const document = (): Doc => ({ house: house.host, note: 'Part of the house' })
    return { ...base, files: { 'brand.json': { situation: 'house_redirect', document } } }
  })
  const mutual = house.refs.map((ref): Place => {
    const document = (): Doc => buildCanonical(ref.host, ref.title, { house_domain: house.host })
    const files = { 'brand.json': { situation: 'canonical_mutual', document } }
    return { host: ref.host, title: ref.title, files }
  })
  return [...redirects, ...mutual]
}
