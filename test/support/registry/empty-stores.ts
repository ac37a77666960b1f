import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { Database } from '../../../pipeline/store/duckdb.ts'
import { migrate, type StoreName } from '../../../pipeline/store/migrations.ts'
import { makeFolders, resolvePaths } from '../../../pipeline/store/paths.ts'
import { makeTemporaryFolder } from '../processes/command.ts'

type Stores = Record<StoreName, Buffer>

let emptyStores: Promise<Stores> | undefined

/**
 * Writes an index and accounts without a row into a new DATA_DIR, as an interrupted first start leaves
 * them. To create their tables takes longer than most tests, so each process does it once.
 */
export async function writeEmptyStores(dataDir: string): Promise<void> {
  const paths = resolvePaths(dataDir)
  if (existsSync(paths.index) || existsSync(paths.accounts)) throw new Error('there are stores')
  emptyStores ??= makeEmptyStores()
  const stores = await emptyStores
  makeFolders(paths)
  writeFileSync(paths.index, stores.index)
  writeFileSync(paths.accounts, stores.accounts)
}

async function makeEmptyStores(): Promise<Stores> {
  const folder = makeTemporaryFolder()
  try {
    const paths = resolvePaths(folder.path)
    makeFolders(paths)
    const make = async (store: StoreName) => {
      const db = await Database.open(paths[store])
      await migrate(db, store)
      db.close()
      return readFileSync(paths[store])
    }
    return { index: await make('index'), accounts: await make('accounts') }
  } finally {
    folder.remove()
  }
}
