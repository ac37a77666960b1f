import type { Reader } from '../reader.ts'
import { type Asked, findStored, resolveMany, type StoredAnswer, shelves } from './stored.ts'

export function findProperties(reader: Reader, domain: string): StoredAnswer | undefined {
  return findStored(reader, shelves.property, domain)
}

/** Property resolutions by key, null where none is known. */
export function resolveProperties(reader: Reader, asked: Asked): Buffer {
  return resolveMany(reader, shelves.property, asked)
}
