import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { Database } from '../../../pipeline/store/duckdb.ts'
import { migrate } from '../../../pipeline/store/migrations.ts'
import { makeFolders, resolvePaths } from '../../../pipeline/store/paths.ts'
import { openRecord } from '../../../pipeline/store/record.ts'
import { makeTemporaryFolder } from '../processes/command.ts'

type Stores = Record<'index' | 'record', Buffer>

let emptyStores: Promise<Stores> | undefined

/**
 * Writes an index and a record without a row into a new DATA_DIR, as an interrupted first start leaves
 * them. To create their tables takes longer than most tests, so each process does it once.
 */
export async function writeEmptyStores(dataDir: string): Promise<void> {
  const paths = resolvePaths(dataDir)
  if (existsSync(paths.index) || existsSync(paths.record)) throw new Error('there are stores')
  emptyStores ??= makeEmptyStores()
  const stores = await emptyStores
  makeFolders(paths)
  writeFileSync(paths.index, stores.index)
  writeFileSync(paths.record, stores.record, { mode: 0o600 })
}

async function makeEmptyStores(): Promise<Stores> {
  const folder = makeTemporaryFolder()
  try {
    const paths = resolvePaths(folder.path)
    makeFolders(paths)
    const index = await Database.open(paths.index)
    await migrate(index)
    index.close()
    const record = openRecord(paths.record)
    record.close()
    return { index: readFileSync(paths.index), record: readFileSync(paths.record) }
  } finally {
    folder.remove()
  }
}
