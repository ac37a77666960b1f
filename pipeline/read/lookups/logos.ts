import { readFile } from 'node:fs/promises'
import type { StoredLogo } from '../../model/logo.ts'
import { loadStoredLogos } from '../../store/private-rows/logo-rows.ts'
import type { Reader } from '../reader.ts'
import type { PrivateReader } from './private-rows.ts'

/** Finds all logos of a brand, in the order of their submission. */
export function findLogos({ record }: PrivateReader, domain: string): StoredLogo[] {
  return record ? loadStoredLogos(record, 'domain = $domain', { domain }) : []
}

/** Finds the first approved logo of each of some brands. */
export function findApprovedLogos(
  { record }: PrivateReader,
  domains: readonly string[],
): ReadonlyMap<string, StoredLogo> {
  if (record === undefined || domains.length === 0) return new Map()
  const logos = loadStoredLogos(
    record,
    `status = 'approved' and domain in (select value from json_each($domains))`,
    { domains: JSON.stringify(domains) },
  )
  return new Map(logos.reverse().map(logo => [logo.domain, logo]))
}

/** Reads the picture of a logo; undefined if it is no longer there. */
export function readPicture({ paths }: Reader, hash: string): Promise<Buffer | undefined> {
  return readFile(paths.logoFile(hash)).catch(() => undefined)
}
