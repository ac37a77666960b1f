import { type Effect, getEffect, type Outcome, outcomeNames } from '../../core/outcomes.ts'
import type { Database } from '../../store/database.ts'

export const failureGroupings = ['reason', 'host'] as const
export type FailureGrouping = (typeof failureGroupings)[number]

/** Files whose last attempt failed, that have one reason or host in common. */
export interface FailureGroup {
  /** An outcome and the kind of file, or a host. */
  group: string
  files: number
  /** Time of the latest of these attempts, ISO 8601. */
  latest_at: string
  /** Some of the files, the latest first. */
  first: string[]
}

export interface FailureReport {
  /** Files whose last attempt failed. */
  files: number
  /** The largest groups first. */
  groups: FailureGroup[]
}

const EXAMPLES_MAX = 3
const notFailed: readonly Effect[] = ['success', 'absent']
const failed = outcomeNames.filter(
  (outcome: Outcome) => !notFailed.includes(getEffect(outcome)) && outcome !== 'store_denied',
)
const FAILED = `outcome in ('${failed.join("', '")}')`

const groupBy: Record<FailureGrouping, string> = {
  reason: `outcome || '  ' || kind`,
  host: `coalesce(nullif(regexp_extract(location, '^https?://([^/:?]+)', 1), ''), location)`,
}

/**
 * Reports files whose last attempt failed: neither read nor plainly missing. Deferred files count, and
 * so do those of domains that are only mentioned.
 */
export async function reportFailures(
  db: Database,
  by: FailureGrouping,
  limit: number,
): Promise<FailureReport> {
  const [total, groups] = await Promise.all([
    db.oneOrThrow<{ files: number }>(`select count(*) as files from crawl_state where ${FAILED}`),
    db.all<FailureGroup>(
      `select ${groupBy[by]} as "group", count(*) as files, max(attempted_at) as "latest_at [instant]",
         json_group_array(kind || ' of ' || location order by attempted_at desc, location) as "first [json]"
       from crawl_state where ${FAILED}
       group by 1 order by files desc, 1 limit $limit`,
      { limit },
    ),
  ])
  return {
    files: total.files,
    groups: groups.map(group => ({ ...group, first: group.first.slice(0, EXAMPLES_MAX) })),
  }
}
