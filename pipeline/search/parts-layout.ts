/** Position of a part of the file, in bytes. */
export interface PartLocation {
  at: number
  bytes: number
}

/**
 * Parts are stored one after the other in chunks of this many bytes, each a value of the store; only the
 * last is shorter.
 */
export const CHUNK_BYTES = 2 ** 26
/**
 * Address space that is reserved for a file, however long it is. It is the same for every file,
 * since the runtime remembers the length of earlier buffers at an address.
 */
export const ADDRESS_SPACE_BYTES = 2 ** 34
/** The key of the table of contents; chunks are numbered from 1. */
export const CONTENTS_KEY = 0

const LOCK = '-lock'

/** Names the lock file that LMDB creates beside an opened file and leaves there. */
export function toLockPath(file: string): string {
  return `${file}${LOCK}`
}

/** Tells whether a file is such a lock. */
export function isLock(file: string): boolean {
  return file.endsWith(LOCK)
}
