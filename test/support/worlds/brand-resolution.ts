import type { Instant } from '../../../pipeline/core/clock.ts'
import type { Outcome } from '../../../pipeline/core/outcomes.ts'
import { carryOver } from '../../../pipeline/diff/carry.ts'
import type { BrandDocument } from '../../../pipeline/model/documents/index.ts'
import { isUrl } from '../../../pipeline/model/observation.ts'
import { parseDocument } from '../../../pipeline/parse/parse-document.ts'
import { type BrandFacts, deriveBrand } from '../../../pipeline/resolve/brand.ts'
import { type KnownFile, pending } from '../../../pipeline/resolve/derivation.ts'

export const NOW = Date.parse('2026-11-20T03:00:00Z')

/** File at each location, or the outcome of reading it. */
export type Web = Readonly<Record<string, object | Outcome | 'unknown'>>

export interface BrandResolutionRun {
  answer: BrandFacts | 'pending' | undefined
  /** Every location that was read, in order. */
  read: string[]
  wakes: Instant[]
}

/**
 * Resolves the brand of a domain on a web that was read just now; other locations have no file. `kept`
 * are stored documents with their history.
 */
export function resolveOnWeb(
  web: Web,
  domain: string,
  now = NOW,
  kept: Readonly<Record<string, BrandDocument>> = {},
): BrandResolutionRun {
  const walked: BrandResolutionRun = { answer: undefined, read: [], wakes: [] }
  const rule = deriveBrand(domain as never, now)
  let step = rule.next()
  while (!step.done) {
    if ('wake' in step.value) {
      walked.wakes.push(step.value.wake)
      step = rule.next()
    } else {
      const { location } = step.value.source
      walked.read.push(location)
      const document = kept[location]
      step = rule.next(document ? { validity: 'valid', document } : fileAt(web, location, now))
    }
  }
  walked.answer = step.value === pending ? 'pending' : step.value
  return walked
}

function fileAt(web: Web, location: string, now: Instant): KnownFile {
  const found = web[location] ?? 'absent'
  if (found === 'unknown') return { validity: 'unknown' }
  if (typeof found === 'string') return { validity: 'expired' }
  const document = findDocument(location, found)
  return document === undefined
    ? { validity: 'expired' }
    : { validity: 'valid', document: carryOver(undefined, document, now) }
}

export function findDocument(location: string, content: object): BrandDocument | undefined {
  const body = Buffer.from(JSON.stringify(content))
  const domain = isUrl(location) ? undefined : location
  return parseDocument('brand.json', body, { domain, maxFaults: 20 }).document as
    | BrandDocument
    | undefined
}

export const website = (identifier: string, more: object = {}) => ({
  type: 'website',
  identifier,
  ...more,
})

export function buildBrand(id: string, websites: (string | object)[], more: object = {}): object {
  const properties = websites.map(site => (typeof site === 'string' ? website(site) : site))
  return { id, names: [{ en: id }], properties, ...more }
}

export function buildHouse(domain: string, brands: object[], more: object = {}): object {
  return { house: { domain, name: `House ${domain}` }, brands, ...more }
}
