import { createHash } from 'node:crypto'
import { createReadStream, existsSync, readdirSync } from 'node:fs'
import { basename } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import type { Stores } from './stores.ts'

/** Files that are read at the same time: unpacking them keeps other cores busy. */
const AT_ONCE = 8

/**
 * Checks that documents as fetched have the bytes that their names say; returns a message for each that has not. One
 * that is missing is no fault: backups have none of them.
 */
export async function checkBodies({ paths }: Pick<Stores, 'paths'>): Promise<string[]> {
  if (!existsSync(paths.bodies)) return []
  const faults: string[] = []
  for (const folder of readdirSync(paths.bodies).sort()) {
    const waiting = readdirSync(`${paths.bodies}/${folder}`).sort()
    const work = async () => {
      for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
        const file = `${paths.bodies}/${folder}/${name}`
        if (await hasBytesOfName(file)) continue
        // Commits may go on meanwhile: one that was just written or dropped is no fault.
        if (!existsSync(file) || (await hasBytesOfName(file))) continue
        faults.push(
          `bodies: ${folder}/${name} is damaged: delete it, and it is stored again when the file changes`,
        )
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
  }
  return faults.sort()
}

async function hasBytesOfName(file: string): Promise<boolean> {
  const hash = createHash('sha256')
  const read = pipeline(createReadStream(file), createGunzip(), hash)
  const isRead = await read.then(() => true).catch(() => false)
  return isRead && basename(file, '.gz').endsWith(`-${hash.digest('hex')}`)
}
