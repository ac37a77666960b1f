import { existsSync } from 'node:fs'
import { readSearchCheckpoint, SearchCheckpoint } from '../../search/checkpoint.ts'
import { findDamagedParts } from '../../search/parts-reader.ts'
import { readJsonFile } from '../../store/durable-files.ts'
import type { Stores } from './stores.ts'

/** Checks that the search file which readers open is there and complete; returns a message for each fault. */
export function checkSearch({ paths }: Pick<Stores, 'paths'>): string[] {
  if (!existsSync(paths.searchCheckpoint)) return []
  if (readJsonFile(paths.searchCheckpoint, SearchCheckpoint) === undefined)
    return ['search: current.json cannot be read']
  const current = readSearchCheckpoint(paths)
  // One of an earlier release is made again by the next publishing.
  if (current === undefined) return []
  const file = `${paths.search}/${current.file}`
  if (!existsSync(file)) return [`search: ${current.file} is missing`]
  const damage = findDamagedParts(file)
  return damage === undefined ? [] : [`search: ${current.file} cannot be read (${damage})`]
}
