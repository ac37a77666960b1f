import { LRUCache } from 'lru-cache'
import type { Source } from '../../pipeline/model/observation.ts'
import { declareCache } from '../../pipeline/read/cache/caches.ts'
import { type FileRecord, findFileRecord } from '../../pipeline/read/lookups/file-records.ts'
import { readVersionBytes } from '../../pipeline/read/queries/file-bytes.ts'
import type { ViewCall } from './view.ts'

/** Longest file with contact data that is shown: it is parsed to take that out. */
const PARSED_BYTES_MAX = 1024 * 1024
/** Finds what may be contact data; a key may be written with escapes. */
const MAY_BE_PERSONAL = /"(?:email|contact)"|\\u/

const FILES_MAX = 20_000

/** Why the bytes of a file are not shown. */
export const WITHHELD_REASON = 'the file contains contact data and is too long to redact'

/** A file on a page, which links its bytes unless they are withheld. */
export type ShownFile = FileRecord & { isWithheld: boolean }

const withheld = declareCache(() => new LRUCache<string, boolean>({ max: FILES_MAX }))

/** Tells whether a file may hold contact data of people. */
export function mayBePersonal(text: string): boolean {
  return MAY_BE_PERSONAL.test(text)
}

/** Tells whether a file that may hold contact data is too long for taking that out. */
export function isTooLong(bytes: number): boolean {
  return bytes > PARSED_BYTES_MAX
}

/** Loads the record of a file, and whether its bytes are shown; those of each version are read once. */
export async function loadShownFile(
  source: Source,
  { reader, caches, config }: ViewCall['services'],
): Promise<ShownFile | null | undefined> {
  const file = findFileRecord(reader, source)
  if (!file) return file
  const { sha256, bytes } = file
  if (!isTooLong(bytes ?? 0)) return { ...file, isWithheld: false }
  const known = withheld({ caches }).get(sha256)
  if (known !== undefined) return { ...file, isWithheld: known }
  const found = await readVersionBytes(reader, sha256, config.LIMITS.adagentsBytes)
  const isWithheld = found !== undefined && mayBePersonal(found.toString('utf8'))
  if (found !== undefined) withheld({ caches }).set(sha256, isWithheld)
  return { ...file, isWithheld }
}
