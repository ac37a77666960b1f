import { countThings, formatCount } from '../../pipeline/core/counts.ts'
import {
  type Outcome,
  outcomes,
  type ResultName,
  resultNames,
} from '../../pipeline/core/outcomes.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Formats how long ago a time is. */
export function formatAgo(iso: string, now: number): string {
  return `${formatDuration(now - Date.parse(iso))} ago`
}

/** Formats a length of time in its largest unit. */
export function formatDuration(ms: number): string {
  if (ms >= 2 * DAY_MS) return `${Math.floor(ms / DAY_MS)} days`
  if (ms >= 2 * HOUR_MS) return `${Math.floor(ms / HOUR_MS)} h`
  if (ms >= 2 * MINUTE_MS) return `${Math.floor(ms / MINUTE_MS)} min`
  return `${Math.max(0, Math.floor(ms / 1_000))} s`
}

/** Formats how much an index holds. */
export function formatTotals(totals: {
  brands: number
  publishers: number
  properties: number
  authorizations: number
  agents: number
}): string {
  return [
    countThings(totals.brands, 'brand'),
    countThings(totals.publishers, 'publisher'),
    countThings(totals.properties, 'property', 'properties'),
    countThings(totals.authorizations, 'authorization'),
    countThings(totals.agents, 'agent'),
  ].join(', ')
}

/** Formats how many files had each result, the best result first; empty without any. */
export function formatResults(counts: readonly { result: ResultName; files: number }[]): string {
  const byResult = Map.groupBy(counts, ({ result }) => result)
  return resultNames
    .filter(result => byResult.has(result))
    .map(result => {
      const files = (byResult.get(result) ?? []).reduce((sum, count) => sum + count.files, 0)
      return `${formatCount(files)} ${result}`
    })
    .join(', ')
}

/** Formats how many files of a kind had an outcome, and what that means. */
export function formatOutcome(row: { kind: string; outcome: string; files: number }): string {
  const { kind, outcome, files } = row
  const means = outcomes[outcome as Outcome].means
  return `${kind.padEnd(14)} ${outcome.padEnd(18)} ${formatCount(files).padStart(9)}  ${means}`
}

/** Formats rows in columns that are as wide as their widest cell, two blanks apart. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) =>
    Math.max(...rows.map(row => (row[at] ?? '').length)),
  )
  return rows
    .map(row =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
