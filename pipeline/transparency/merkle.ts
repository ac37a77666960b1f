import { createHash } from 'node:crypto'
import { getFirst } from '../core/present.ts'

/** Bytes of a hash. */
export const HASH_BYTES = 32
/** Root of the tree without leaves. */
export const EMPTY_ROOT = createHash('sha256').digest()

const LEAF = Buffer.from([0])
const NODE = Buffer.from([1])

/** Converts an entry to its leaf hash (RFC 6962, section 2.1). */
export function toLeafHash(entry: Uint8Array): Buffer {
  return createHash('sha256').update(LEAF).update(entry).digest()
}

/** Converts the hashes of two neighbouring subtrees to that of the tree above them. */
export function toNodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  return createHash('sha256').update(NODE).update(left).update(right).digest()
}

/** Builds the hash of the tree over these hashes of complete subtrees; they are of one size, at least one. */
export function buildTreeHash(hashes: readonly Buffer[]): Buffer {
  if (hashes.length === 1) return getFirst(hashes)
  const split = findSplit(hashes.length)
  return toNodeHash(buildTreeHash(hashes.slice(0, split)), buildTreeHash(hashes.slice(split)))
}

/** Finds the largest power of two below a size; the size is at least 2. */
export function findSplit(size: number): number {
  let split = 1
  while (split * 2 < size) split *= 2
  return split
}

/** The hash of the leaves from `start` up to `end`, which is not included. */
export type ReadRange = (start: number, end: number) => Promise<Buffer>

/** Builds the inclusion proof of a leaf: hashes from the leaf up to the root (RFC 6962, section 2.1.1). */
export async function buildInclusionProof(
  index: number,
  size: number,
  read: ReadRange,
): Promise<Buffer[]> {
  const proof: Buffer[] = []
  let [start, end] = [0, size]
  while (end - start > 1) {
    const middle = start + findSplit(end - start)
    if (index < middle) {
      proof.push(await read(middle, end))
      end = middle
    } else {
      proof.push(await read(start, middle))
      start = middle
    }
  }
  return proof.reverse()
}

/**
 * Builds the proof that the tree of size `from` is the beginning of that of size `to`
 * (RFC 6962, section 2.1.2). Empty where they are equal, or the first one is.
 */
export async function buildConsistencyProof(
  from: number,
  to: number,
  read: ReadRange,
): Promise<Buffer[]> {
  if (from === 0 || from === to) return []
  const proof: Buffer[] = []
  let [start, end] = [0, to]
  while (from !== end) {
    const middle = start + findSplit(end - start)
    if (from <= middle) {
      proof.push(await read(middle, end))
      end = middle
    } else {
      proof.push(await read(start, middle))
      start = middle
    }
  }
  if (start > 0) proof.push(await read(start, end))
  return proof.reverse()
}

/** Tells whether a proof shows that a leaf is in the tree with this root (RFC 9162, section 2.1.3.2). */
export function isIncluded(
  { index, hash }: { index: number; hash: Buffer },
  { size, root }: { size: number; root: Buffer },
  proof: readonly Buffer[],
): boolean {
  if (index >= size) return false
  let [place, last] = [index, size - 1]
  let node = hash
  for (const sibling of proof) {
    if (last === 0) return false
    if (isOdd(place) || place === last) {
      node = toNodeHash(sibling, node)
      while (!isOdd(place) && place > 0) [place, last] = [getHalf(place), getHalf(last)]
    } else node = toNodeHash(node, sibling)
    ;[place, last] = [getHalf(place), getHalf(last)]
  }
  return last === 0 && node.equals(root)
}

/**
 * Tells whether a proof shows that one tree is the beginning of another one (RFC 9162, section 2.1.4.2).
 * Every tree continues the empty one.
 */
export function isContinued(
  from: { size: number; root: Buffer },
  to: { size: number; root: Buffer },
  proof: readonly Buffer[],
): boolean {
  if (from.size > to.size) return false
  if (from.size === to.size) return proof.length === 0 && from.root.equals(to.root)
  if (from.size === 0) return proof.length === 0 && from.root.equals(EMPTY_ROOT)
  // The root of a tree of a power of two is itself the first node.
  const path = Number.isInteger(Math.log2(from.size)) ? [from.root, ...proof] : proof
  const [first, ...rest] = path
  if (first === undefined) return false
  let [place, last] = [from.size - 1, to.size - 1]
  while (isOdd(place)) [place, last] = [getHalf(place), getHalf(last)]
  let [older, newer] = [first, first]
  for (const sibling of rest) {
    if (last === 0) return false
    if (isOdd(place) || place === last) {
      older = toNodeHash(sibling, older)
      newer = toNodeHash(sibling, newer)
      while (!isOdd(place) && place > 0) [place, last] = [getHalf(place), getHalf(last)]
    } else newer = toNodeHash(newer, sibling)
    ;[place, last] = [getHalf(place), getHalf(last)]
  }
  return last === 0 && older.equals(from.root) && newer.equals(to.root)
}

// Places exceed what the bit operators hold.
function getHalf(place: number): number {
  return Math.floor(place / 2)
}

function isOdd(place: number): boolean {
  return place % 2 === 1
}
