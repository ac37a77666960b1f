import { readFile } from 'node:fs/promises'
import type { StoredLogo } from '../../model/logo.ts'
import { loadStoredLogos } from '../../store/private-rows/logo-rows.ts'
import type { Reader } from '../reader.ts'
import type { PrivateReader } from './private-rows.ts'

/** Finds all logos of a brand, in the order of their submission. */
export function findLogos({ record }: PrivateReader, domain: string): StoredLogo[] {
  return record ? loadStoredLogos(record, 'domain = $domain', { domain }) : []
}

/** Reads the picture of a logo; undefined if it is no longer there. */
export function readPicture({ paths }: Reader, hash: string): Promise<Buffer | undefined> {
  return readFile(paths.logoFile(hash)).catch(() => undefined)
}
