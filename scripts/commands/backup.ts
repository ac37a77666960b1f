import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { isBackupName } from '../../jobs/fleet/backups.ts'
import { noteRestored } from '../../jobs/fleet/tenure.ts'
import type { RunFile } from '../../jobs/run-file.ts'
import type { Config } from '../../pipeline/core/config.ts'
import { describeFullDisk, isDiskFull } from '../../pipeline/core/disk-full.ts'
import { type Restoring, restore } from '../../pipeline/maintenance/restore.ts'
import { describeLogHead } from '../../pipeline/maintenance/restore-log.ts'
import type { RepeatedTakedowns } from '../../pipeline/maintenance/restore-takedowns.ts'
import { readDiskProblems } from '../../pipeline/read/health.ts'
import { type Paths, resolvePaths } from '../../pipeline/store/paths.ts'
import { assertRecordKnown } from '../../pipeline/store/record.ts'
import { assertUndamagedBeside } from '../../pipeline/store/undamaged.ts'
import { checkLogFiles, LOG_ADVICE } from '../../pipeline/transparency/check-log-files.ts'
import { LOG_IN_BACKUP } from '../../pipeline/transparency/copy-log.ts'
import {
  backedUp,
  checkBackup,
  MANIFEST,
  type Manifest,
} from '../../pipeline/writer/copy-stores.ts'
import type { Sequencer } from '../../pipeline/writer/sequencer.ts'
import { describeDiscarded, describeRegained } from './discarded-commits.ts'
import { assertNotForeign } from './empty-folder.ts'
import { readSettings } from './environment.ts'
import { describeLaterWrites } from './later-writes.ts'
import { assertRegistry, findOrOpen, openAlone } from './open-registry.ts'
import { listKeyFiles, listMissingKeys } from './registry-key.ts'
import { askRunning } from './running.ts'
import { toTypedFolder } from './typed-path.ts'
import { assertWritable } from './writable.ts'

/** Copies the stores of the running registry, or of DATA_DIR, to a new folder. */
export async function backUp(dir: string): Promise<void> {
  const config = readSettings()
  const place = toTypedFolder(dir)
  assertOutside(resolvePaths(config.DATA_DIR).dir, place)
  assertRegistry(config)
  if (!existsSync(place)) assertWritable('The folder for the backup', dirname(place))
  const { run, sequencer } = await findOrOpen(config)
  const making = run ? requestBackup(run, place) : backUpAlone(sequencer, place)
  const { seq } = await making.catch(error => {
    throw isDiskFull(error) ? nameDisk(error, resolvePaths(config.DATA_DIR), place) : error
  })
  const keys = listKeyFiles(resolvePaths(config.DATA_DIR), { ...config, ...run?.key_files })
  process.stdout.write(
    `Backed up commit ${seq} to ${place}. Key files are not in it.\n${
      keys.length > 0 ? `Keep copies of them elsewhere:\n  ${keys.join('\n  ')}\n` : ''
    }`,
  )
  await assertLogUndamaged(place)
}

/** Names the disk that is full, that of the stores or that of the backup: SQLite does not. */
function nameDisk(cause: Error, paths: Pick<Paths, 'dir'>, place: string): Error {
  const full = readDiskProblems(paths).length > 0 ? paths.dir : place
  return new Error(describeFullDisk(full), { cause })
}

/** Throws where the log in a backup is damaged, which a copy of a damaged one is without any other sign. */
async function assertLogUndamaged(place: string): Promise<void> {
  const { folder, head } = LOG_IN_BACKUP
  const [fault] = await checkLogFiles({ log: join(place, folder), logHead: join(place, head) })
  if (fault !== undefined)
    throw new Error(
      `the log of events in ${place} is damaged: ${fault}. Its record is intact. ${LOG_ADVICE}`,
    )
}

/** Throws where a backup would be lost together with the stores that it is for. */
function assertOutside(dataDir: string, place: string): void {
  const way = relative(resolveLinks(dataDir), resolveLinks(place))
  if (way !== '..' && !way.startsWith(`..${sep}`))
    throw new Error(
      `${place} is in DATA_DIR (${dataDir}) and would be lost with it: choose a folder elsewhere, ideally on another disk`,
    )
}

/** Resolves links in a path, of which the last parts may not exist yet. */
function resolveLinks(path: string): string {
  const parent = dirname(path)
  return existsSync(path) || parent === path
    ? realpathSync(path)
    : join(resolveLinks(parent), basename(path))
}

async function requestBackup(run: RunFile, dir: string): Promise<Manifest> {
  const made = await askRunning<Manifest | { failed: string }>(run, { ask: 'backup', dir })
  if ('failed' in made) throw new Error(made.failed)
  return made
}

async function backUpAlone(sequencer: Sequencer, dir: string): Promise<Manifest> {
  try {
    return await sequencer.backUp(dir)
  } finally {
    await sequencer.close()
  }
}

