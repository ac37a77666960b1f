import { readdirSync } from 'node:fs'
import { join } from 'node:path'

const FILES_MAX = 20_000

/** A file below a folder, by its path there with slashes; `isPlain` unless it is a link or a device. */
export interface ListedFile {
  path: string
  isPlain: boolean
}

/** Lists the files below a folder. Links are listed and not followed; stops after many files. */
export function listFiles(folder: string, below = ''): ListedFile[] {
  const files: ListedFile[] = []
  for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
    if (files.length > FILES_MAX) break
    const path = below === '' ? entry.name : `${below}/${entry.name}`
    if (entry.isDirectory()) files.push(...listFiles(folder, path))
    else files.push({ path, isPlain: entry.isFile() })
  }
  return files
}
