import { statSync } from 'node:fs'
import { type Config, ConfigError, readConfig } from '../../pipeline/core/config.ts'
import { findSettingNotes } from '../../pipeline/core/settings/setting-notes.ts'
import { resolvePaths } from '../../pipeline/store/paths.ts'
import { toCommandSentence } from '../command-line/command-sentence.ts'
import { findRenamedProtocol } from './renamed-protocol.ts'

/**
 * Reads the settings of this process; prints everything wrong with them in one message and exits.
 */
export function readSettings(overrides: Record<string, string> = {}): Config {
  try {
    const config = readConfig({ ...process.env, ...overrides })
    assertNoFile(config.DATA_DIR)
    return config
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  }
}

/** Throws a `ConfigError` where DATA_DIR is a file. */
export function assertNoFile(dataDir: Config['DATA_DIR']): void {
  const { dir } = resolvePaths(dataDir)
  if (isFile(dir)) throw new ConfigError(`DATA_DIR must be a folder; ${dir} is a file.`)
}

/** Says that a folder has no registry, as where DATA_DIR is mistyped. */
export function describeNoRegistry(dir: string): string {
  return `there is no registry in ${dir}: is DATA_DIR right?`
}

function isFile(path: string): boolean {
  try {
    return !statSync(path).isDirectory()
  } catch {
    return false
  }
}

/** Returns the Redis that is configured, or the one that `start` runs in DATA_DIR. */
export function requireRedisUrl(config: Config): string {
  return config.REDIS_URL ?? `unix://${resolvePaths(config.DATA_DIR).redisSocket}`
}

/** Warns of what the settings leave people without. */
export function warnOfSettings(config: Config): void {
  for (const note of findSettingNotes(config)) process.stderr.write(`${toCommandSentence(note)}\n`)
}

/** Warns where the registry of this folder ran under another protocol name before. */
export function warnOfRenamedProtocol({ PROTOCOL_NAME: name, DATA_DIR }: Config): void {
  const isSet = Boolean(process.env.PROTOCOL_NAME)
  const renamed = findRenamedProtocol(resolvePaths(DATA_DIR), name, { isSet })
  if (renamed !== undefined) process.stderr.write(`${toCommandSentence(renamed)}\n`)
}

/** Warns before real domains are crawled under the default protocol name. */
export function warnOfProtocolName({ PROTOCOL_NAME: name }: Config): void {
  if (process.env.PROTOCOL_NAME) return
  process.stderr.write(
    `PROTOCOL_NAME is not set, so the registry uses names that the live web does not have (get_${name}_capabilities, ` +
      `_${name}-owner.DOMAIN). To crawl the live web, start with PROTOCOL_NAME=adcp.\n`,
  )
}
