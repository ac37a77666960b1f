import { createHash, type Hash } from 'node:crypto'
import {
  createReadStream,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { formatBytes } from '../core/counts.ts'
import { requireValue } from '../core/present.ts'
import { getHash, type PublishedFile } from './manifest.ts'
import type { Origin } from './origin.ts'

/** Bytes of one request. */
const PART_BYTES = 4 * 1024 * 1024
/** Requests at once; an interrupted connection loses at most their parts. */
const PARTS_AT_ONCE = 3
const PARTIAL = '.part'

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
  const partial = `${target}${PARTIAL}`
  const hash = createHash('sha256')
  const at = await resume(partial, file, hash)
  requireSpace(dirname(target), file.bytes - at, file)
  const handle = await open(partial, 'a')
  try {
    for await (const part of readParts(origin, file, at)) {
      hash.update(part)
      await handle.appendFile(part)
    }
    await handle.sync()
  } finally {
    await handle.close()
  }
  if (hash.digest('hex') !== getHash(file)) {
    rmSync(partial)
    throw new CorruptedFile(`${file.name} of ${origin.name} is corrupted: its hash differs`)
  }
  renameSync(partial, target)
}

/**
 * Deletes copies, whole or partial, of files that are published no longer: nothing else would, once a copy was
 * cut off and its file was replaced at the origin.
 */
export function removeAbandonedCopies(folder: string, published: readonly PublishedFile[]): void {
  if (!existsSync(folder)) return
  const names = new Set(published.map(({ name }) => name))
  for (const name of readdirSync(folder))
    if (!names.has(name.replace(PARTIAL, ''))) rmSync(join(folder, name), { force: true })
}

/** Throws if a disk has less room than a file still needs: a manifest may say any size. */
function requireSpace(folder: string, bytes: number, { name }: PublishedFile): void {
  const { bavail, bsize } = statfsSync(folder)
  const free = bavail * bsize
  if (bytes > free)
    throw new Error(
      `${name} needs ${formatBytes(bytes)} more, and ${folder} has room for ${formatBytes(free)}`,
    )
}

/** Reads a file from a position on. While one part is hashed and written, the next ones are fetched. */
async function* readParts(origin: Origin, { name, bytes }: PublishedFile, start: number) {
  let fetched: { first: number; part: Promise<Buffer> }[] = []
  const fetchPart = (first: number) => {
    const part = origin.readRange(name, first, Math.min(first + PART_BYTES, bytes) - 1)
    // If writing fails, nobody waits for this part.
    part.catch(() => undefined)
    fetched.push({ first, part })
  }
  for (let at = start; at < bytes; ) {
    // Where an origin answered with less than was asked for, the next parts do not follow.
    if (fetched[0]?.first !== at) fetched = []
    while (fetched.length < PARTS_AT_ONCE && at + fetched.length * PART_BYTES < bytes)
      fetchPart(at + fetched.length * PART_BYTES)
    const part = await requireValue(fetched.shift(), 'part to read').part
    if (part.length === 0) throw new Error(`${name} ends early at ${origin.name}`)
    at += part.length
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
