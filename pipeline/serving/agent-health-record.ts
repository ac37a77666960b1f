import type { Outcome } from '../core/outcomes.ts'

/** Changes that are kept of each agent. */
export const HEALTH_CHANGES_MAX = 50

/** Outcome that the probes of an agent have had since a time, until the next change. */
export interface HealthChange {
  outcome: Outcome
  /** ISO 8601. */
  since: string
}
