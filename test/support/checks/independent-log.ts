import { createHash, createPublicKey, verify } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'

/**
 * Reads a log as its specifications say (C2SP tlog-tiles, tlog-checkpoint and signed-note; RFC 6962), with
 * nothing of the registry's own code.
 */
export interface IndependentHead {
  origin: string
  size: number
  root: string
}

const sha256 = (...parts: Uint8Array[]) =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest()

export const hashEntry = (entry: Uint8Array) => sha256(Uint8Array.of(0), entry)

/** Hashes a tree: MTH of RFC 6962, by its recursive definition. */
export function hashTree(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 0) return sha256()
  if (leaves.length === 1) return leaves[0]!
  const k = 2 ** (Math.ceil(Math.log2(leaves.length)) - 1)
  return sha256(Uint8Array.of(1), hashTree(leaves.slice(0, k)), hashTree(leaves.slice(k)))
}

/** Proves inclusion: PATH(m, D[n]) of RFC 6962. */
export function provePath(m: number, leaves: readonly Buffer[]): Buffer[] {
  if (leaves.length <= 1) return []
  const k = 2 ** (Math.ceil(Math.log2(leaves.length)) - 1)
  return m < k
    ? [...provePath(m, leaves.slice(0, k)), hashTree(leaves.slice(k))]
    : [...provePath(m - k, leaves.slice(k)), hashTree(leaves.slice(0, k))]
}

/** Proves consistency: PROOF(m, D[n]) of RFC 6962. */
export function proveGrowth(m: number, leaves: readonly Buffer[], isWhole = true): Buffer[] {
  if (m === leaves.length) return isWhole ? [] : [hashTree(leaves)]
  const k = 2 ** (Math.ceil(Math.log2(leaves.length)) - 1)
  return m <= k
    ? [...proveGrowth(m, leaves.slice(0, k), isWhole), hashTree(leaves.slice(k))]
    : [...proveGrowth(m - k, leaves.slice(k), false), hashTree(leaves.slice(0, k))]
}

/** Follows a path from a leaf to the root. Siblings are taken off the end of the path, from the root down. */
export function followPath(leaf: Buffer, m: number, n: number, path: readonly Buffer[]): Buffer {
  if (n <= 1) {
    if (path.length > 0) throw new Error('the path is too long')
    return leaf
  }
  const k = 2 ** (Math.ceil(Math.log2(n)) - 1)
  const sibling = path.at(-1)
  if (sibling === undefined) throw new Error('the path is too short')
  const rest = path.slice(0, -1)
  return m < k
    ? sha256(Uint8Array.of(1), followPath(leaf, m, k, rest), sibling)
    : sha256(Uint8Array.of(1), sibling, followPath(leaf, m - k, n - k, rest))
}

/** Decodes base64 that is written in the one way that RFC 4648 has for its bytes; throws where it is not. */
function decodeStrictly(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64')
  if (bytes.toString('base64') !== text) throw new Error('the base64 is not canonical')
  return bytes
}

/** Opens a signed note with a verifier key `name+id+base64`; throws where it does not verify. */
export function openNote(note: string, verifierKey: string): IndependentHead {
  const [name, id] = verifierKey.split('+') as [string, string]
  const typed = Buffer.from(verifierKey.slice(name.length + id.length + 2), 'base64')
  const expected = sha256(Buffer.from(`${name}\n`), typed).subarray(0, 4)
  if (expected.toString('hex') !== id || typed[0] !== 1) throw new Error('not a verifier key')
  const split = note.lastIndexOf('\n\n')
  const text = note.slice(0, split + 1)
  const x = typed.subarray(1).toString('base64url')
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  const isSigned = note
    .slice(split + 2)
    .split('\n')
    .filter(line => line.startsWith(`— ${name} `))
    .map(line => decodeStrictly(line.split(' ')[2]!))
    .some(
      sig =>
        sig.subarray(0, 4).equals(expected) &&
        verify(null, Buffer.from(text), key, sig.subarray(4)),
    )
  if (!isSigned) throw new Error('the note is not signed by this key')
  const [origin, size, root] = text.split('\n') as [string, string, string]
  return { origin, size: Number(size), root }
}

const group = (n: number): string =>
  n < 1000
    ? String(n).padStart(3, '0')
    : `${groupAbove(Math.floor(n / 1000))}/${String(n % 1000).padStart(3, '0')}`
const groupAbove = (n: number): string =>
  n < 1000
    ? `x${String(n).padStart(3, '0')}`
    : `${groupAbove(Math.floor(n / 1000))}/x${String(n % 1000).padStart(3, '0')}`

export function nameOfTile(level: number | 'entries', index: number, width: number): string {
  return `tile/${level}/${group(index)}${width < 256 ? `.p/${width}` : ''}`
}

/** Reads all files of a log of this size: leaf hashes from its tiles, entries from its bundles. */
export function readWholeLog(
  folder: string,
  size: number,
): { leaves: Buffer[]; entries: Buffer[] } {
  const read = (level: number | 'entries', index: number, width: number) => {
    const partial = `${folder}/${nameOfTile(level, index, width)}`
    return readFileSync(
      existsSync(partial) ? partial : `${folder}/${nameOfTile(level, index, 256)}`,
    )
  }
  const hashes = (level: number): Buffer[] => {
    const count = Math.floor(size / 256 ** level)
    const tiles: Buffer[] = []
    for (let at = 0; at < count; at += 256) {
      const width = Math.min(256, count - at)
      const bytes = read(level, at / 256, width)
      for (let i = 0; i < width; i++) tiles.push(bytes.subarray(i * 32, i * 32 + 32))
    }
    return tiles
  }
  const leaves = hashes(0)
  // Every level above must be the hashes of the full tiles below it.
  for (let level = 1, below = leaves; below.length >= 256; level++) {
    const above = hashes(level)
    above.forEach((hash, i) => {
      if (!hash.equals(hashTree(below.slice(i * 256, i * 256 + 256))))
        throw new Error(`tile hash ${i} of level ${level} differs`)
    })
    below = above
  }
  const entries: Buffer[] = []
  for (let at = 0; at < size; at += 256) {
    const bytes = read('entries', at / 256, Math.min(256, size - at))
    for (let place = 0; place < bytes.length; ) {
      const length = bytes.readUInt16BE(place)
      if (place + 2 + length > bytes.length) throw new Error('an entry is cut off')
      entries.push(bytes.subarray(place + 2, place + 2 + length))
      place += 2 + length
    }
  }
  return { leaves, entries }
}

/** Checks a log from its checkpoint down to its entries; returns its head and entries. */
export function checkWholeLog(folder: string, verifierKey: string) {
  const head = openNote(readFileSync(`${folder}/checkpoint`, 'utf8'), verifierKey)
  const { leaves, entries } = readWholeLog(folder, head.size)
  if (hashTree(leaves).toString('base64') !== head.root) throw new Error('the root differs')
  if (entries.length !== head.size) throw new Error('the number of entries differs')
  entries.forEach((entry, i) => {
    if (entry.length > 0 && !hashEntry(entry).equals(leaves[i]!))
      throw new Error(`entry ${i} differs`)
  })
  return { head, leaves, entries }
}
