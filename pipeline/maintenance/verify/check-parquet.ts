import { existsSync } from 'node:fs'
import { hashFile } from '../../store/checkpoint.ts'
import { readJsonFile } from '../../store/durable-files.ts'
import { exportedTables } from '../../store/parquet.ts'
import { ParquetManifest } from '../../store/parquet-manifest.ts'
import type { Stores } from './stores.ts'

const MANIFEST = 'parquet: manifest.json'

/** Checks that the exported files are those of their manifest, byte for byte; returns a message for each fault. */
export async function checkParquet({ paths }: Pick<Stores, 'paths'>): Promise<string[]> {
  const manifest = readJsonFile(paths.parquetManifest, ParquetManifest)
  if (manifest === undefined) {
    if (existsSync(paths.parquetManifest)) return [`${MANIFEST} cannot be read`]
    // The first export goes on meanwhile, table by table, and ends with its manifest.
    const isExported = exportedTables().every(table => existsSync(`${paths.parquet}/${table}`))
    return isExported ? [`${MANIFEST} is missing`] : []
  }
  const faults = new Map<string, string>()
  for (const { path, sha256 } of manifest.files) {
    const file = `${paths.parquet}/${path}`
    if (!existsSync(file)) faults.set(path, `parquet: ${path} is missing`)
    else if ((await hashFile(file)) !== sha256)
      faults.set(path, `parquet: ${path} was changed after it was exported`)
  }
  // Exports go on meanwhile: what they have replaced is no fault.
  const still = readJsonFile(paths.parquetManifest, ParquetManifest)?.files ?? []
  return still.flatMap(({ path }) => faults.get(path) ?? [])
}
