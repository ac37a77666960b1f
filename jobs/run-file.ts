import { rmSync } from 'node:fs'
import type { Config } from '../pipeline/core/config.ts'
import { replaceFile } from '../pipeline/index/durable.ts'
import type { Paths } from '../pipeline/index/paths.ts'

/** How the command line finds a running registry; true only while the lease is held. */
export interface RunFile {
  base_url: string
  redis_url: string
  pid: number
  started_at: string
}

export function baseUrlOf({ BASE_URL, HOST, PORT }: Config): string {
  return BASE_URL ?? `http://${HOST.includes(':') ? `[${HOST}]` : HOST}:${PORT}`
}

export function writeRunFile(paths: Paths, run: RunFile): void {
  replaceFile(paths.run, `${JSON.stringify(run)}\n`)
}

export function removeRunFile(paths: Paths): void {
  rmSync(paths.run, { force: true })
}
