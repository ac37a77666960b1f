import { isAbsolute, resolve } from 'node:path'
import { isBucketAddress } from '../../pipeline/core/publish-target.ts'

/** Resolves a path from where the command was typed: npm runs commands in the project's folder. */
export function toTypedPath(path: string): string {
  return isAbsolute(path) ? path : resolve(process.env.INIT_CWD ?? process.cwd(), path)
}

/** Resolves a folder as it was typed; throws where it is a bucket. */
export function toTypedFolder(path: string): string {
  if (isBucketAddress(path))
    throw new Error(
      `${path} is a bucket, and this command takes a folder: copy the backup with a tool of your object storage`,
    )
  return toTypedPath(path)
}
