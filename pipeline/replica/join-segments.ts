import type { Segment } from './manifest.ts'

/** Segments up to this size are joined, so that a quiet registry publishes few files. */
const SMALL_BYTES = 16 * 1024 * 1024
/** Small segments in a row beyond which they are joined. */
const SMALL_SEGMENTS_MAX = 64

/** Finds consecutive small segments to join into one; undefined while there are few. */
export function findJoinable(segments: readonly Segment[]): Segment[] | undefined {
  const small: Segment[] = []
  let bytes = 0
  for (const segment of [...segments].reverse()) {
    if (segment.bytes > SMALL_BYTES) break
    small.unshift(segment)
  }
  if (small.length <= SMALL_SEGMENTS_MAX) return undefined
  const joined = small.filter(segment => {
    bytes += segment.bytes
    return bytes <= 2 * SMALL_BYTES
  })
  return joined.length > 1 ? joined : undefined
}

/**
 * Drops segments that the base includes, the oldest first, while all segments together are larger than the
 * base: a replica that is so far behind copies the base instead.
 */
export function dropOldSegments(
  segments: readonly Segment[],
  base: { bytes: number; position: number },
): Segment[] {
  let bytes = segments.reduce((sum, segment) => sum + segment.bytes, 0)
  return segments.filter(segment => {
    if (segment.to > base.position || bytes <= base.bytes) return true
    bytes -= segment.bytes
    return false
  })
}
