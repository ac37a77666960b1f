import { createHash, type Hash } from 'node:crypto'
import { createReadStream, existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { syncPath } from '../store/durable-files.ts'
import { getHash, type PublishedFile } from './manifest.ts'
import type { Origin } from './origin.ts'

/** Bytes of one request; an interrupted connection loses at most this much. */
const PART_BYTES = 8 * 1024 * 1024

/** Thrown where an origin sends other bytes than its manifest says. */
export class CorruptedFile extends Error {}

/**
 * Fetches a file to a path, unless it exists. An interrupted fetch continues where it ended. The hash is
 * computed meanwhile; a file with a wrong hash is deleted and never gets its final name.
 */
export async function fetchFile(
  origin: Origin,
  file: PublishedFile,
  target: string,
): Promise<void> {
  if (statSync(target, { throwIfNoEntry: false })?.size === file.bytes) return
  mkdirSync(dirname(target), { recursive: true })
  const partial = `${target}.part`
  const hash = createHash('sha256')
  const at = await resume(partial, file, hash)
  const handle = await open(partial, 'a')
  try {
    for await (const part of readParts(origin, file, at)) {
      hash.update(part)
      await handle.appendFile(part)
    }
  } finally {
    await handle.close()
  }
  if (hash.digest('hex') !== getHash(file)) {
    rmSync(partial)
    throw new CorruptedFile(`${file.name} of ${origin.name} is corrupted: its hash differs`)
  }
  syncPath(partial)
  renameSync(partial, target)
}

/** Reads a file from a position on. While one part is hashed and written, the next is already fetched. */
async function* readParts(origin: Origin, { name, bytes }: PublishedFile, start: number) {
  const read = (first: number) => {
    const part = origin.readRange(name, first, Math.min(first + PART_BYTES, bytes) - 1)
    // If writing fails, nobody waits for this part.
    part.catch(() => undefined)
    return part
  }
  for (let at = start, next = read(at); at < bytes; ) {
    const part = await next
    if (part.length === 0) throw new Error(`${name} ends early at ${origin.name}`)
    at += part.length
    if (at < bytes) next = read(at)
    yield part
  }
}

/** Hashes the part that was fetched before; returns its size. */
async function resume(partial: string, { bytes }: PublishedFile, hash: Hash): Promise<number> {
  if (!existsSync(partial)) return 0
  const { size } = statSync(partial)
  if (size > bytes) {
    rmSync(partial)
    return 0
  }
  await pipeline(createReadStream(partial), hash, { end: false })
  return size
}
