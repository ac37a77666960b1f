const SHORTEST_S = 5
const LONGEST_S = 900
const QUICK_MS = 500
const FACTOR = 6

/**
 * Seconds until the next snapshot, after a copy that took this long. It keeps the disk busy, and nobody
 * commits while what it shows is brought into the file, so a large index is copied seldom; but one slow
 * copy is more often a machine that was busy just then than an index that has grown, and lists would be
 * old for a quarter of an hour because of it. So each slow copy in a row makes the pause longer, and a
 * quick one short again.
 */
export function nextPauseS(copyMs: number, lastPauseS = SHORTEST_S): number {
  return copyMs < QUICK_MS ? SHORTEST_S : Math.min(LONGEST_S, lastPauseS * FACTOR)
}
