import { existsSync, readdirSync, rmSync } from 'node:fs'
import { relative } from 'node:path'
import type { Paths } from '../paths.ts'

/** Days whose files replicas copy; the older releases stay with the registry that made them. */
const DAYS_COPIED = 2
const DAY = /\/day=(\d{4}-\d\d-\d\d)\//

/** Removes the releases of a table that are not kept: all but the newest, and the first one of each month. */
export function pruneReleases(folder: string, kept: number): void {
  const days = readdirSync(folder).sort()
  const older = days.slice(0, -kept)
  const firsts = new Set(
    days.filter((day, i) => i === 0 || day.slice(0, -3) !== days[i - 1]?.slice(0, -3)),
  )
  for (const day of older) if (!firsts.has(day)) rmSync(`${folder}/${day}`, { recursive: true })
}

/** Lists the files of all exports that are kept. */
export function listExportedFiles({ parquet }: Pick<Paths, 'parquet'>): string[] {
  if (!existsSync(parquet)) return []
  return readdirSync(parquet, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && !entry.parentPath.endsWith('.new'))
    .map(entry => `${entry.parentPath}/${entry.name}`)
    .sort()
}

/** Lists the exported files that a replica gets: the manifest, and the newest releases. */
export function listCopiedFiles(paths: Pick<Paths, 'parquet'>): string[] {
  const files = listExportedFiles(paths)
  const findDay = (file: string) => DAY.exec(`/${relative(paths.parquet, file)}`)?.[1]
  const days = [...new Set(files.flatMap(file => findDay(file) ?? []))].sort()
  const copied = new Set(days.slice(-DAYS_COPIED))
  return files.filter(file => {
    const day = findDay(file)
    return day === undefined || copied.has(day)
  })
}
