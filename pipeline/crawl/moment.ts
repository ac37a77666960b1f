import { isoOf } from '../core/clock.ts'

const MOMENT =
  /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d)(:\d\d)?(\.\d{1,9})?(?:([Zz])|([+-]\d\d):?(\d\d))?)?$/

export interface Moment {
  /** In UTC, without milliseconds that are zero. */
  iso: string
  /** Whether it was written as a full date and time with a zone. */
  full: boolean
}

/**
 * A date and time as people write it. One without a time is midnight, one without a zone is UTC. A
 * day that no calendar has is no moment.
 */
export function parseMoment(text: string): Moment | undefined {
  const match = MOMENT.exec(text.trim())
  if (!match) return undefined
  const [, day, minutes, seconds = ':00', fraction = '', zulu, hours, rest] = match
  if (!isDay(day!)) return undefined
  const zone = hours ? `${hours}:${rest}` : 'Z'
  const instant = Date.parse(`${day}T${minutes ?? '00:00'}${seconds}${fraction}${zone}`)
  if (Number.isNaN(instant)) return undefined
  const iso = isoOf(instant)
  if (iso.length !== 24) return undefined
  const full = minutes !== undefined && (zulu !== undefined || hours !== undefined)
  return { iso: iso.replace('.000Z', 'Z'), full }
}

function isDay(day: string): boolean {
  const instant = Date.parse(`${day}T00:00:00Z`)
  return !Number.isNaN(instant) && isoOf(instant).startsWith(day)
}
