import { toIso } from '../core/clock.ts'

const MOMENT =
  /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d)(:\d\d)?(\.\d{1,9})?(?:([Zz])|([+-]\d\d):?(\d\d))?)?$/
/** Matches a full date and time of RFC 3339. */
const FULL = /T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i

export interface Moment {
  /** UTC time, without milliseconds that are zero. */
  iso: string
  /** True for a full date and time with a zone. */
  full: boolean
}

/**
 * Parses a date and time as people write it. Without a time it is midnight, without a zone it is UTC. A day
 * that does not exist is invalid.
 */
export function parseMoment(text: string): Moment | undefined {
  const match = MOMENT.exec(text.trim())
  if (!match) return undefined
  const [, day, minutes, seconds = ':00', fraction = '', _zulu, hours, rest] = match
  if (!isDay(day!)) return undefined
  const zone = hours ? `${hours}:${rest}` : 'Z'
  const instant = Date.parse(`${day}T${minutes ?? '00:00'}${seconds}${fraction}${zone}`)
  if (Number.isNaN(instant)) return undefined
  const iso = toIso(instant)
  if (iso.length !== 24) return undefined
  const full = FULL.test(text)
  return { iso: iso.replace('.000Z', 'Z'), full }
}

/** Tells whether a day exists: dates roll over, so that 30 February becomes 2 March. */
function isDay(day: string): boolean {
  return new Date(`${day}T00:00:00Z`).getUTCDate() === Number(day.slice(8))
}
