/** Limits beyond which losses count as a mass: both minimums and one of the shares must be exceeded. */
export interface BrakeLimits {
  /** Share of all rows in force: grants and active properties. */
  share: number
  /** Times what a night usually takes. */
  factor: number
  rows: number
  publishers: number
}

/** Losses in the answers of one night so far, held back or not. */
export interface NightLosses {
  rows: number
  publishers: number
}

/** Tells whether a night has reached both floors; below them the brake never holds. */
export function reachesFloors({ rows, publishers }: NightLosses, limits: BrakeLimits): boolean {
  return rows >= limits.rows && publishers >= limits.publishers
}

/** Nights that tell what is usual: of fewer nothing is concluded. */
export const BASELINE_NIGHTS = { min: 3, max: 7 }

/**
 * Tells whether the losses of a night are implausibly many. `active`: rows in force when it began;
 * `before`: losses of the nights before, the newest last.
 */
export function isMass(
  night: NightLosses,
  { active, before }: { active: number; before: readonly number[] },
  limits: BrakeLimits,
): boolean {
  if (!reachesFloors(night, limits)) return false
  if (night.rows > limits.share * active) return true
  const recent = before.slice(-BASELINE_NIGHTS.max)
  if (recent.length < BASELINE_NIGHTS.min) return false
  const average = recent.reduce((sum, rows) => sum + rows, 0) / recent.length
  return night.rows > limits.factor * average
}
