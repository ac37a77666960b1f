import { existsSync, mkdirSync, readdirSync, rmdirSync } from 'node:fs'
import { copyFile, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { isBucketAddress } from '../core/publish-target.ts'
import { syncPath } from '../store/durable-files.ts'
import { PRIVATE_FOLDER_MODE } from '../store/paths.ts'
import { type Bucket, type ObjectHeaders, openBucket } from './bucket.ts'

const headers: ObjectHeaders = { type: 'application/octet-stream', caching: 'private, no-store' }

/** Holds backups by name. What fails is thrown; every call may be repeated. */
export interface BackupStore {
  /** Lists the names that begin so, and what interrupted writes have left. */
  list(prefix: string): Promise<string[]>
  read(name: string): Promise<Buffer | undefined>
  /** Writes a file in one step: until it is whole, readers do not find it. */
  write(name: string, content: Uint8Array): Promise<void>
  writeFile(name: string, path: string): Promise<void>
  copyTo(name: string, path: string): Promise<void>
  remove(name: string): Promise<void>
}

/** Opens the place of `BACKUP_TO`: a bucket, or a folder that other hosts see too. */
export function openBackupStore(address: string, signal: AbortSignal): BackupStore {
  return isBucketAddress(address)
    ? openInBucket(openBucket(address, signal))
    : openInFolder(address)
}

function openInBucket(bucket: Bucket): BackupStore {
  return {
    list: async prefix => [...(await bucket.list(prefix)).keys()],
    read: name => bucket.read(name),
    write: (name, content) => bucket.write(name, content, headers),
    writeFile: (name, path) => bucket.writeFile(name, path, headers),
    copyTo: (name, path) => bucket.copyTo(name, path),
    remove: name => bucket.remove(name),
  }
}

function openInFolder(address: string): BackupStore {
  const root = resolve(address)
  const put = async (name: string, fill: (fresh: string) => Promise<void>) => {
    const path = join(root, name)
    mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_FOLDER_MODE })
    await fill(`${path}.new`)
    syncPath(`${path}.new`)
    await rename(`${path}.new`, path)
    syncPath(dirname(path))
  }
  return {
    async list(prefix) {
      if (!existsSync(root)) return []
      return readdirSync(root, { recursive: true, withFileTypes: true })
        .filter(entry => entry.isFile())
        .map(entry => relative(root, join(entry.parentPath, entry.name)))
        .filter(name => name.startsWith(prefix))
    },
    async read(name) {
      const path = join(root, name)
      return existsSync(path) ? readFile(path) : undefined
    },
    write: (name, content) => put(name, fresh => writeFile(fresh, content)),
    writeFile: (name, path) => put(name, fresh => copyFile(path, fresh)),
    copyTo: (name, path) => copyFile(join(root, name), path),
    async remove(name) {
      const path = join(root, name)
      await rm(path, { force: true })
      for (let folder = dirname(path); folder !== root; folder = dirname(folder)) {
        if (!existsSync(folder) || readdirSync(folder).length > 0) return
        rmdirSync(folder)
      }
    },
  }
}
