import { CronExpressionParser } from 'cron-parser'
import type { Instant } from './clock.ts'

export function isCron(pattern: string): boolean {
  try {
    CronExpressionParser.parse(pattern, { tz: 'UTC' })
    return true
  } catch {
    return false
  }
}

/** Finds the next time of a cron pattern, in UTC. */
export function findNextTime(pattern: string, after: Instant): Instant {
  const options = { tz: 'UTC', currentDate: new Date(after) }
  return CronExpressionParser.parse(pattern, options).next().getTime()
}

/** Finds the last time of a cron pattern at or before a time, in UTC. */
export function findLastTime(pattern: string, time: Instant): Instant {
  const options = { tz: 'UTC', currentDate: new Date(time + 1) }
  return CronExpressionParser.parse(pattern, options).prev().getTime()
}
