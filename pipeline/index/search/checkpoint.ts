import { existsSync, readFileSync } from 'node:fs'
import type { Paths } from '../paths.ts'
import { SEARCH_FORMAT } from './search-index.ts'

/** Which search file is current, and how far it goes; replaced last. */
export interface SearchCheckpoint {
  seq: number
  file: string
  format: number
  /** Changes with everything that can be found, and with what is shown of it. */
  contents: string
}

export function readSearchCheckpoint(paths: Paths): SearchCheckpoint | undefined {
  if (!existsSync(paths.searchCheckpoint)) return undefined
  const checkpoint = JSON.parse(readFileSync(paths.searchCheckpoint, 'utf8')) as SearchCheckpoint
  return checkpoint.format === SEARCH_FORMAT ? checkpoint : undefined
}
