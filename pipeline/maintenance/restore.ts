import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { requireValue } from '../core/present.ts'
import { replaceFile, syncPath } from '../store/durable-files.ts'
import { Lease } from '../store/lease.ts'
import { makeFolders, type Paths, resolvePaths } from '../store/paths.ts'
import { assertRecordKnown } from '../store/record.ts'
import { describeTakeover, hasContent } from '../store/record-file.ts'
import { Seals } from '../store/seals.ts'
import { assertUndamagedBeside } from '../store/undamaged.ts'
import { copyPictures } from '../writer/community/logo-files.ts'
import {
  assertBackup,
  backedUp,
  checkBackup,
  checkFile,
  type Manifest,
  PICTURES,
} from '../writer/copy-stores.ts'
import { type Facts, setLastEvent, setNextNumber } from '../writer/healing/facts.ts'
import { rebuildStores } from './rebuild.ts'
import { copyLogBeside, hasLogToBring, putLogInPlace } from './restore-log.ts'
import {
  loadReplaced,
  type RepeatedTakedowns,
  type Replaced,
  repeatTakedowns,
} from './restore-takedowns.ts'

export interface Restoring {
  /** Replace existing stores. */
  force?: boolean
  /** Repeats the takedowns of the present record that the backup lacks. */
  repeatsTakedowns?: boolean
  /** Is called with a backup that is intact, before anything is replaced. */
  onBegin?(manifest: Manifest): Promise<void>
  /** Numbers commits and events after these, which others may have seen. */
  continueAfter?: LastNumbers
}

/** Numbers of the last commit and event that others may know of a registry. */
export interface LastNumbers {
  seq: number
  lastEventId: string | undefined
}

/** Result of a restore; what is said of the record before is undefined where that could not be read. */
export interface Restored extends Manifest {
  takedowns: RepeatedTakedowns | undefined
  replaced: Omit<Replaced, 'takedowns'> | undefined
  /** File that the record before is kept in, which could not be read; undefined where it could, or there was none. */
  kept: string | undefined
}

/**
 * Puts a backup in place and builds the serving store and the event files from it. Throws, with nothing
 * changed, while another process writes, if the backup is damaged, and if there is data already. An
 * interrupted restore leaves a mark that keeps every writer from starting.
 */
export async function restore(dataDir: string, dir: string, how: Restoring): Promise<Restored> {
  const paths = resolvePaths(dataDir)
  const { force = false, repeatsTakedowns = false } = how
  await assertStopped(paths)
  // First: with --force, a wrong path would be all that is wrong.
  assertBackup(dir)
  if (!force && !isFree(paths)) throw new Error(describeNotFree(paths))
  const manifest = await checkBackup(dir)
  await how.onBegin?.(manifest)
  makeFolders(paths)
  const lease = await Lease.take(paths.lease)
  if (lease === undefined) throw new Error(describeRunning(paths))
  const known = loadReplaced(paths, `${dir}/${backedUp.record}`)
  const keeps = known === undefined && hasContent(paths.record) && !existsSync(paths.restoring)
  let takedowns: RepeatedTakedowns | undefined
  try {
    await copyStore(backedUp.record, dir, paths.record, manifest)
    assertRecordKnown(`${paths.record}.new`)
    await assertUndamagedBeside(`${paths.record}.new`)
    const withIndex = await copyOldIndex(dir, paths, manifest)
    const withLog = await hasLogToBring(paths, dir)
    if (withLog) await copyLogBeside(paths, dir, manifest)
    replaceFile(paths.restoring, `${JSON.stringify(manifest)}\n`)
    dropOthers(paths)
    copyPictures(`${dir}/${PICTURES}`, paths.pictures)
    if (keeps) keepRecord(paths)
    putRecordInPlace(paths, `${paths.record}.new`)
    if (withIndex) renameSync(`${paths.oldIndex}.new`, paths.oldIndex)
    if (withLog) putLogInPlace(paths)
    markDemo(paths, manifest)
    await rebuildStores(paths, async facts => {
      if (known && repeatsTakedowns) takedowns = await repeatTakedowns(facts, known.takedowns)
      await continueNumbering(facts, how.continueAfter)
    })
    rmSync(paths.restoring)
    syncPath(paths.dir)
  } finally {
    // What a refused one has copied holds private rows.
    for (const file of [paths.record, paths.oldIndex]) rmSync(`${file}.new`, { force: true })
    lease.release()
  }
  return {
    ...manifest,
    takedowns,
    replaced: known,
    kept: keeps ? resolveUnreadable(paths) : undefined,
  }
}

