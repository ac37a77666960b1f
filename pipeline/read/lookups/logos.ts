import { readFile } from 'node:fs/promises'
import type { StoredLogo } from '../../model/logo.ts'
import type { Reader } from '../reader.ts'

/** Finds all logos of a brand, in the order of their submission. */
export function findLogos({ serving }: Reader, domain: string): StoredLogo[] {
  if (serving === undefined) return []
  return [...serving.range('logo', domain)]
    .map(({ value }) => JSON.parse(value.toString()) as StoredLogo)
    .sort((a, b) => (a.uploaded_at < b.uploaded_at ? -1 : a.uploaded_at > b.uploaded_at ? 1 : 0))
}

/** Reads the picture of a logo; undefined if it is no longer there. */
export function readPicture({ paths }: Reader, hash: string): Promise<Buffer | undefined> {
  return readFile(paths.logoFile(hash)).catch(() => undefined)
}
