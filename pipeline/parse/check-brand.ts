import type { BrandDocument } from '../model/documents/index.ts'
import type { Fault } from '../model/observation.ts'
import { parseBrandJson } from './brand-json.ts'
import { Faults } from './faults.ts'
import { type JsonObject, ObjectReader } from './object-reader.ts'
import { readJson } from './read-json.ts'

export interface CheckedBrandFile {
  /** The file as JSON, tidied; absent when it is none. */
  root?: JsonObject
  /** Absent when the file says nothing known. */
  document?: BrandDocument
  faults: Fault[]
}

/**
 * Checks the bytes of a brand.json that a domain points to, as the crawler reads them. Reaches no
 * network.
 */
export function checkBrand(
  bytes: Uint8Array,
  { maxFaults }: { maxFaults: number },
): CheckedBrandFile {
  const faults = new Faults(maxFaults)
  const read = readJson(bytes, faults)
  if (read.outcome !== 'ok') return { faults: faults.list() }
  const document = parseBrandJson(new ObjectReader(read.root, '', faults), undefined)
  return { root: read.root, ...(document && { document }), faults: faults.list() }
}
