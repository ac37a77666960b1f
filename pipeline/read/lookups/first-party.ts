import type { BrandResolution } from '../../model/responses/index.ts'
import type { Operator } from '../../resolve/operator.ts'
import { type Affiliation, isAffiliated, listAffiliation } from '../../resolve/operator-side.ts'
import { findJsonEnd, HEAD_LENGTH, toFiles } from '../../serving/document-value.ts'
import type { ServingStore } from '../../serving/lmdb.ts'
import { declareCache } from '../cache/caches.ts'
import { CommitCache } from '../cache/commit-cache.ts'
import type { Reader } from '../reader.ts'

const CACHE_BYTES_MAX = 4 * 1024 * 1024
const AFFILIATION_BYTES = 400
const affiliations = declareCache(
  () => new CommitCache<Affiliation>(CACHE_BYTES_MAX, () => AFFILIATION_BYTES),
)
const nobodys: Affiliation = { domains: [], locations: [] }

/**
 * Tells whether a publisher is a site of the one who operates an agent: its own brand.json makes it part
 * of the operator's house or brand, or leads to the operator's file. What people say of it counts for
 * nothing, and neither does a house that does not name it back.
 */
export function isOwnSite(reader: Reader, operator: Operator, publisher: string): boolean {
  const { serving } = reader
  if (serving === undefined) return false
  const found = affiliations(reader).get(serving, publisher, () =>
    findAffiliation(serving, publisher),
  )
  return isAffiliated(operator, found)
}

function findAffiliation(serving: ServingStore, publisher: string): Affiliation {
  const value = serving.peek('brand', publisher)
  if (value === undefined) return nobodys
  const json = value.toString('utf8', HEAD_LENGTH, findJsonEnd(value))
  const locations = toFiles(value)?.map(({ location }) => location) ?? []
  const brand = JSON.parse(json) as BrandResolution
  return listAffiliation(brand, locations)
}
