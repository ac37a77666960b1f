import { z } from 'zod'
import { readJsonFile } from '../store/durable-files.ts'
import type { Paths } from '../store/paths.ts'
import { SEARCH_FORMAT } from './search-index.ts'

/** Name of the current search file and the commit that it shows; replaced last. */
export const SearchCheckpoint = z.object({
  seq: z.int(),
  file: z.string().regex(/^\d{6,}\.search$/),
  format: z.int(),
  /** Changes with everything that can be found, and with what is shown of it. */
  contents: z.string(),
  /** SHA-256 of the file on a replica, whose registry uses names again after a restore. */
  sha256: z.string().exactOptional(),
})
export type SearchCheckpoint = z.infer<typeof SearchCheckpoint>

/**
 * Reads the checkpoint of the search file; undefined where it is missing or unreadable: the next start
 * rebuilds it.
 */
export function readSearchCheckpoint(paths: Paths): SearchCheckpoint | undefined {
  const checkpoint = readJsonFile(paths.searchCheckpoint, SearchCheckpoint)
  return checkpoint?.format === SEARCH_FORMAT ? checkpoint : undefined
}
