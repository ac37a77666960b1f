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
export function nextTime(pattern: string, after: Instant): Instant {
  const options = { tz: 'UTC', currentDate: new Date(after) }
  return CronExpressionParser.parse(pattern, options).next().getTime()
}
