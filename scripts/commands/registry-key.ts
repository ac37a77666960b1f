import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { replaceFile } from '../../pipeline/store/durable-files.ts'
import { type Paths, PRIVATE_FOLDER_MODE } from '../../pipeline/store/paths.ts'

/** Mode of a file that only its owner reads. */
const PRIVATE_FILE = 0o600
const CREDENTIALS_KEY_BYTES = 32

/** Returns the file of the registry's own key, which only its user may read; makes it the first time. */
export function ensureRegistryKey(paths: Paths): string {
  return ensureSecretFile(paths.registryKey, createSigningKey)
}

/** Returns the file of the key of the log, in the same way. */
export function ensureLogKey(paths: Paths): string {
  return ensureSecretFile(paths.logKey, createSigningKey)
}

/**
 * Returns the key that encrypts the credentials of agents in a demo; makes it the first time. A registry
 * with members of its own gets it by a setting, so that it lies apart from what it encrypts.
 */
export function ensureDemoCredentialsKey(paths: Paths): string {
  const file = ensureSecretFile(paths.demoCredentialsKey, () =>
    randomBytes(CREDENTIALS_KEY_BYTES).toString('base64'),
  )
  return readFileSync(file, 'utf8').trim()
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
