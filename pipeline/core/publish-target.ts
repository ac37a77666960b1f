import { join, resolve } from 'node:path'

/** Folder or bucket address of `PUBLISH_TO`; undefined where nothing is published. */
type Target = string | undefined

/** Tells whether files are published to a bucket of object storage, and not to a folder of this host. */
export function isBucketAddress(target: Target): target is string {
  return target?.startsWith('s3://') ?? false
}

/**
 * Resolves the folder of the published files: the one in the settings, or one in DATA_DIR that is copied to a
 * bucket.
 */
export function resolvePublishFolder(target: Target, dataDir: string): string | undefined {
  return isBucketAddress(target) ? join(resolve(dataDir), 'published') : target && resolve(target)
}
