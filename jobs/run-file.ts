import { rmSync } from 'node:fs'
import type { Config } from '../pipeline/core/config.ts'
import { replaceFile } from '../pipeline/store/durable-files.ts'
import type { Paths } from '../pipeline/store/paths.ts'

/** Tells the command line how to reach a running registry; valid only while the lease is held. */
export interface RunFile {
  base_url: string
  redis_url: string
  indexer_pid: number
  /** Process that this indexer belongs to and ends with, usually `start`. */
  supervisor_pid?: number
  started_at: string
  /** Files of the keys in use, which a shell need not know. Earlier versions do not tell them. */
  key_files?: Pick<Config, 'LOG_SIGNING_KEY' | 'REGISTRY_SIGNING_KEYS'>
  /** Version that runs; the one that is installed may be newer. Earlier ones do not tell theirs. */
  version?: string
}

/** Writes the run file, readable for its owner only, since the Redis address may contain a password. */
export function writeRunFile(paths: Paths, run: RunFile): void {
  replaceFile(paths.run, `${JSON.stringify(run)}\n`, 0o600)
}

export function removeRunFile(paths: Paths): void {
  rmSync(paths.run, { force: true })
}
