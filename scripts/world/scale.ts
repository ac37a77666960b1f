import type { Answer } from './answer.ts'
import { sellers, toUrl } from './cast.ts'
import { buildEntry, buildSiteProperty, buildWebsite } from './documents.ts'
import { createRandom, type Random } from './random.ts'
import { type Doc, type FileName, notFound, type Site, type World, wellKnownPaths } from './site.ts'

export type ScaleOptions = {
  domains: number
  seed: number
  night?: number
  /** The share of domains whose files differ from the night before. */
  changing?: number
}

const ending = '-bench.example'
const smallestBytes = 200
const medianBytes = 1_200
const largestBytes = 12_288

/**
 * A world of any size for benches. Nothing is kept per domain: a site is computed from its number when
 * asked, both its files are valid, and their sizes spread as real ones do, many small and a few large.
 */
export function createScaleWorld({
  domains,
  seed,
  night = 1,
  changing = 0.01,
}: ScaleOptions): World {
  const names = Array.from({ length: domains }, (_, i) => toHost(i + 1))
  const get = (host: string): Site | undefined => {
    const number = numberOf(host)
    if (number === undefined || number > domains) return undefined
    return { host, answer: ask => answerOf(host, ask.path, seed, revisionOn(night, host)) }
  }
  const revisionOn = (last: number, host: string): number => {
    for (let k = last; k > 1; k--) {
      if (createRandom(seed, host, 'night', k).chance(changing)) return k
    }
    return 1
  }
  return {
    domains: names,
    sites: { get },
    get expected() {
      return names.flatMap(domain => [
        { domain, file: 'brand.json' as const, situation: 'canonical' },
        { domain, file: 'adagents.json' as const, situation: 'ok' },
      ])
    },
    certificateName: host => host,
  }
}

/** Each a registrable domain of its own, as most domains are: of one, crawlers ask for so much and no more. */
function toHost(number: number): string {
  return `d${String(number).padStart(6, '0')}${ending}`
}

function numberOf(host: string): number | undefined {
  const digits = /^d(\d{6,9})-bench\.example$/.exec(host)?.[1]
  const number = Number(digits)
  return digits !== undefined && number > 0 && toHost(number) === host ? number : undefined
}

function answerOf(host: string, path: string, seed: number, revision: number): Answer {
  if (path === wellKnownPaths['brand.json']) return writeAnswer('brand.json', host, seed, revision)
  if (path === wellKnownPaths['adagents.json'])
    return writeAnswer('adagents.json', host, seed, revision)
  return notFound
}

/** The ETag is a label, not a hash: in a bench the server must cost as little as it can. */
function writeAnswer(name: FileName, host: string, seed: number, revision: number): Answer {
  const random = createRandom(seed, host, name)
  const bytes = drawSize(random)
  const make = name === 'brand.json' ? buildBrand : buildPublisher
  const body = Buffer.from(JSON.stringify(make(host, bytes, random, revision)))
  const headers = { 'content-type': 'application/json' }
  return {
    kind: 'whole',
    status: 200,
    headers,
    body,
    etag: `"${host}-${name}-${seed}-${revision}"`,
  }
}

/** Log-normal, the usual shape of file sizes. */
function drawSize(random: Random): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next())
  const bytes = medianBytes * Math.exp(normal)
  return Math.min(Math.max(Math.round(bytes), smallestBytes), largestBytes)
}

function buildBrand(host: string, bytes: number, random: Random, revision: number): Doc {
  const label = host.split('.')[0]!
  const properties = [buildWebsite(host)]
  const brand = { id: label, names: [{ en: `Brand ${label} ${revision}` }], properties }
  for (let at = JSON.stringify(brand).length; at + 35 < bytes; ) {
    const property = buildWebsite(`s${random.below(1e6)}.${host}`)
    properties.push(property)
    at += JSON.stringify(property).length + 1
  }
  return brand
}

function buildPublisher(host: string, bytes: number, random: Random, revision: number): Doc {
  const properties = [buildSiteProperty(host, `Publisher ${revision}`)]
  if (bytes < 400) return { authorized_agents: [], properties }
  const authorized_agents = random
    .some(sellers, 1 + random.below(3))
    .map(seller => buildEntry(toUrl(seller), 'property_tags', { property_tags: ['all'] }))
  const document = { authorized_agents, properties }
  for (let n = 1, at = JSON.stringify(document).length; at + 80 < bytes; n++) {
    const more = { property_id: `p${n}`, tags: ['all'] }
    const property = buildSiteProperty(`s${n}.${host}`, `Section ${n}`, more)
    properties.push(property)
    at += JSON.stringify(property).length + 1
  }
  return document
}
