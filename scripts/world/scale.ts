import type { Answer } from './answer.ts'
import { sellers, toUrl } from './demo-agents.ts'
import { buildEntry, buildSiteProperty, buildWebsite } from './documents.ts'
import { getItem } from './items.ts'
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
 * Creates a world of any size for benches. Nothing is stored per domain: a site is computed from
 * its number on request, both its files are valid, and their sizes are spread as real ones are,
 * many small and a few large.
 */
export function createScaleWorld({
  domains,
  seed,
  night = 1,
  changing = 0.01,
}: ScaleOptions): World {
  const names = Array.from({ length: domains }, (_, i) => toHost(i + 1))
  const get = (host: string): Site | undefined => {
    const number = parseNumber(host)
    if (number === undefined || number > domains) return undefined
    return { host, answer: ask => buildAnswer(host, ask.path, seed, revisionOn(night, host)) }
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
  }
}

/**
 * Names a registrable domain of its own for each number, since politeness limits what is fetched
 * from one.
 */
function toHost(number: number): string {
  return `d${String(number).padStart(6, '0')}${ending}`
}

function parseNumber(host: string): number | undefined {
  const digits = /^d(\d{6,9})-bench\.example$/.exec(host)?.[1]
  const number = Number(digits)
  return digits !== undefined && number > 0 && toHost(number) === host ? number : undefined
}

function buildAnswer(host: string, path: string, seed: number, revision: number): Answer {
  if (path === wellKnownPaths['brand.json']) return writeAnswer('brand.json', host, seed, revision)
  if (path === wellKnownPaths['adagents.json'])
    return writeAnswer('adagents.json', host, seed, revision)
  return notFound
}

/**
 * Builds an answer. Its ETag is a label, not a hash: in a bench the server must cost as little as
 * possible.
 */
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

/** Draws a log-normal size, the usual shape of file sizes. */
function drawSize(random: Random): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next())
  const bytes = medianBytes * Math.exp(normal)
  return Math.min(Math.max(Math.round(bytes), smallestBytes), largestBytes)
}

function buildBrand(host: string, bytes: number, random: Random, revision: number): Doc {
  const label = getItem(host.split('.'), 0)
  const properties = [buildWebsite(host)]
  const id = label.replaceAll('-', '_')
  const brand = { id, names: [{ en: `Brand ${label} ${revision}` }], properties }
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
