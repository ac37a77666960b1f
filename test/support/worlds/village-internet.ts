import type { Instant } from '../../../pipeline/core/clock.ts'
import type { Observation } from '../../../pipeline/model/observation.ts'
import { observeFile, observeOutcome } from '../fixtures/observations.ts'

/**
 * Lists the domains of an internet of numbered domains, whose files change from night to night and
 * depend on the numbers alone: houses with leaves, publishers with their own files, and publishers that
 * point to a manager.
 */
export function listVillageDomains(size: number): string[] {
  return Array.from({ length: size }, (_, i) => toDomain(i))
}

/** Builds the observations of a night's crawl of the domains from `from` on; two files a domain. */
export function observeVillageNight(
  night: number,
  { from = 0, count, size }: { from?: number; count: number; size: number },
  at: Instant,
): Observation[] {
  return Array.from({ length: count }, (_, i) => (from + i) % size).flatMap(i => [
    observeBrand(i, night, at),
    observeAdagents(i, night, size, at),
  ])
}

function toDomain(i: number): string {
  return `d${i}.example`
}

/** Hashes words to a number between 0 and 1 that looks random. */
function hashToFraction(...words: number[]): number {
  let hash = 2_166_136_261
  for (const word of words) hash = Math.imul(hash ^ (word + 0x9e3779b9), 16_777_619)
  hash ^= hash >>> 15
  return ((Math.imul(hash, 2_246_822_507) ^ (hash >>> 13)) >>> 0) / 2 ** 32
}

/** Finds the last night up to `night` in which a file changed. */
function findLastChange(i: number, night: number, often: number): number {
  let last = night
  while (last > 0 && hashToFraction(i, last, often * 100) > often) last--
  return last
}

function observeBrand(i: number, night: number, at: Instant): Observation {
  const domain = toDomain(i)
  const fate = hashToFraction(i, night, 1)
  if (fate < 0.04) return observeOutcome('timeout', 'brand.json', domain, at)
  if (fate < 0.07) return observeOutcome('absent', 'brand.json', domain, at)
  const house = i - (i % 10)
  const made = findLastChange(i, night, 0.1)
  return observeFile(
    'brand.json',
    domain,
    i === house ? buildPortfolio(i, made) : buildLeaf(i, house, made),
    at,
  )
}

function buildPortfolio(i: number, made: number): object {
  const refs = [1, 2, 3, 4].filter(n => hashToFraction(i, made, n) < 0.8)
  return {
    house: { domain: toDomain(i), name: `House ${i}` },
    brands: [buildBrand(toDomain(i), `b${i}`, `House ${i} of ${made}`, 'master')],
    brand_refs: refs.map(n => ({ domain: toDomain(i + n), brand_id: `b${i + n}` })),
  }
}

function buildLeaf(i: number, house: number, made: number): object {
  if (i % 10 === 7) return { house: toDomain(house) }
  return {
    ...buildBrand(toDomain(i), `b${i}`, `Brand ${i} of ${made}`, 'sub_brand'),
    ...(i % 10 < 5 ? { house_domain: toDomain(house) } : {}),
  }
}

function buildBrand(domain: string, id: string, name: string, keller_type: string): object {
  const properties = [{ type: 'website', identifier: domain, primary: true }]
  return { id, names: [{ en: name }], keller_type, properties }
}

function observeAdagents(i: number, night: number, size: number, at: Instant): Observation {
  const domain = toDomain(i)
  const fate = hashToFraction(i, night, 2)
  if (fate < 0.03) return observeOutcome('server_error', 'adagents.json', domain, at)
  if (fate < 0.06) return observeOutcome('absent', 'adagents.json', domain, at)
  if (fate < 0.08) return observeFile('adagents.json', domain, '<html>', at)
  if (fate < 0.09) return observeFile('adagents.json', domain, '{"hello":1}', at)
  const manager = i - (i % 20) + 5
  if (i % 20 > 15 && manager < size)
    return observeFile('adagents.json', domain, buildPointer(manager), at)
  return observeFile('adagents.json', domain, buildInventory(i, findLastChange(i, night, 0.25)), at)
}

function buildPointer(manager: number): object {
  return { authoritative_location: `https://${toDomain(manager)}/.well-known/adagents.json` }
}

/**
 * Builds an adagents.json; a manager's (every twentieth) also lists the properties of those that point
 * to it.
 */
function buildInventory(i: number, made: number): object {
  const own = [0, 1, 2]
    .filter(n => hashToFraction(i, made, 10 + n) < 0.8)
    .map(n => buildProperty(i, n))
  const managed = i % 20 === 5 ? [11, 12, 13, 14].map(n => buildProperty(i + n, 0)) : []
  const agents = [0, 1, 2].filter(n => hashToFraction(i, made, 20 + n) < 0.6)
  return {
    properties: [...own, ...managed],
    collections: [0, 1]
      .filter(n => hashToFraction(i, made, 30 + n) < 0.3)
      .map(n => buildCollection(n, made)),
    authorized_agents: agents.map(n => buildGrant(i, n, made)),
    revoked_publisher_domains: [0, 11]
      .filter(n => hashToFraction(i, made, 40 + n) < 0.1)
      .map(n => ({ publisher_domain: toDomain(i + n), revoked_at: '2026-11-19T00:00:00Z' })),
  }
}

function buildCollection(n: number, made: number): object {
  return { collection_id: `c${n}`, name: `Show ${n} of ${made}`, kind: 'series' }
}

function buildProperty(i: number, n: number): object {
  return {
    property_id: `p${n}`,
    property_type: 'website',
    name: `Site ${n} of ${i}`,
    identifiers: [{ type: 'domain', value: n === 0 ? toDomain(i) : `s${n}.${toDomain(i)}` }],
    publisher_domain: toDomain(i),
    tags: n === 1 ? ['news'] : [],
  }
}

function buildGrant(i: number, n: number, made: number): object {
  const entry = { url: `https://agent${(i + n) % 30}.example/mcp`, authorized_for: `Sales ${made}` }
  const domains = [toDomain(i)]
  const selector = { publisher_domains: [...domains, toDomain(i + 11)], selection_type: 'all' }
  if (n === 0) {
    const selectors = { publisher_properties: [selector] }
    return { ...entry, authorization_type: 'publisher_properties', ...selectors }
  }
  if (n === 1) return { ...entry, authorization_type: 'property_ids', property_ids: ['p0', 'p2'] }
  const window =
    hashToFraction(i, made, 50) < 0.5
      ? { effective_from: '2026-11-21T00:00:00Z', effective_until: '2026-11-22T00:00:00Z' }
      : {}
  return { ...entry, ...window, authorization_type: 'property_tags', property_tags: ['news'] }
}
