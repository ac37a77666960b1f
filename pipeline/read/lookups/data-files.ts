import { z } from 'zod'
import { PublicError } from '../../core/errors.ts'
import { readJsonFile } from '../../store/durable-files.ts'
import { ParquetManifest } from '../../store/parquet-manifest.ts'
import { isTampered } from '../../store/seals.ts'
import type { Reader } from '../reader.ts'

/** A table as one Parquet file, as of the first snapshot of a day (UTC). */
export interface DataFile {
  table: string
  day: string
  /** Path below the folder of the export. */
  path: string
  rows: number
  bytes: number
  sha256: string
}

const PLACE = /^(?<table>[a-z_]+)\/day=(?<day>\d{4}-\d\d-\d\d)\/[^/]+$/
const Place = z.object({ table: z.string(), day: z.string() })

/** Lists the files of all releases that are kept, as the manifest of the export names them. */
export function listDataFiles({ paths }: Pick<Reader, 'paths'>): DataFile[] {
  const files = readJsonFile(paths.parquetManifest, ParquetManifest)?.files ?? []
  return files.flatMap(file => {
    const place = Place.safeParse(PLACE.exec(file.path)?.groups).data
    return place === undefined ? [] : [{ ...place, ...file }]
  })
}

/** Throws where something else changed a file: its digest would be that of other bytes. */
export function assertUntouched(
  { paths }: Pick<Reader, 'paths'>,
  { table, day, path }: DataFile,
): void {
  if (isTampered(paths, `${paths.parquet}/${path}`))
    throw new PublicError(
      'unavailable',
      `the table ${table} of ${day} is damaged: the next start of the indexer removes it, and exports today’s`,
    )
}

/** Lists the files of the latest release; none before the first. */
export function listLatestFiles(reader: Pick<Reader, 'paths'>): DataFile[] {
  const files = listDataFiles(reader)
  const latest = files
    .map(({ day }) => day)
    .sort()
    .at(-1)
  return files.filter(({ day }) => day === latest)
}
