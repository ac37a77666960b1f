import { createHash, type Hash } from 'node:crypto'
import { createReadStream, existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { syncPath } from '../store/durable-files.ts'
import { getHash, type PublishedFile } from './manifest.ts'
import type { Origin } from './origin.ts'

/** Bytes of one request: what a cut costs at most. */
const PART_BYTES = 8 * 1024 * 1024

/** Thrown where an origin sends other bytes than its manifest says. */
export class CorruptedFile extends Error {}

/**
 * Fetches a file to a path, unless it is there. A fetch that was cut goes on where it ended. The hash is
 * computed on the way; a file with another one is deleted and never gets its name.
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

/** Reads a file from a place on. The next part is under way while one is hashed and written. */
async function* readParts(origin: Origin, { name, bytes }: PublishedFile, start: number) {
  const read = (first: number) => {
    const part = origin.readRange(name, first, Math.min(first + PART_BYTES, bytes) - 1)
    // Where writing fails nobody waits for it.
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

/** Hashes what is there already; returns how much that is. */
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
