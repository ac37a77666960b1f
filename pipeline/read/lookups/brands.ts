import type { Reader } from '../reader.ts'
import type { LentBytes } from './buffer-builder.ts'
import { type Asked, documentSpaces, findStored, resolveMany, type StoredAnswer } from './stored.ts'

export function findBrand(reader: Reader, domain: string): StoredAnswer | undefined {
  return findStored(reader, documentSpaces.brand, domain)
}

/** Brand resolutions by key, null where none is known. */
export function resolveBrands(reader: Reader, asked: Asked): LentBytes {
  return resolveMany(reader, documentSpaces.brand, asked)
}
