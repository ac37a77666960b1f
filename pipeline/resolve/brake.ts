/**
 * Limits of the brake (settings BRAKE_*). Losses are a mass loss if a night reaches both floors, `rows` and
 * `publishers`, and exceeds the share or the factor.
 */
export interface BrakeLimits {
  /** Share of all rows in force: grants and active properties. */
  share: number
  /** Multiple of the losses of an average night. */
  factor: number
  /** Fewest grants and properties lost. */
  rows: number
  /** Fewest publishers that lose anything. */
  publishers: number
}

/** Losses of one night so far, held back or not. */
export interface NightLosses {
  rows: number
  publishers: number
}

/** Tells whether a night has reached both floors; below them the brake never holds. */
export function reachesFloors({ rows, publishers }: NightLosses, limits: BrakeLimits): boolean {
  return rows >= limits.rows && publishers >= limits.publishers
}

/** Nights that the average is taken of; with fewer than `min` there is none. */
export const BASELINE_NIGHTS = { min: 3, max: 7 }

/**
 * Tells whether the losses of a night are implausibly many. `active` is the number of rows in force when it
 * began, `before` the losses of earlier nights, newest last.
 */
export function isMassLoss(
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
