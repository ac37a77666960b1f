/** From when on losses count as a mass; both floors must be reached, and one of the shares passed. */
export interface BrakeLimits {
  /** Share of all that stands: grants and active properties. */
  share: number
  /** Times what a night usually takes. */
  factor: number
  rows: number
  publishers: number
}

/** What the answers of one night take so far, held back or not. */
export interface NightLosses {
  rows: number
  publishers: number
}

/** Whether a night has reached both floors; below them nothing needs to be asked. */
export function reachesFloors({ rows, publishers }: NightLosses, limits: BrakeLimits): boolean {
  return rows >= limits.rows && publishers >= limits.publishers
}

/** Nights that tell what is usual: of fewer nothing is concluded. */
export const USUAL_NIGHTS = { least: 3, most: 7 }

/**
 * Whether what a night takes is too much to be believed at once. `standing`: rows that stood when it
 * began; `before`: rows that the nights before it took, the newest last.
 */
export function isMass(
  night: NightLosses,
  { standing, before }: { standing: number; before: readonly number[] },
  limits: BrakeLimits,
): boolean {
  if (!reachesFloors(night, limits)) return false
  if (night.rows > limits.share * standing) return true
  const recent = before.slice(-USUAL_NIGHTS.most)
  if (recent.length < USUAL_NIGHTS.least) return false
  const usual = recent.reduce((sum, rows) => sum + rows, 0) / recent.length
  return night.rows > limits.factor * usual
}
