import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { BackupStore } from '../../pipeline/replica/backup-store.ts'
import { replaceFolder } from '../../pipeline/store/durable-files.ts'
import { PRIVATE_FOLDER_MODE } from '../../pipeline/store/paths.ts'
import { LOG_IN_BACKUP } from '../../pipeline/transparency/copy-log.ts'
import { parseHead } from '../../pipeline/transparency/tree-head.ts'
import { checkBackup, MANIFEST } from '../../pipeline/writer/copy-stores.ts'

const BACKUPS = 'backups/'

/** A complete backup: who made it, of which commit. */
export interface NamedBackup {
  name: string
  fence: number
  seq: number
}

/** Names a backup so that the one of the later writer, and of the later commit, sorts last. */
export function nameBackup(fence: number, seq: number, at: number): string {
  return `${String(fence).padStart(6, '0')}-${String(seq).padStart(12, '0')}-${at}`
}

/** Tells whether `nameBackup` made a name: other folders beside the backups are somebody else's. */
export function isBackupName(name: string): boolean {
  return /^\d{6,}-\d{12,}-\d+$/.test(name)
}

export function parseBackupName(name: string): NamedBackup {
  const [fence = Number.NaN, seq = Number.NaN] = name.split('-').map(Number)
  return { name, fence, seq }
}

/** Finds the newest backup that is complete. */
export async function findNewestBackup(store: BackupStore): Promise<NamedBackup | undefined> {
  const complete = (await listBackups(store)).filter(({ isComplete }) => isComplete)
  const last = complete.at(-1)
  return last && parseBackupName(last.name)
}

/** Copies a backup from a folder; its manifest last: without one it is incomplete. */
export async function storeBackup(store: BackupStore, dir: string, name: string): Promise<void> {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => relative(dir, join(entry.parentPath, entry.name)))
    .filter(file => file !== MANIFEST)
  for (const file of [...files, MANIFEST])
    await store.writeFile(`${BACKUPS}${name}/${file}`, join(dir, file))
}

/** Copies a backup to a folder, which is there when it is whole and matches its manifest. */
export async function copyBackup(store: BackupStore, name: string, dir: string): Promise<void> {
  const prefix = `${BACKUPS}${name}/`
  const partial = `${dir}.partial`
  rmSync(partial, { recursive: true, force: true })
  mkdirSync(partial, { recursive: true, mode: PRIVATE_FOLDER_MODE })
  for (const object of await store.list(prefix)) {
    const path = join(partial, object.slice(prefix.length))
    mkdirSync(dirname(path), { recursive: true })
    await store.copyTo(object, path)
  }
  await checkBackup(partial)
  replaceFolder(partial, dir)
}

/** Deletes backups before this one except the newest `kept`, and what interrupted ones left. */
export async function removeOldBackups(
  store: BackupStore,
  name: string,
  kept: number,
): Promise<void> {
  const all = await listBackups(store)
  const older = all.filter(backup => backup.name < name)
  const complete = older.filter(({ isComplete }) => isComplete)
  const keeping = new Set(complete.slice(complete.length - kept).map(backup => backup.name))
  for (const backup of older) {
    if (keeping.has(backup.name)) continue
    // The manifest first: what is left of it is no backup.
    const objects = backup.objects.sort(object => (object.endsWith(`/${MANIFEST}`) ? -1 : 1))
    for (const object of objects) await store.remove(object)
  }
}

/** Returns how many events the log of a backup has. */
export function readLogSize(dir: string): number {
  const file = join(dir, LOG_IN_BACKUP.head)
  return existsSync(file) ? (parseHead(readFileSync(file, 'utf8'))?.size ?? 0) : 0
}

async function listBackups(store: BackupStore) {
  const objects = new Map<string, string[]>()
  for (const object of await store.list(BACKUPS)) {
    const [name = ''] = object.slice(BACKUPS.length).split('/')
    if (!isBackupName(name)) continue
    objects.set(name, [...(objects.get(name) ?? []), object])
  }
  return [...objects]
    .map(([name, objects]) => ({
      name,
      objects,
      isComplete: objects.includes(`${BACKUPS}${name}/${MANIFEST}`),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}
