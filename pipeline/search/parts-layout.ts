/** Position of a part of the file, in bytes. */
export interface PartLocation {
  at: number
  bytes: number
}

/**
 * Last bytes of a file, behind its parts and its table of contents: the length of that table as a number of 64 bits,
 * then this mark. A file without them is not complete.
 */
export const MARK = Buffer.from('parts/1\n')
export const TRAILER_BYTES = Float64Array.BYTES_PER_ELEMENT + MARK.length
