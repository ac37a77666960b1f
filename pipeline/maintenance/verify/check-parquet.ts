import { existsSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { hashFile } from '../../store/checkpoint.ts'
import { exportedTables } from '../../store/columnar/parquet.ts'
import { ParquetManifest } from '../../store/columnar/parquet-manifest.ts'
import { readJsonFile } from '../../store/durable-files.ts'
import type { Paths } from '../../store/paths.ts'
import type { Stores } from './stores.ts'

const MANIFEST = 'parquet: manifest.json'
/** Time that the digests of a first export may take once its tables are there. */
const MANIFEST_MS = 20_000
const POLL_MS = 200

/** Checks that the exported files are those of their manifest, byte for byte; returns a message for each fault. */
export async function checkParquet({ paths }: Pick<Stores, 'paths'>): Promise<string[]> {
  const manifest = await waitForManifest(paths)
  if (manifest === undefined) {
    if (existsSync(paths.parquetManifest)) return [`${MANIFEST} cannot be read`]
    return hasAllTables(paths) ? [`${MANIFEST} is missing`] : []
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

/** Reads the manifest. The first export may go on meanwhile, table by table, and ends with it. */
async function waitForManifest(paths: Paths): Promise<ParquetManifest | undefined> {
  const ends = performance.now() + MANIFEST_MS
  while (!existsSync(paths.parquetManifest) && hasAllTables(paths)) {
    if (performance.now() > ends) return undefined
    await pause(POLL_MS)
  }
  return readJsonFile(paths.parquetManifest, ParquetManifest)
}

function hasAllTables({ parquet }: Paths): boolean {
  return exportedTables().every(table => existsSync(`${parquet}/${table}`))
}
