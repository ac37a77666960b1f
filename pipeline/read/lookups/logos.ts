import { readFile } from 'node:fs/promises'
import type { StoredLogo } from '../../model/logo.ts'
import type { Reader } from '../reader.ts'
import { listRecords } from './records.ts'

/** Finds all logos of a brand, in the order of their submission. */
export function findLogos(reader: Reader, domain: string): StoredLogo[] {
  return listRecords<StoredLogo>(reader, 'logo', domain).sort((a, b) =>
    a.uploaded_at < b.uploaded_at ? -1 : a.uploaded_at > b.uploaded_at ? 1 : 0,
  )
}

/** Reads the picture of a logo; undefined if it is no longer there. */
export function readPicture({ paths }: Reader, hash: string): Promise<Buffer | undefined> {
  return readFile(paths.logoFile(hash)).catch(() => undefined)
}
