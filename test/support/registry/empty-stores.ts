import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { Database } from '../../../pipeline/store/columnar/duckdb.ts'
import { createTables } from '../../../pipeline/store/columnar/schema.ts'
import { makeFolders, resolvePaths } from '../../../pipeline/store/paths.ts'
import { openRecord } from '../../../pipeline/store/record.ts'
import { makeTemporaryFolder } from '../processes/command.ts'

type Stores = Record<'columnar' | 'record', Buffer>

let emptyStores: Promise<Stores> | undefined

/**
 * Writes a record and a columnar index without a row into a new DATA_DIR. To create the tables of the latter takes longer
 * than most tests, so each process does it once.
 */
export async function writeEmptyStores(dataDir: string): Promise<void> {
  const paths = resolvePaths(dataDir)
  if (existsSync(paths.record)) throw new Error('there are stores')
  emptyStores ??= makeEmptyStores()
  const stores = await emptyStores
  makeFolders(paths)
  writeFileSync(paths.columnar, stores.columnar)
  writeFileSync(paths.record, stores.record, { mode: 0o600 })
}

async function makeEmptyStores(): Promise<Stores> {
  const folder = makeTemporaryFolder()
  try {
    const paths = resolvePaths(folder.path)
    makeFolders(paths)
    const columnar = await Database.open(paths.columnar)
    await createTables(columnar)
    await columnar.run('insert into meta (format, fence, seq) values (0, 0, 0)')
    columnar.close()
    const record = openRecord(paths.record)
    record.close()
    return { columnar: readFileSync(paths.columnar), record: readFileSync(paths.record) }
  } finally {
    folder.remove()
  }
}
