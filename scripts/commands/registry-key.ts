import { generateKeyPairSync } from 'node:crypto'
import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { replaceFile } from '../../pipeline/store/fsync.ts'
import { type Paths, PRIVATE } from '../../pipeline/store/paths.ts'

const PRIVATE_FILE = 0o600

/** Returns the file of the registry's own key, which only its user may read; makes it the first time. */
export function ensureRegistryKey(paths: Paths): string {
  if (existsSync(paths.registryKey)) return paths.registryKey
  mkdirSync(dirname(paths.registryKey), { recursive: true, mode: PRIVATE })
  const jwk = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  replaceFile(paths.registryKey, `${JSON.stringify(jwk)}\n`, PRIVATE_FILE)
  return paths.registryKey
}
