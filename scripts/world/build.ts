import { buildAgentPlaces } from './agents.ts'
import { buildBrandCases } from './brand-cases.ts'
import { buildDirtPlaces } from './dirt.ts'
import { buildDocumentedSite } from './documented-site.ts'
import { buildCanonical } from './documents.ts'
import { buildBrandPages } from './home-pages.ts'
import { buildHousePlaces } from './houses.ts'
import { companies, type Name, nameMaker, publications } from './names.ts'
import { buildNetworkPlaces } from './network.ts'
import { type Change, placeOnNight, planNights } from './nights.ts'
import { buildOperatorPlaces } from './operators.ts'
import { acceptToken, buildOwnSite } from './own-site.ts'
import { buildPublisherCases } from './publisher-cases.ts'
import { buildOrdinaryPublisher, type Publisher } from './publishers.ts'
import { createRandom } from './random.ts'
import { buildReferencePlaces } from './reference-publishers.ts'
import {
  buildSite,
  type Expectation,
  findSituation,
  type Place,
  type Site,
  type World,
} from './site.ts'
import { buildTwoSidedPlaces, twoSidedClaims } from './two-sided.ts'

export type WorldOptions = {
  seed: number
  /** 1, the default, is the world at first sight; each later night changes a few sites. */
  night?: number
  /** Number of domains to crawl; ordinary ones are added until it is reached. */
  domains?: number
  /** The protocol's short name, as it occurs in task names. */
  protocolName?: string
}

export type DemoWorld = World & {
  sites: ReadonlyMap<string, Site>
  /** Changes made by the nights so far. */
  changes: readonly Change[]
}

const houseCount = 14
const namedByManager = 600
const presentInNetwork = 60

/** Builds the demo internet: the same options give the same world, down to every byte and ETag. */
export function buildWorld(options: WorldOptions): DemoWorld {
  const { seed, night = 1, domains = 600, protocolName = 'proto' } = options
  const invent = nameMaker(createRandom(seed, 'names'))
  const houses = buildHousePlaces(seed, houseCount, invent)
  const network = buildNetworkPlaces(namedByManager, presentInNetwork, invent)
  const fixed = [
    ...houses.places,
    ...network,
    ...buildBrandCases(),
    ...buildPublisherCases(),
    ...buildTwoSidedPlaces(),
    ...buildReferencePlaces(),
    ...buildDirtPlaces(),
    ...buildAgentPlaces(protocolName),
    buildOwnSite(),
    buildDocumentedSite(),
  ]
  const missing = domains - countListed([...fixed, ...buildOperatorPlaces([])])
  const filling = fill(seed, Math.max(missing, 0), invent)
  const claims = [...twoSidedClaims, ...filling.publishers.flatMap(publisher => publisher.claims)]
  const all = join([...fixed, ...buildOperatorPlaces(claims), ...filling.places])
  const changes = planNights(seed, night, {
    publishers: filling.publishers.map(({ place, hasCollections }) => ({
      host: place.host,
      hasCollections,
    })),
    houses: houses.houses,
  })
  return {
    ...toWorld(all.map(place => acceptToken(placeOnNight(place, changes, night), protocolName))),
    changes,
  }
}

function fill(seed: number, count: number, invent: ReturnType<typeof nameMaker>) {
  const publishers: Publisher[] = []
  const places: Place[] = []
  for (let i = 0; i < count; i++) {
    const share = i % 10
    if (share < 6)
      publishers.push(buildOrdinaryPublisher(seed, invent(publications), publishers.length))
    else if (share < 8) places.push(buildOrdinaryBrand(invent(companies)))
    else places.push(buildOrdinaryDomain(invent(companies)))
  }
  return { publishers, places: [...places, ...publishers.map(publisher => publisher.place)] }
}

function buildOrdinaryBrand({ host, title }: Name): Place {
  const document = () =>
    buildCanonical(host, title, { description: `${title} is an invented brand.` })
  return { host, title, files: { 'brand.json': { situation: 'canonical', document } } }
}

/** Builds the most common kind of domain: a home page and neither file. */
function buildOrdinaryDomain({ host, title }: Name): Place {
  return { host, title, pages: buildBrandPages(host, title) }
}

/** Joins the parts of each host; throws where two parts publish the same file. */
function join(parts: readonly Place[]): Place[] {
  const places = new Map<string, Place>()
  for (const part of parts) {
    const known = places.get(part.host)
    places.set(part.host, known === undefined ? part : merge(known, part))
  }
  return [...places.values()]
}

function merge(place: Place, other: Place): Place {
  const files = Object.keys(other.files ?? {}).filter(name => name in (place.files ?? {}))
  if (files.length > 0) throw new Error(`${place.host} publishes ${files.join()} twice`)
  return {
    ...place,
    ...other,
    files: { ...place.files, ...other.files },
    pages: { ...place.pages, ...other.pages },
  }
}

function countListed(parts: readonly Place[]): number {
  return join(parts).filter(place => place.listed !== false).length
}

function toWorld(places: readonly Place[]): Omit<DemoWorld, 'changes'> {
  const listed = places.filter(place => place.listed !== false)
  const byHost = new Map(listed.map(place => [place.host, place]))
  const domains = [...byHost.keys()].sort()
  const sorted = [...byHost].sort(([a], [b]) => (a < b ? -1 : 1))
  const expected: Expectation[] = sorted.flatMap(([domain, place]) =>
    (['brand.json', 'adagents.json'] as const).map(file => ({
      domain,
      file,
      situation: findSituation(place, file),
    })),
  )
  return { domains, sites: new Map(places.map(place => [place.host, buildSite(place)])), expected }
}
