import { existsSync, readFileSync } from 'node:fs'
import type { Config } from '../core/config.ts'
import { readSigningKey } from '../core/keys/signing-key.ts'
import type { Paths } from '../store/paths.ts'
import type { LogSigner } from './signed-note.ts'
import { parseHead } from './tree-head.ts'

/**
 * Reads the key and the name of the log. An existing log keeps its name, unless the settings name another
 * one. Undefined if no key is set; throws `ConfigError` for a file that is not a key.
 */
export function readLogSigner(
  { LOG_SIGNING_KEY, LOG_ORIGIN, BASE_URL, HOST, PORT }: Config,
  { logHead }: Pick<Paths, 'logHead'>,
): LogSigner | undefined {
  if (LOG_SIGNING_KEY === undefined) return undefined
  const { private: key } = readSigningKey(LOG_SIGNING_KEY, 'LOG_SIGNING_KEY')
  const begun = existsSync(logHead) ? parseHead(readFileSync(logHead, 'utf8'))?.origin : undefined
  const base = BASE_URL ?? `http://${HOST}:${PORT}`
  const place = `${base.replace(/^https?:\/\//, '').replace(/\/+$/, '')}/log`
  return { key, origin: LOG_ORIGIN ?? begun ?? place }
}
