import { statSync } from 'node:fs'
import { resolveBaseUrl } from '../../pipeline/core/base-url.ts'
import { type Config, ConfigError, readConfig } from '../../pipeline/core/config.ts'
import { findMailPlace } from '../../pipeline/core/mail-place.ts'
import { resolvePaths } from '../../pipeline/store/paths.ts'

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

/** Warns where the registry is reached by others and has no way to let them sign in. */
export function warnOfSignIn(config: Config): void {
  const { OPENID_ISSUER, AUTH_ISSUER } = config
  if (OPENID_ISSUER || AUTH_ISSUER || findMailPlace(config, resolveBaseUrl(config))) return
  process.stderr.write(
    'Nobody can sign in, since sign-in links cannot be emailed: set SMTP_URL and MAIL_FROM, or OPENID_ISSUER\n',
  )
}

/** Warns before real domains are crawled under the default protocol name. */
export function warnOfProtocolName({ PROTOCOL_NAME: name }: Config): void {
  if (process.env.PROTOCOL_NAME) return
  process.stderr.write(
    `PROTOCOL_NAME is not set, so the registry uses names that the live web does not have (get_${name}_capabilities, ` +
      `_${name}-owner.DOMAIN). To crawl the live web, start with PROTOCOL_NAME=adcp.\n`,
  )
}
