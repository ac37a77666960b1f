import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Config, ConfigError } from '../../pipeline/core/config.ts'
import { readSigningKey } from '../../pipeline/core/keys/signing-key.ts'
import { requireValue } from '../../pipeline/core/present.ts'
import { replaceFile } from '../../pipeline/store/durable-files.ts'
import { type Paths, PRIVATE_FOLDER_MODE } from '../../pipeline/store/paths.ts'
import { isSignedWith } from '../../pipeline/transparency/signed-note.ts'
import { parseHead } from '../../pipeline/transparency/tree-head.ts'
import { findUnreadableCredentials } from './stored-credentials.ts'

type KeySettings = Pick<Config, 'REGISTRY_SIGNING_KEYS' | 'LOG_SIGNING_KEY' | 'CREDENTIALS_KEY'>

/** Mode of a file that only its owner reads. */
const PRIVATE_FILE = 0o600
const CREDENTIALS_KEY_BYTES = 32

/**
 * Returns the file of the registry's own key, which only its user may read; makes it the first time, and tells of it
 * where the registry has been written before, perhaps with another key.
 */
export function ensureRegistryKey(paths: Paths, tell: (line: string) => void): string {
  const { record, registryKey } = paths
  if (!existsSync(registryKey) && existsSync(record))
    tell(
      `${registryKey} was missing, so a new key was created. If the registry used a different key before, people have to sign in again, ` +
        'and webhook receivers reject deliveries until they fetch their signing secret again. ' +
        'To keep the old key, stop, restore this file, and start again.',
    )
  return ensureSecretFile(paths.registryKey, createSigningKey)
}

/** Lists the key files of a registry, which backups leave out: those that settings name, or else those of its folder. */
export function listKeyFiles(
  { logKey, registryKey, demoCredentialsKey }: Paths,
  { LOG_SIGNING_KEY, REGISTRY_SIGNING_KEYS }: Partial<KeySettings>,
): string[] {
  const files = [LOG_SIGNING_KEY ?? logKey, REGISTRY_SIGNING_KEYS ?? registryKey]
  return [...files, demoCredentialsKey].filter(file => existsSync(file))
}

/**
 * Lists the keys that a registry has lost when its stores came from a backup, which has none: where each belongs, and
 * what is missed without it.
 */
export function listMissingKeys(config: KeySettings, paths: Paths): string[] {
  const { REGISTRY_SIGNING_KEYS, LOG_SIGNING_KEY, CREDENTIALS_KEY } = config
  const hasLog = existsSync(paths.logHead)
  const isMissing = (setting: string | undefined, file: string) =>
    setting === undefined && !existsSync(file)
  return [
    ...(hasLog && isMissing(LOG_SIGNING_KEY, paths.logKey)
      ? [`${paths.logKey} (or LOG_SIGNING_KEY): without it the registry does not start`]
      : []),
    ...(isMissing(REGISTRY_SIGNING_KEYS, paths.registryKey)
      ? [
          `${paths.registryKey} (or REGISTRY_SIGNING_KEYS): without it a new one is created, and people have to sign in again`,
        ]
      : []),
    ...(findUnreadableCredentials(CREDENTIALS_KEY ?? readDemoCredentialsKey(paths), paths)
      ? [
          `CREDENTIALS_KEY (of a demo ${paths.demoCredentialsKey}): without it the stored credentials of agents cannot be read`,
        ]
      : []),
  ]
}

/** Throws a `ConfigError` where a log was begun and its key is not here: another one could not continue the log. */
export function assertLogKey(
  { LOG_SIGNING_KEY }: Pick<KeySettings, 'LOG_SIGNING_KEY'>,
  paths: Paths,
): void {
  const { logHead, logKey } = paths
  if (!existsSync(logHead)) return
  const file = LOG_SIGNING_KEY ?? logKey
  const isLost = 'If it is lost, docs/operate/keys.md says how to start a new log.'
  if (existsSync(file)) {
    const { private: key } = readSigningKey(file, 'LOG_SIGNING_KEY')
    if (isSignedWith(readFileSync(logHead, 'utf8'), key)) return
    const what = LOG_SIGNING_KEY === undefined ? logKey : `LOG_SIGNING_KEY names ${file}, which`
    throw new ConfigError(
      `${what} is not the key that signed the event log: restore that key. ${isLost}`,
    )
  }
  if (LOG_SIGNING_KEY === undefined)
    throw new ConfigError(
      `The key of the event log is missing: restore it as ${logKey}, or name it in LOG_SIGNING_KEY. ${isLost}`,
    )
}

/** Throws a `ConfigError` where a log was begun under another name: no head of it would be signed. */
export function assertLogOrigin(
  origin: NonNullable<Config['LOG_ORIGIN']>,
  { logHead }: Pick<Paths, 'logHead'>,
): void {
  const begun = existsSync(logHead) ? parseHead(readFileSync(logHead, 'utf8'))?.origin : undefined
  if (begun !== undefined && begun !== origin)
    throw new ConfigError(
      `LOG_ORIGIN is ${origin}, and the event log of DATA_DIR is ${begun}: set it to that, or unset it. docs/operate/keys.md says how to start a new log.`,
    )
}

/** Returns the file of the key of the log, in the same way as that of the registry. */
export function ensureLogKey(paths: Paths): string {
  return ensureSecretFile(paths.logKey, createSigningKey)
}

/**
 * Returns the key that encrypts the credentials of agents in a demo; makes it the first time. A registry
 * with members of its own gets it by a setting, so that it lies apart from what it encrypts.
 */
export function ensureDemoCredentialsKey(paths: Paths): string {
  ensureSecretFile(paths.demoCredentialsKey, () =>
    randomBytes(CREDENTIALS_KEY_BYTES).toString('base64'),
  )
  return requireValue(readDemoCredentialsKey(paths), 'key of the demo')
}

/** Reads the key that a demo made; undefined where none did. */
export function readDemoCredentialsKey({ demoCredentialsKey }: Paths): string | undefined {
  return existsSync(demoCredentialsKey)
    ? readFileSync(demoCredentialsKey, 'utf8').trim()
    : undefined
}

function createSigningKey(): string {
  return JSON.stringify(generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }))
}

function ensureSecretFile(file: string, createSecret: () => string): string {
  if (existsSync(file)) return file
  mkdirSync(dirname(file), { recursive: true, mode: PRIVATE_FOLDER_MODE })
  replaceFile(file, `${createSecret()}\n`, PRIVATE_FILE)
  return file
}
