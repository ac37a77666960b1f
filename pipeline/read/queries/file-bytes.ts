import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { PARSER_VERSION, type Source } from '../../model/observation.ts'
import type { Reader, Snapshot } from '../reader.ts'

const unpack = promisify(gunzip)

export interface FileBytes {
  bytes: Buffer
  /** SHA-256 of the bytes, in hex. */
  sha256: string
}

/**
 * Reads the bytes of a file as they were last fetched and understood. Undefined where there is none, it is
 * longer than `maxBytes`, or this replica keeps no bytes.
 */
export async function readFileBytes(
  { paths }: Pick<Reader, 'paths'>,
  { db }: Snapshot,
  { kind, location }: Source,
  maxBytes: number,
): Promise<FileBytes | undefined> {
  const sql = `select hash, split_part(hash, '-', 2) as sha256
    from documents where kind = $kind and location = $location`
  const found = await db.one<{ hash: string; sha256: string }>(sql, { kind, location })
  if (found === undefined) return undefined
  const bytes = await readBody(paths, found.hash, maxBytes)
  return bytes && { bytes, sha256: found.sha256 }
}

/**
 * Reads the bytes of a version of a file that this version of the parser has read, by their SHA-256, without a
 * snapshot. Undefined where they are not at hand, or longer than `maxBytes`.
 */
export function readVersionBytes(
  { paths }: Pick<Reader, 'paths'>,
  sha256: string,
  maxBytes: number,
): Promise<Buffer | undefined> {
  return readBody(paths, `${PARSER_VERSION}-${sha256}`, maxBytes)
}

async function readBody(
  paths: Reader['paths'],
  hash: string,
  maxBytes: number,
): Promise<Buffer | undefined> {
  try {
    return await unpack(await readFile(paths.bodyFile(hash)), { maxOutputLength: maxBytes })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ERR_BUFFER_TOO_LARGE') return undefined
    throw error
  }
}
