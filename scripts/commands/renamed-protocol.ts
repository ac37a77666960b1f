import { existsSync, readFileSync } from 'node:fs'
import { isDiskFull } from '../../pipeline/core/disk-full.ts'
import { replaceFile } from '../../pipeline/store/durable-files.ts'
import type { Paths } from '../../pipeline/store/paths.ts'

/**
 * Finds that a registry ran under another protocol name before, as where a setting was lost on the way to another
 * machine, and notes a name that is new or was set on purpose.
 */
export function findRenamedProtocol(
  { protocolName: file }: Pick<Paths, 'protocolName'>,
  name: string,
  { isSet }: { isSet: boolean },
): string | undefined {
  const known = existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined
  if (known === name) return undefined
  if (known === undefined || isSet) noteName(file, name)
  if (known === undefined) return undefined
  const hint = isSet ? '' : `. To keep ${name}, set PROTOCOL_NAME=${name} for one start`
  return `PROTOCOL_NAME is ${name}, and this registry ran with ${known} before: tools and DNS records named after ${known} are no longer found${hint}`
}

/** Writes the name; a start goes on without it: on a full disk, reads are still answered. */
function noteName(file: string, name: string): void {
  try {
    replaceFile(file, `${name}\n`)
  } catch (error) {
    if (!isDiskFull(error)) throw error
  }
}
