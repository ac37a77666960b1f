/** Suffixes that follow each other in their order. */
export interface Range {
  start: number
  end: number
}

/** Clips a range to the `length` that begin at `from`. */
export function clip({ start, end }: Range, from: number, length: number): Range {
  return { start: Math.max(start, from), end: Math.min(end, from + length) }
}
