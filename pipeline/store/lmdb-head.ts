import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

/** Bytes of the header of a page. */
const PAGE_HEADER = 24
const META_BYTES = 160
/** First number of an LMDB meta page (`MDB_MAGIC`). */
const LMDB_MAGIC = 0xbeefc0de
const PAGE_BYTES_MIN = 256
/** Offsets within the description of a store (`MDB_meta` of LMDB, little-endian). */
const at = { magic: 0, pageSize: 24, freeRoot: 64, mainRoot: 112, lastPage: 120, commit: 128 }
/** Root of a tree that has no page yet. */
const NO_PAGE = 0xffff_ffff_ffff_ffffn

/** Throws an error with a sentence if it would be dangerous to open an LMDB file. */
export function assertSoundHead(file: string): void {
  const damage = findDamagedHead(file)
  if (damage !== undefined) throw new Error(`${file} is damaged: ${damage}`)
}

interface Head {
  pageSize: number
  roots: bigint[]
  lastPage: bigint
  commit: bigint
}

/**
 * Describes damage of the first two pages of an LMDB file, which describe all others, and of its length;
 * undefined if there is none. LMDB maps the file and trusts these pages: an empty, truncated or foreign
 * file would kill the process that opens it by a signal.
 */
export function findDamagedHead(file: string): string | undefined {
  const descriptor = openSync(file, 'r')
  try {
    const size = fstatSync(descriptor).size
    if (size === 0) return 'it is empty'
    const first = readHead(descriptor, 0)
    if (first === undefined) return 'its beginning is not that of a store'
    const second = readHead(descriptor, first.pageSize)
    if (second === undefined) return 'its second page is not that of a store'
    const last = first.commit > second.commit ? first : second
    if (BigInt(size) < (last.lastPage + 1n) * BigInt(first.pageSize)) return 'it is truncated'
    const isBeyond = (root: bigint) => root !== NO_PAGE && root > last.lastPage
    return last.roots.some(isBeyond) ? 'its first pages lead beyond its end' : undefined
  } finally {
    closeSync(descriptor)
  }
}

function readHead(descriptor: number, position: number): Head | undefined {
  const page = Buffer.alloc(PAGE_HEADER + META_BYTES)
  if (readSync(descriptor, page, 0, page.length, position) < page.length) return undefined
  const meta = page.subarray(PAGE_HEADER)
  const pageSize = meta.readUInt32LE(at.pageSize)
  const isStore = meta.readUInt32LE(at.magic) === LMDB_MAGIC && isPageSize(pageSize)
  if (!isStore) return undefined
  const roots = [meta.readBigUInt64LE(at.freeRoot), meta.readBigUInt64LE(at.mainRoot)]
  const [lastPage, commit] = [meta.readBigUInt64LE(at.lastPage), meta.readBigUInt64LE(at.commit)]
  return { pageSize, roots, lastPage, commit }
}

function isPageSize(bytes: number): boolean {
  return bytes >= PAGE_BYTES_MIN && Number.isInteger(Math.log2(bytes))
}
