import { existsSync, writeFileSync } from 'node:fs'
import { DAY } from '../../../pipeline/core/clock.ts'
import { encodeDocument } from '../../../pipeline/serving/document-value.ts'
import { encodeFreshness } from '../../../pipeline/serving/freshness-record.ts'
import { toFreshnessKey } from '../../../pipeline/serving/keys.ts'
import { type Entry, ServingStore } from '../../../pipeline/serving/lmdb.ts'
import { resolvePaths } from '../../../pipeline/store/paths.ts'
import { createRandom, type Random } from '../../world/random.ts'

const ROWS_PER_INSERT = 10_000
const smallestBytes = 200
const medianBytes = 1_200
const largestBytes = 12_288

export function toDomain(number: number): string {
  return `d${String(number).padStart(7, '0')}.bench.example`
}

/**
 * Fills only the serving store, with the records that a commit would write: point reads need
 * nothing else. Sizes of answers are spread as in reality.
 */
export async function fillBrands(folder: string, domains: number): Promise<void> {
  const marker = `${folder}/brands-${domains}`
  if (existsSync(marker)) return
  const store = ServingStore.open(resolvePaths(folder).servingFile)
  for (let first = 0; first < domains; first += ROWS_PER_INSERT) {
    const entries: Entry[] = []
    for (let n = first; n < Math.min(domains, first + ROWS_PER_INSERT); n++)
      entries.push(...buildEntries(n))
    store.write(entries, 1)
  }
  await store.close()
  writeFileSync(marker, '')
}

function buildEntries(number: number): Entry[] {
  const domain = toDomain(number)
  const read = Date.now() - DAY / 8
  const facts = { outcome: 'ok', status: 200, attempted_at: read, succeeded_at: read } as const
  return [
    { space: 'brand', key: domain, value: encodeDocument(buildBrand(domain), Date.now()) },
    {
      space: 'freshness',
      key: toFreshnessKey('brand.json', domain),
      value: encodeFreshness('brand.json', facts),
    },
  ]
}

function buildBrand(domain: string): object {
  const random = createRandom('brand', domain)
  const bytes = drawSize(random)
  const name = `Brand ${domain.split('.')[0]}`
  const facts = {
    canonical_id: domain,
    canonical_domain: domain,
    brand_name: name,
    source: 'brand_json',
    brand_manifest: { name },
  }
  const links = []
  for (let at = JSON.stringify(facts).length; at + 40 < bytes; ) {
    const link = { url: `https://l${random.below(1e6)}.${domain}/` }
    links.push(link)
    at += JSON.stringify(link).length + 1
  }
  return { ...facts, brand_manifest: { name, links } }
}

/** Draws a log-normal size, the usual shape of file sizes. */
function drawSize(random: Random): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next())
  return Math.min(Math.max(medianBytes * Math.exp(normal), smallestBytes), largestBytes)
}

/** Picks a known domain; few are picked often and most of them seldom, scattered over the store. */
export function pickDomain(random: Random, domains: number): string {
  const rank = Math.floor(domains ** random.next()) - 1
  return toDomain((rank * 7_919) % domains)
}

export function pickUnknownDomain(random: Random): string {
  return `u${random.below(1e9)}.bench.example`
}
