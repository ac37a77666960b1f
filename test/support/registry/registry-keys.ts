import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cleanUp } from './registry.ts'

/** Writes a file that names the registry's keys, until the test ends; `secret` is what must stay in it. */
export function writeRegistryKey(): { path: string; secret: string } {
  const folder = mkdtempSync(join(tmpdir(), 'registry-key-'))
  cleanUp(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'registry.jwk')
  const jwk = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  writeFileSync(path, JSON.stringify(jwk))
  return { path, secret: jwk.d! }
}
