import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { relative } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'
import { readJsonFile, replaceFile } from '../durable-files.ts'
import type { Paths } from '../paths.ts'
import type { Database } from './duckdb.ts'
import { TableChanges } from './parquet-changes.ts'

const ExportedFile = z.object({
  /** Path below the folder of the export. */
  path: z.string(),
  rows: z.number(),
  bytes: z.number(),
  sha256: z.string(),
  /** The commit that it shows, and its time. */
  seq: z.number().optional(),
  as_of: z.string().optional(),
})
export type ExportedFile = z.infer<typeof ExportedFile>

/** The content of `parquet/manifest.json`: every file of the export by path, and by day what it changed and the version of its tables. */
export const ParquetManifest = z.object({
  files: z.array(ExportedFile),
  changes: z.record(z.string(), z.array(TableChanges)).default({}),
  schema_versions: z.record(z.string(), z.number()).default({}),
})
export type ParquetManifest = z.infer<typeof ParquetManifest>

/**
 * Writes the manifest of the export: every file with its rows, size and digest, so that a copy can be checked
 * by itself. Files that the manifest names already are not read again: a file of the export never changes.
 */
export async function writeParquetManifest(
  db: Database,
  paths: Paths,
  day: string,
  changed: readonly TableChanges[],
): Promise<void> {
  const before = readJsonFile(paths.parquetManifest, ParquetManifest)
  const known = new Map(before?.files.map(file => [file.path, file]))
  const files: ExportedFile[] = []
  for (const found of await listExportedFiles(db, paths)) {
    const same = known.get(found.path)
    const sha256 =
      same?.bytes === found.bytes ? same.sha256 : await hashFile(`${paths.parquet}/${found.path}`)
    files.push({ ...found, sha256 })
  }
  const days = new Set(files.map(({ path }) => /day=([\d-]+)/.exec(path)?.[1]))
  const keep = <Value>(byDay: Readonly<Record<string, Value>> = {}) =>
    Object.fromEntries(Object.entries(byDay).filter(([of]) => days.has(of)))
  const { format } = await db.oneOrThrow<{ format: number }>('select format from data_set')
  const renewed = new Set(changed.map(({ table }) => table))
  const others = before?.changes[day]?.filter(({ table }) => !renewed.has(table)) ?? []
  const manifest: ParquetManifest = {
    files,
    changes: { ...keep(before?.changes), [day]: [...others, ...changed] },
    schema_versions: { ...keep(before?.schema_versions), [day]: format },
  }
  replaceFile(paths.parquetManifest, `${JSON.stringify(manifest, null, 1)}\n`)
}

/** Tells whether the export of a day was finished: its manifest is written last. */
export function isListed(
  { parquetManifest }: Pick<Paths, 'parquetManifest'>,
  day: string,
): boolean {
  return readJsonFile(parquetManifest, ParquetManifest)?.changes[day] !== undefined
}

/** Drops files that are gone from the manifest: what is exported in their place is read anew. */
export function forgetMissingExports(paths: Paths): void {
  const manifest = readJsonFile(paths.parquetManifest, ParquetManifest)
  if (manifest === undefined) return
  const files = manifest.files.filter(({ path }) => existsSync(`${paths.parquet}/${path}`))
  replaceFile(paths.parquetManifest, `${JSON.stringify({ ...manifest, files }, null, 1)}\n`)
}

async function listExportedFiles(
  db: Database,
  { parquet }: Paths,
): Promise<Omit<ExportedFile, 'sha256'>[]> {
  const pattern = `${parquet}/*/*/*.parquet`.replaceAll("'", "''")
  const files = await db.all<Omit<ExportedFile, 'path' | 'sha256'> & { file: string }>(
    `select file_name as file, num_rows::double as rows, file_size_bytes::double as bytes,
       facts['registry_seq']::double as seq, nullif(facts['registry_as_of'], '') as as_of
     from parquet_file_metadata('${pattern}') join (
       select file_name, map(list(decode(key)), list(decode(value))) as facts
       from parquet_kv_metadata('${pattern}') group by all) using (file_name) order by file_name`,
  )
  return files.map(({ file, ...facts }) => ({ path: relative(parquet, file), ...facts }))
}

async function hashFile(path: string): Promise<string> {
  const digest = createHash('sha256')
  await pipeline(createReadStream(path), digest)
  return digest.digest('hex')
}
