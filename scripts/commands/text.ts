const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Formats an ISO 8601 time for people, in UTC, to the minute. */
export function formatTime(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`
}

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

const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const

/** Formats a size in decimal units. */
export function formatBytes(bytes: number): string {
  let size = bytes
  let unit = 0
  for (; size >= 1_000 && unit < UNITS.length - 1; unit++) size /= 1_000
  return `${unit === 0 ? size : size.toFixed(1)} ${UNITS[unit]}`
}

/** Formats a number of things. */
export function formatCount(count: number, thing: string, things = `${thing}s`): string {
  return `${count} ${count === 1 ? thing : things}`
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
    formatCount(totals.brands, 'brand'),
    formatCount(totals.publishers, 'publisher'),
    formatCount(totals.properties, 'property', 'properties'),
    formatCount(totals.authorizations, 'authorization'),
    formatCount(totals.agents, 'agent'),
  ].join(', ')
}