/** Restores a backup and publishes. */
export async function restoreBackup(dir: string, how: Restoring): Promise<void> {
  const config = readSettings()
  const place = toTypedFolder(dir)
  refuseBackupFolder(place)
  assertNotForeign(resolvePaths(config.DATA_DIR))
  const onBegin = async (manifest: Manifest) =>
    void process.stderr.write(await describeLaterWrites(config, manifest))
  const repeating = { ...how, repeatsTakedowns: true, onBegin }
  const { seq, made_at, takedowns, replaced, kept } = await restore(
    config.DATA_DIR,
    place,
    repeating,
  )
  process.stdout.write(`Restored commit ${seq}, backed up at ${made_at}.\n`)
  if (kept !== undefined)
    process.stderr.write(
      `The record before could not be read. It is kept as ${kept}: delete it when you no longer need it.\n`,
    )
  process.stderr.write(describeDiscarded(seq, replaced) + describeRegained(replaced, made_at))
  process.stderr.write(describeTakedowns(takedowns, made_at))
  const paths = resolvePaths(config.DATA_DIR)
  if (replaced?.isSuccessor === false)
    process.stderr.write(describeTakedowns(undefined, made_at) + describeForeignKeys(paths, config))
  if (config.BACKUP_TO !== undefined || existsSync(paths.tenure)) {
    noteRestored(paths)
    process.stderr.write(WITH_BACKUP_TO)
  }
  const missing = listMissingKeys(config, paths)
  if (missing.length > 0)
    process.stderr.write(
      `Backups contain no keys. Before you start, put back those of the old machine:\n  ${missing.join('\n  ')}\n`,
    )
  const head = describeLogHead(paths, place)
  if (head !== undefined) process.stderr.write(`${head}.\n`)
  const [fault] = await checkLogFiles(paths)
  if (fault !== undefined)
    process.stderr.write(`The log of events is damaged: ${fault}. ${LOG_ADVICE}.\n`)
  await publishIn(config)
}

/** Checks that a backup could be restored with this version, and changes nothing. */
export async function verifyBackup(dir: string): Promise<void> {
  const place = toTypedFolder(dir)
  refuseBackupFolder(place)
  const { seq, made_at } = await checkBackup(place)
  const record = join(place, backedUp.record)
  assertRecordKnown(record)
  await assertUndamagedBeside(record)
  await assertLogUndamaged(place)
  process.stdout.write(`The backup of commit ${seq}, made at ${made_at}, can be restored.\n`)
}

/** Throws where a folder holds the backups of BACKUP_TO, of which one has to be named. */
function refuseBackupFolder(place: string): void {
  const newest = existsSync(join(place, MANIFEST)) ? undefined : findNewestBackup(place)
  if (newest !== undefined)
    throw new Error(
      `${place} holds the backups of BACKUP_TO: name one of them, the newest is ${newest}`,
    )
}

/** Finds the newest complete backup in the folder of BACKUP_TO, or in its `backups/`: their names sort by time. */
function findNewestBackup(place: string): string | undefined {
  return [place, join(place, 'backups')]
    .filter(folder => statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    .flatMap(folder =>
      readdirSync(folder)
        .filter(isBackupName)
        .map(name => join(folder, name)),
    )
    .filter(backup => existsSync(join(backup, MANIFEST)))
    .sort()
    .at(-1)
}

const WITH_BACKUP_TO =
  'With BACKUP_TO, the next start here continues these stores: it discards the later writes that Redis has, and makes a backup at once. ' +
  'Start it before any standby.\n'

/** Says which key files may be those of another registry. */
function describeForeignKeys(paths: Paths, config: Config): string {
  const keys = listKeyFiles(paths, config)
  return keys.length === 0
    ? ''
    : `These keys were here before. If they are not those of the registry of this backup, replace them before you start:\n  ${keys.join('\n  ')}\n`
}

/** Says in lines which takedowns since the backup were repeated, or that their operator has to do it. */
function describeTakedowns(takedowns: RepeatedTakedowns | undefined, madeAt: string): string {
  if (takedowns === undefined)
    return (
      'Any takedowns made since this backup are undone, and this folder does not list them. If the previous registry can still be ' +
      `read, \`registry audit list --operation domain.takedown --since ${madeAt}\` lists them there; otherwise check ` +
      'the requests that you received. Repeat each with `registry takedown`.\n'
    )
  const { takenDown, readmitted, toReadmit } = takedowns
  return [
    ...takenDown.map(domain => `Took down ${domain} again, as was done after this backup.\n`),
    ...readmitted.map(domain => `Accepted ${domain} again, as was done after this backup.\n`),
    ...toReadmit.map(
      domain =>
        `The takedown of ${domain} was undone after this backup. To do that again, run \`registry takedown ${domain} --undo\` after the next start.\n`,
    ),
  ].join('')
}

async function publishIn(config: Config): Promise<void> {
  const sequencer = await openAlone(config, { acceptsOlderIndex: true })
  try {
    await sequencer.publish()
    await sequencer.searchable()
  } finally {
    await sequencer.close()
  }
}
