import type { Reader } from '../reader.ts'
import { type Asked, findStored, resolveMany, type StoredAnswer, shelves } from './stored.ts'

export function findBrand(reader: Reader, domain: string): StoredAnswer | undefined {
  return findStored(reader, shelves.brand, domain)
}

/** Brand resolutions by key, null where none is known. */
export function resolveBrands(reader: Reader, asked: Asked): Buffer {
  return resolveMany(reader, shelves.brand, asked)
}
