import { existsSync } from 'node:fs'
import { relative } from 'node:path'
import { Accounts } from '../accounts/store.ts'
import { SERVING_FORMAT, ServingStore } from '../serving/lmdb.ts'
import { Database } from '../store/database.ts'
import { Lease } from '../store/lease.ts'
import { type Paths, resolvePaths } from '../store/paths.ts'
import { listTampered } from '../store/seals.ts'
import { describeUnreadable, verify } from './verify-stores.ts'

const SERVING_OF_OTHER_VERSION =
  'serving: is of another version, and was not compared: the next start makes it again'

/**
 * Verifies the stores of a registry that does not run, and changes none of them; returns one sentence per fault.
 * Undefined while another process writes. `tell` gets what is no fault but was not compared.
 */
export async function verifyStopped(
  dataDir: string,
  tell: (note: string) => void = () => undefined,
): Promise<string[] | undefined> {
  const paths = resolvePaths(dataDir)
  let lease: Lease | undefined
  try {
    lease = await Lease.take(paths.lease)
  } catch (error) {
    return [describeUnreadable(relative(paths.dir, paths.lease), error)]
  }
  if (lease === undefined) return undefined
  try {
    if (existsSync(paths.restoring))
      return ['a restore was not finished: run it again with --force']
    const tampered = listTampered(paths)
    const changed = tampered.map(
      file =>
        `${relative(paths.dir, file)}: ${existsSync(file) ? 'was changed' : 'was removed'} while the registry was not running`,
    )
    // Damaged pages of it would end this process.
    const opensServing = !tampered.includes(paths.servingFile)
    return [...changed, ...(await openAndVerify(paths, opensServing, tell))]
  } finally {
    lease.release()
  }
}

async function openAndVerify(
  paths: Paths,
  opensServing: boolean,
  tell: (note: string) => void,
): Promise<string[]> {
  const opened: { close(): unknown }[] = []
  const faults: string[] = []
  const open = async <Store extends { close(): unknown }>(
    file: string,
    read: () => Store | Promise<Store>,
  ): Promise<Store | undefined> => {
    const name = relative(paths.dir, file)
    if (!existsSync(file)) faults.push(`${name}: is missing`)
    else
      try {
        const store = await read()
        opened.push(store)
        return store
      } catch (error) {
        faults.push(describeUnreadable(name, error))
      }
    return undefined
  }
  try {
    const accounts = await open(paths.record, () => Accounts.openReadOnly(paths.record))
    const serving = opensServing
      ? await open(paths.servingFile, () =>
          ServingStore.open(paths.servingFile, { readOnly: true }),
        )
      : undefined
    if (accounts === undefined || serving === undefined) return faults
    const { format } = serving
    const isOfOtherVersion = format !== undefined && format !== SERVING_FORMAT
    if (isOfOtherVersion) tell(SERVING_OF_OTHER_VERSION)
    return await verify(
      { paths, index: new Database(accounts.db), accounts, serving },
      { skipped: isOfOtherVersion ? ['serving'] : [] },
    )
  } finally {
    for (const store of opened.reverse()) await store.close()
  }
}
