import { agentPlaces } from './agents.ts'
import { brandCases } from './brand-cases.ts'
import { dirtPlaces } from './dirt.ts'
import { canonical } from './documents.ts'
import { brandPages } from './home-pages.ts'
import { housePlaces } from './houses.ts'
import { companies, type Name, nameMaker, publications } from './names.ts'
import { networkPlaces } from './network.ts'
import { type Change, placeOnNight, planNights } from './nights.ts'
import { operatorPlaces } from './operators.ts'
import { publisherCases } from './publisher-cases.ts'
import { ordinaryPublisher, type Publisher } from './publishers.ts'
import { randomFrom } from './random.ts'
import { type Expectation, type Place, type Site, siteOf, situationOf, type World } from './site.ts'
import { twoSidedClaims, twoSidedPlaces } from './two-sided.ts'

export type WorldOptions = {
  seed: number
  /** 1, the default, is the world at first sight; each later night changes a few sites. */
  night?: number
  /** How many domains a crawl is given; ordinary ones are added until it is reached. */
  domains?: number
  /** The protocol's short name, as it occurs in task names. */
  protocolName?: string
}

export type DemoWorld = World & {
  sites: ReadonlyMap<string, Site>
  /** What the nights up to this one did. */
  changes: readonly Change[]
}

const houseCount = 14
const namedByManager = 6_000
const presentInNetwork = 60

/** The demo internet: the same for the same options, down to every byte and ETag. */
export function buildWorld(options: WorldOptions): DemoWorld {
  const { seed, night = 1, domains = 600, protocolName = 'proto' } = options
  const invent = nameMaker(randomFrom(seed, 'names'))
  const houses = housePlaces(seed, houseCount, invent)
  const network = networkPlaces(namedByManager, presentInNetwork, invent)
  const fixed = [
    ...houses.places,
    ...network,
    ...brandCases(),
    ...publisherCases(),
    ...twoSidedPlaces(),
    ...dirtPlaces(),
    ...agentPlaces(protocolName),
  ]
  const room = domains - countListed([...fixed, ...operatorPlaces([])])
  const filling = fill(seed, Math.max(room, 0), invent)
  const claims = [...twoSidedClaims, ...filling.publishers.flatMap(publisher => publisher.claims)]
  const all = join([...fixed, ...operatorPlaces(claims), ...filling.places])
  const changes = planNights(seed, night, {
    publishers: filling.publishers.map(({ place, hasCollections }) => ({
      host: place.host,
      hasCollections,
    })),
    houses: houses.houses,
  })
  return { ...worldOf(all.map(place => placeOnNight(place, changes, night))), changes }
}

function fill(seed: number, count: number, invent: ReturnType<typeof nameMaker>) {
  const publishers: Publisher[] = []
  const places: Place[] = []
  for (let i = 0; i < count; i++) {
    const share = i % 10
    if (share < 6) publishers.push(ordinaryPublisher(seed, invent(publications), publishers.length))
    else if (share < 8) places.push(ordinaryBrand(invent(companies)))
    else places.push(ordinaryDomain(invent(companies)))
  }
  return { publishers, places: [...places, ...publishers.map(publisher => publisher.place)] }
}

function ordinaryBrand({ host, title }: Name): Place {
  const document = () => canonical(host, title, { description: `${title} is an invented brand.` })
  return { host, title, files: { 'brand.json': { situation: 'canonical', document } } }
}

/** Most of the internet: a home page and neither file. */
function ordinaryDomain({ host, title }: Name): Place {
  return { host, title, pages: brandPages(host, title) }
}

/** Brings the parts of each host together; two parts that publish the same file are a mistake. */
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

function worldOf(places: readonly Place[]): Omit<DemoWorld, 'changes'> {
  const listed = places.filter(place => place.listed !== false)
  const byHost = new Map(listed.map(place => [place.host, place]))
  const domains = [...byHost.keys()].sort()
  const expected: Expectation[] = domains.flatMap(domain =>
    (['brand.json', 'adagents.json'] as const).map(file => ({
      domain,
      file,
      situation: situationOf(byHost.get(domain)!, file),
    })),
  )
  return { domains, sites: new Map(places.map(place => [place.host, siteOf(place)])), expected }
}
