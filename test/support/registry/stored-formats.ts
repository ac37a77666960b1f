import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Database } from '../../../pipeline/store/columnar/duckdb.ts'
import { type Paths, resolvePaths } from '../../../pipeline/store/paths.ts'
import { Sqlite } from '../../../pipeline/store/sqlite.ts'

/** Stores as SQL, as the last version left them that kept the index in DuckDB, of the same two nights. */
const folder = join(import.meta.dirname, '../../fixtures/stores')

/** Writes the index into DATA_DIR as the version of its format has left it. */
async function writeStoredIndex(dataDir: string): Promise<void> {
  const { oldIndex } = resolvePaths(dataDir)
  mkdirSync(dirname(oldIndex), { recursive: true })
  const db = await Database.open(oldIndex)
  await db.run(readFileSync(`${folder}/index-7.sql`, 'utf8'))
  db.close()
}

/** Writes both stores into DATA_DIR as the version of their formats has left them. */
export async function writeStores(dataDir: string): Promise<void> {
  await writeStoredIndex(dataDir)
  const { record } = resolvePaths(dataDir)
  mkdirSync(dirname(record), { recursive: true })
  const db = Sqlite.open(record)
  db.exec(readFileSync(`${folder}/record-1.sql`, 'utf8'))
  db.emptyLog()
  db.close()
}

export function hashStores({ oldIndex, record }: Paths): (string | undefined)[] {
  return [oldIndex, record].map(file =>
    existsSync(file) ? createHash('sha256').update(readFileSync(file)).digest('hex') : undefined,
  )
}