/** Sets a record that cannot be read aside, with its log, for who can still read parts of it. */
function keepRecord(paths: Paths): void {
  for (const log of ['', '-wal'])
    if (existsSync(`${paths.record}${log}`))
      renameSync(`${paths.record}${log}`, `${resolveUnreadable(paths)}${log}`)
}

function resolveUnreadable({ record }: Paths): string {
  return `${record}.unreadable`
}

/** Throws while another process writes, since nothing else that is said of its folder would help then. */
async function assertStopped(paths: Paths): Promise<void> {
  if (existsSync(paths.lease) && (await Lease.isHeld(paths.lease)))
    throw new Error(describeRunning(paths))
}

/** Says why a folder cannot be changed whose registry runs. */
export function describeRunning({ dir }: Pick<Paths, 'dir'>): string {
  return `a registry is running on ${dir}: stop it first`
}

function describeNotFree(paths: Paths): string {
  const takeover = describeTakeover(paths)
  const advice =
    takeover === undefined
      ? 'restore with --force to replace it'
      : `if the record is damaged, lose no write: ${takeover}. To go back to the backup all the same, restore with --force`
  return `${paths.dir} is not empty: ${advice}`
}

/** Tells whether a restore would overwrite nothing. */
function isFree(paths: Paths): boolean {
  return !existsSync(paths.dir) || readdirSync(paths.dir).length === 0
}

/** Copies a file next to its destination, and verifies the copy. */
async function copyStore(
  name: string,
  dir: string,
  place: string,
  manifest: Manifest,
): Promise<void> {
  const fresh = `${place}.new`
  await copyFile(`${dir}/${name}`, fresh)
  syncPath(fresh)
  const listed = manifest.files.find(file => file.name === name)
  await checkFile(fresh, requireValue(listed, `${name} in the manifest`))
}

/** Copies the index of a backup of the version before, which had one beside the record; false where it has none. */
async function copyOldIndex(
  dir: string,
  { oldIndex }: Paths,
  manifest: Manifest,
): Promise<boolean> {
  const name = basename(oldIndex)
  if (!manifest.files.some(file => file.name === name)) return false
  await copyStore(name, dir, oldIndex, manifest)
  return true
}

/** Puts a restored record, which was checked, in place; deletes the old one's log, and what an import left. */
export function putRecordInPlace(paths: Paths, fresh: string): void {
  const { record } = paths
  for (const file of [record, `${record}.import`])
    for (const log of ['', '-wal', '-shm']) rmSync(`${file}${log}`, { force: true })
  renameSync(fresh, record)
  const seals = Seals.open(paths)
  seals.note(record)
  seals.close()
}

/** Makes the folder that of a demo if the backup is one of a demo, and of a registry of the web otherwise. */
function markDemo({ demoDomains }: Paths, { is_demo }: Manifest): void {
  if (is_demo) writeFileSync(demoDomains, '')
  else if (is_demo === false) rmSync(demoDomains, { force: true })
}

/** Deletes whatever was derived from the previous index. */
export function dropOthers(paths: Paths): void {
  const { serving, events, snapshots, columnar, search, parquet, registry, checkpoint, run } = paths
  const { oldIndex, old } = paths
  const made = [
    oldIndex,
    `${oldIndex}.wal`,
    old,
    columnar,
    serving,
    events,
    snapshots,
    search,
    parquet,
    registry,
    checkpoint,
    run,
  ]
  for (const path of [...made, paths.seals, paths.damaged]) {
    rmSync(path, { recursive: true, force: true })
  }
}

/**
 * Continues the numbering after every commit that others may have seen: reusing a number would order
 * submissions wrongly, and mistake a crawl that began before for one after.
 */
export async function continueNumbering(
  { index, accounts: { db } }: Facts,
  seen: LastNumbers = { seq: 0, lastEventId: undefined },
): Promise<void> {
  // The backup may contain domains that were taken down: the next start takes them down again.
  db.run('update taken_down set cleared_at = null')
  await setNextNumber(index, seen.seq)
  if (seen.lastEventId !== undefined) await setLastEvent(index, seen.lastEventId)
}
