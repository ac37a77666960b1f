import { SECOND, toIso } from '../core/clock.ts'

/** Matches an ISO 8601 date, with an optional time, fraction of a second and zone. */
const DATE_TIME =
  /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d)(:\d\d)?(\.\d{1,9})?(?:([Zz])|([+-]\d\d):?(\d\d))?)?$/
/** Matches the form that the specification asks for (RFC 3339): date, time and zone. */
const FULL_DATE_TIME = /T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i

export interface DateTime {
  /** ISO 8601 in UTC, with milliseconds only where they are not zero. */
  iso: string
  /** True if it was written with time and zone, as the specification asks. */
  isFull: boolean
}

/**
 * Parses a date and time as people write it. Without a time it is midnight, without a zone it is UTC. A day
 * that does not exist is invalid. A leap second, which ends a day in UTC, is read as the first second of the next.
 */
export function parseDateTime(text: string): DateTime | undefined {
  const match = DATE_TIME.exec(text.trim())
  if (!match) return undefined
  const [, day = '', minutes, seconds = ':00', fraction = '', _utc, zoneHours, zoneMinutes] = match
  if (!isDay(day)) return undefined
  const zone = zoneHours ? `${zoneHours}:${zoneMinutes}` : 'Z'
  const isLeap = seconds === ':60'
  const read = Date.parse(
    `${day}T${minutes ?? '00:00'}${isLeap ? ':59' : seconds}${fraction}${zone}`,
  )
  if (Number.isNaN(read)) return undefined
  if (isLeap && new Date(read).toISOString().slice(11, 19) !== '23:59:59') return undefined
  const iso = toIso(isLeap ? read + SECOND : read)
  // The zone can lead beyond the years 0000 to 9999, which ISO 8601 spells with a sign.
  if (iso.length !== '2026-01-31T09:00:00.000Z'.length) return undefined
  return { iso: iso.replace('.000Z', 'Z'), isFull: FULL_DATE_TIME.test(text) }
}

/** Tells whether a day exists. `Date` would roll 30 February over to 2 March. */
function isDay(day: string): boolean {
  return new Date(`${day}T00:00:00Z`).getUTCDate() === Number(day.slice(8))
}
