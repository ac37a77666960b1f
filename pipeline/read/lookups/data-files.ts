import { existsSync, statSync } from 'node:fs'
import { z } from 'zod'
import { PublicError } from '../../core/errors.ts'
import { ParquetManifest } from '../../store/columnar/parquet-manifest.ts'
import { readJsonFile } from '../../store/durable-files.ts'
import { isTampered } from '../../store/seals.ts'
import type { Reader } from '../reader.ts'

/** A table as a Parquet file, or a part of a large one, as of the first snapshot of a day (UTC). */
export interface DataFile {
  table: string
  day: string
  /** Number of the part, from 0; undefined where the table is one file. */
  part?: number
  /** Path below the folder of the export. */
  path: string
  rows: number
  bytes: number
  sha256: string
  seq?: number | undefined
  as_of?: string | undefined
}

const PLACE = /^(?<table>[a-z_]+)\/day=(?<day>\d{4}-\d\d-\d\d)\/part-(?<part>\d+)\.parquet$/
const Place = z.object({ table: z.string(), day: z.string(), part: z.coerce.number() })

/** All releases that are kept. */
export interface DataSet {
  /** Days of the releases, the latest first. */
  days: string[]
  files: DataFile[]
  changes: ParquetManifest['changes']
  /** Version of the tables of each release. */
  versions: ParquetManifest['schema_versions']
}

interface Listed {
  manifest: string
  set: DataSet
}
const listed = new WeakMap<Reader['paths'], Listed>()

/** Lists the files of all releases that are kept, as the manifest of the export names them. */
export function readDataSet({ paths }: Pick<Reader, 'paths'>): DataSet {
  const stats = statSync(paths.parquetManifest, { throwIfNoEntry: false, bigint: true })
  const manifest = `${stats?.ino} ${stats?.mtimeNs} ${stats?.size}`
  const known = listed.get(paths)
  if (known?.manifest === manifest) return known.set
  const set = listReleases(readJsonFile(paths.parquetManifest, ParquetManifest))
  listed.set(paths, { manifest, set })
  return set
}

function listReleases(manifest: ParquetManifest | undefined): DataSet {
  const placed = (manifest?.files ?? []).flatMap(file => {
    const place = Place.safeParse(PLACE.exec(file.path)?.groups).data
    return place === undefined ? [] : [{ ...place, ...file }]
  })
  const parts = Map.groupBy(placed, ({ table, day }) => `${table} ${day}`)
  const files = placed.map(({ part, ...file }): DataFile => {
    const isCut = (parts.get(`${file.table} ${file.day}`)?.length ?? 0) > 1
    return isCut ? { ...file, part } : file
  })
  const days = [...new Set(files.map(({ day }) => day))].sort().reverse()
  const { changes = {}, schema_versions: versions = {} } = manifest ?? {}
  return { days, files, changes, versions }
}

/** Lists the files of the release of a day; those that are only at the registry that this one copies are left out. */
export function listRelease(reader: Pick<Reader, 'paths'>, day: string | undefined): DataFile[] {
  const { parquet } = reader.paths
  return readDataSet(reader).files.filter(
    file => file.day === day && existsSync(`${parquet}/${file.path}`),
  )
}

/** Lists the days of the releases that are here, the latest first. */
export function listDays(reader: Pick<Reader, 'paths'>): string[] {
  const { days } = readDataSet(reader)
  return days.filter(day => existsSync(`${reader.paths.parquet}/brands/day=${day}`))
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
  return listRelease(reader, readDataSet(reader).days[0])
}
