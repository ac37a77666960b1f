import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import { buildJsonText } from '../core/json-text.ts'
import { hashFile } from '../store/checkpoint.ts'
import { replaceFile, syncPath } from '../store/durable-files.ts'
import { type Paths, PRIVATE_FOLDER_MODE } from '../store/paths.ts'
import { openAsOfNow } from '../store/record.ts'
import { assertUndamagedBeside } from '../store/undamaged.ts'
import { LOG_IN_BACKUP, listLogFiles } from '../transparency/copy-log.ts'
import { copyPictures, listDamagedPictures } from './community/logo-files.ts'

/** The stores that nothing else can be made of, and their names in a backup. */
export const backedUp = { record: 'record.sqlite' } as const
export const MANIFEST = 'manifest.json'
/** Pictures of logos, each named by its hash: so no manifest need list them. */
export const PICTURES = 'logos'

/** Faults of a backup that are named; more of them tell nothing new. */
const FAULTS_SAID_MAX = 10

/** Path of a file in a backup, which leads nowhere else. */
const NAME = /^(?!.*\.\.)\w[\w./-]*$/

/** Manifest of a backup: both stores and the log as they were after one commit. Older ones have no log. */
export const Manifest = z.object({
  format: z.literal(1),
  seq: z.int(),
  made_at: z.iso.datetime(),
  /** True for a demo, whose domains nobody may look for on the web; older backups do not say it. */
  is_demo: z.boolean().exactOptional(),
  files: z.array(z.object({ name: z.string().regex(NAME), bytes: z.int(), sha256: z.string() })),
})
export type Manifest = z.infer<typeof Manifest>

/**
 * Creates the folder in which a backup is written until it is complete. Throws when it exists
 * already.
 */
export function beginBackup(dir: string): string {
  const partial = toPartial(dir)
  if (existsSync(dir)) throw new Error(`${dir} already exists: name a new folder`)
  if (existsSync(partial) && !isUnfinished(partial))
    throw new Error(`${partial} is not what an interrupted backup left: move it away`)
  rmSync(partial, { recursive: true, force: true })
  mkdirSync(partial, { recursive: true })
  chmodSync(partial, PRIVATE_FOLDER_MODE)
  return partial
}

/** Removes a backup, and what an interrupted one left, from a place where nothing else is ever put. */
export function removeBackup(dir: string): void {
  for (const path of [dir, toPartial(dir)]) rmSync(path, { recursive: true, force: true })
}

function toPartial(dir: string): string {
  return `${resolve(dir)}.partial`
}

/** Tells whether a folder has only what a backup writes before its manifest is in place. */
function isUnfinished(partial: string): boolean {
  const made = [
    ...Object.values(backedUp),
    PICTURES,
    ...Object.values(LOG_IN_BACKUP),
    `${MANIFEST}.new`,
  ]
  const isMade = (name: string) => made.some(file => name === file || name.startsWith(`${file}-`))
  return statSync(partial).isDirectory() && readdirSync(partial).every(isMade)
}

/**
 * Begins to copy the record and the pictures as they are now: no commit may run meanwhile. Commits may go on until the
 * copy is complete.
 */
export function beginCopy({ record, pictures }: Paths, to: string): Promise<void> {
  copyPictures(pictures, `${to}/${PICTURES}`)
  const now = openAsOfNow(record)
  return now.copyTo(`${to}/${backedUp.record}`).finally(() => now.close())
}

/**
 * Checks the copy of the record, since pages are copied without being understood. Then writes the manifest and gives the backup its final
 * name; a folder without a manifest is not a backup.
 */
export async function finishBackup(
  partial: string,
  dir: string,
  made: Omit<Manifest, 'format' | 'files'>,
): Promise<Manifest> {
  await assertUndamagedBeside(`${partial}/${backedUp.record}`)
  const files = []
  for (const name of [...Object.values(backedUp), ...listLogFiles(partial)]) {
    const file = `${partial}/${name}`
    syncPath(file)
    files.push({ name, bytes: statSync(file).size, sha256: await hashFile(file) })
  }
  const manifest: Manifest = { format: 1, ...made, files }
  replaceFile(`${partial}/${MANIFEST}`, `${JSON.stringify(manifest, null, 2)}\n`)
  renameSync(partial, dir)
  syncPath(dirname(resolve(dir)))
  return manifest
}

/** Throws where a folder does not exist, or has not what every backup has. */
export function assertBackup(dir: string): void {
  if (!existsSync(dir)) throw new Error(`there is no folder ${dir}`)
  if (!existsSync(`${dir}/${MANIFEST}`))
    throw new Error(`${dir} is not a backup: it has no ${MANIFEST}`)
}

/** Checks a backup against its manifest and returns it. Throws with all that differs. */
export async function checkBackup(dir: string): Promise<Manifest> {
  assertBackup(dir)
  const manifest = readManifest(dir, readFileSync(`${dir}/${MANIFEST}`, 'utf8'))
  const faults = Object.values(backedUp)
    .filter(name => !manifest.files.some(file => file.name === name))
    .map(describeMissing)
  for (const file of manifest.files) {
    const fault = existsSync(`${dir}/${file.name}`)
      ? await findDifference(`${dir}/${file.name}`, file)
      : describeMissing(file.name)
    if (fault !== undefined) faults.push(fault)
  }
  for (const name of listDamagedPictures(`${dir}/${PICTURES}`))
    faults.push(`${name} does not match the backup’s manifest`)
  if (faults.length > 0) throw new Error(joinFaults(faults))
  return manifest
}

function describeMissing(name: string): string {
  return `the backup has no ${name}`
}

function joinFaults(faults: readonly string[]): string {
  const more = faults.length - FAULTS_SAID_MAX
  const said = faults.slice(0, FAULTS_SAID_MAX).join('; ')
  return more > 0 ? `${said}; and ${more} more` : said
}

function readManifest(dir: string, text: string): Manifest {
  const read = buildJsonText().pipe(Manifest).safeParse(text)
  if (read.success) return read.data
  throw new Error(`${dir} is not a backup: its ${MANIFEST} is not one that \`backup\` has written`)
}

/** Tells whether a file of a backup belongs to the tamper-evident log. */
export function isOfLog(name: string): boolean {
  return name === LOG_IN_BACKUP.head || name.startsWith(`${LOG_IN_BACKUP.folder}/`)
}

/** Throws where a copy of a file is not what the manifest lists. */
export async function checkFile(file: string, listed: Manifest['files'][number]): Promise<void> {
  const fault = await findDifference(file, listed)
  if (fault !== undefined) throw new Error(fault)
}

async function findDifference(
  file: string,
  { name, sha256 }: Manifest['files'][number],
): Promise<string | undefined> {
  return (await hashFile(file)) === sha256
    ? undefined
    : `${name} does not match the backup’s manifest: its SHA-256 differs`
}
