import { z } from 'zod'
import { SNAPSHOT_KEY } from '../../pipeline/core/surrogate-keys.ts'

/** The time as of which an answer is asked for; its form is checked by `findPast`, since a pattern is long. */
export const asOf = z
  .string()
  .optional()
  .describe('Respond as of this time, or as of the start of this UTC date')

/** A date and time with its offset. */
export const DateTime = z.iso.datetime({ offset: true })
const Day = z.iso.date()

/** Completes a day to its first moment in UTC; any other text stays as it is. */
export function completeDay(text: string): string {
  return Day.safeParse(text).success ? `${text}T00:00:00Z` : text
}

const LOCAL_TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d(?:\.\d+)?)?$/

/** Completes what a person entered: a day, and a time without an offset to one in UTC. */
export function completeMoment(text: string): string {
  const [, day, minutes, seconds = ':00'] = LOCAL_TIME.exec(text) ?? []
  return day === undefined ? completeDay(text) : `${day}T${minutes}${seconds}Z`
}

/** Lists the keys of answers for a past time: the history is that of the snapshot (pipeline/core/surrogate-keys.ts). */
export function listPastKeys(asOf: string | undefined): string[] {
  return asOf === undefined ? [] : [SNAPSHOT_KEY]
}
