import { Fatal } from '../core/errors.ts'

/**
 * Runs the work on all items. Where it fails because of an item, it runs on the halves instead,
 * down to the single items at fault, which are set aside. `isFault` tells such failures from others.
 */
export async function bisect<Item>(
  items: readonly Item[],
  work: (some: readonly Item[]) => Promise<unknown>,
  setAside: (item: Item, error: Error) => Promise<unknown> | unknown,
  isFault: (error: unknown) => error is Error = isDataFault,
): Promise<void> {
  try {
    await work(items)
  } catch (error) {
    const [only] = items
    if (only === undefined || !isFault(error)) throw error
    if (items.length === 1) {
      await setAside(only, error)
      return
    }
    const middle = items.length >> 1
    await bisect(items.slice(0, middle), work, setAside, isFault)
    await bisect(items.slice(middle), work, setAside, isFault)
  }
}

/** Failures of SQLite that lie in a statement or its values, such as a constraint; the others are the disk's. */
const SQLITE_DATA_FAULTS: readonly number[] = [1, 18, 19, 20, 25]

/** Failures of LMDB that lie in a key or a value; all others with a number are the disk's. */
const LMDB_DATA_FAULTS: readonly unknown[] = [-30_781]

/** Tells whether the data is at fault, rather than the disk, another writer or a store that was closed. */
export function isDataFault(error: unknown): error is Error {
  if (!(error instanceof Error) || error instanceof Fatal || 'errno' in error) return false
  if (isSqliteError(error)) return SQLITE_DATA_FAULTS.includes(error.errcode & 0xff)
  if ('code' in error && typeof error.code === 'number')
    return LMDB_DATA_FAULTS.includes(error.code)
  return !/closed|not open|MDB_MAP_FULL|no space left/i.test(error.message)
}

/** Tells whether a database failed on the data, and not our own code. */
export function isStatementFault(error: unknown): error is Error {
  return isDataFault(error) && isSqliteError(error)
}

function isSqliteError(error: Error): error is Error & { errcode: number } {
  return 'errcode' in error && typeof error.errcode === 'number'
}
