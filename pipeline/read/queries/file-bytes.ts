import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Source } from '../../model/observation.ts'
import type { Reader, Snapshot } from '../reader.ts'

const unpack = promisify(gunzip)

/**
 * Reads the bytes of a file as they were last fetched and understood. Undefined where there is none, it is
 * longer than `maxBytes`, or this replica keeps no bytes.
 */
export async function readFileBytes(
  { paths }: Pick<Reader, 'paths'>,
  { db }: Snapshot,
  { kind, location }: Source,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const sql = 'select hash from documents where kind = $kind and location = $location'
  const found = await db.one<{ hash: string }>(sql, { kind, location })
  if (found === undefined) return undefined
  try {
    const packed = await readFile(paths.bodyFile(found.hash))
    return await unpack(packed, { maxOutputLength: maxBytes })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ERR_BUFFER_TOO_LARGE') return undefined
    throw error
  }
}
