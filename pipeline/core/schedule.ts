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

/** The next time a cron pattern names, in UTC. */
export function findNextTime(pattern: string, after: Instant): Instant {
  const options = { tz: 'UTC', currentDate: new Date(after) }
  return CronExpressionParser.parse(pattern, options).next().getTime()
}

/** The last time a cron pattern named, in UTC: at that time itself, that time. */
export function findLastTime(pattern: string, at: Instant): Instant {
  const options = { tz: 'UTC', currentDate: new Date(at + 1) }
  return CronExpressionParser.parse(pattern, options).prev().getTime()
}
