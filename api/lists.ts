import { z } from 'zod'
import type { Snapshot } from '../pipeline/index/reader.ts'
import { whole } from './fields.ts'

const SEARCH_CHARS = 200
const LARGEST_PAGE = 5_000
const LARGEST_OFFSET = 1e9
/** Callers refuse longer lists. */
const LIST_BYTES = Math.floor(1.5 * 1024 * 1024)

/** The query of a list; `limit=0` means the usual page. */
export function listQuery<const Source extends string>(sources: readonly Source[], usual: number) {
  return z.object({
    search: z.string().max(SEARCH_CHARS).optional().meta({ description: 'part of a name' }),
    source: z.enum(sources).optional(),
    limit: whole({ min: 0, max: LARGEST_PAGE, default: usual, clamp: true }).transform(
      limit => limit || usual,
    ),
    offset: whole({ min: 0, max: LARGEST_OFFSET, default: 0 }),
  })
}

/** Which commit a list shows. */
export function seqHeader(snapshot: Snapshot | undefined): Record<string, string> {
  return { 'x-registry-seq': String(snapshot?.seq ?? 0) }
}

/** As many items as fit into an answer; `<name>_truncated` says when there were more. */
export function fitting<Name extends string, Item>(name: Name, items: readonly Item[]) {
  let bytes = 0
  const fits = items.findIndex(item => {
    bytes += Buffer.byteLength(JSON.stringify(item)) + 1
    return bytes > LIST_BYTES
  })
  return fits === -1
    ? { [name]: items }
    : { [name]: items.slice(0, fits), [`${name}_truncated`]: true }
}
