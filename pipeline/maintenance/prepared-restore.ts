import { existsSync, renameSync, rmSync } from 'node:fs'
import { ServingStore } from '../serving/lmdb.ts'
import { replaceFile, replaceFolder, syncPath } from '../store/durable-files.ts'
import { Lease } from '../store/lease.ts'
import { makeFolders, type Paths, resolvePaths } from '../store/paths.ts'
import { closeFacts, openFacts } from '../writer/healing/facts.ts'
import {
  continueNumbering,
  describeRunning,
  dropOthers,
  type LastNumbers,
  putRecordInPlace,
  restore,
} from './restore.ts'
import { hasLogToBring } from './restore-log.ts'

/** A backup, and the folder with all stores that were made of it before they are needed. */
export interface Prepared {
  backup: string
  folder: string
}

/** Makes all stores of a backup in a folder of their own, which is there when they are complete. */
export async function prepareStores({ backup, folder }: Prepared): Promise<void> {
  const partial = `${folder}.partial`
  rmSync(partial, { recursive: true, force: true })
  await restore(partial, backup, { force: true })
  replaceFolder(partial, folder)
}

/**
 * Puts prepared stores in the place of those of DATA_DIR, as a restore of that backup does, but in a moment: they are
 * moved. An interrupted one leaves a mark that keeps every writer from starting, and a restore has to follow.
 */
export async function putPreparedInPlace(
  dataDir: string,
  { backup, folder }: Prepared,
  seen: LastNumbers,
): Promise<void> {
  const paths = resolvePaths(dataDir)
  const withLog = await hasLogToBring(paths, backup)
  makeFolders(paths)
  const lease = await Lease.take(paths.lease)
  if (lease === undefined) throw new Error(describeRunning(paths))
  try {
    replaceFile(paths.restoring, `${folder}\n`)
    // Half moved, they are not complete anymore.
    const moving = `${folder}.moving`
    rmSync(moving, { recursive: true, force: true })
    renameSync(folder, moving)
    dropOthers(paths)
    moveStores(resolvePaths(moving), paths, withLog)
    await numberStores(paths, seen)
    rmSync(moving, { recursive: true, force: true })
    rmSync(paths.restoring)
    syncPath(paths.dir)
  } finally {
    lease.release()
  }
}

/** Numbers the index, and the serving store as well: one that is far behind would be made again at the start. */
async function numberStores(paths: Paths, seen: LastNumbers): Promise<void> {
  const facts = await openFacts(paths)
  const serving = ServingStore.open(paths.servingFile)
  try {
    await continueNumbering(facts, seen)
    const { seq } = await facts.index.oneOrThrow<{ seq: number }>('select seq from meta')
    serving.write([], seq)
  } finally {
    await serving.close()
    closeFacts(paths, facts)
  }
}

function moveStores(from: Paths, to: Paths, withLog: boolean): void {
  // What was prepared is closed: all of its log is in the file.
  putRecordInPlace(to, from.record)
  for (const part of ['serving', 'events', 'pictures'] as const)
    if (existsSync(from[part])) replaceFolder(from[part], to[part])
  if (!withLog) return
  if (existsSync(from.log)) replaceFolder(from.log, to.log)
  renameSync(from.logHead, to.logHead)
}
