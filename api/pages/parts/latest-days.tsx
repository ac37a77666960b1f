import { DAY } from '../../../pipeline/core/clock.ts'
import type { CrawlOverview } from '../../../pipeline/read/queries/crawl-overview.ts'
import { type Html, h } from '../html/jsx.ts'
import { renderBars } from './chart.tsx'

const DAYS_SHOWN = 14

const dayNames = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
})

export function formatDay(iso: string): string {
  return dayNames.format(Date.parse(iso))
}

/** Renders how many files each of the last days brought that were never read before. */
export function renderLatestDays({ days }: Pick<CrawlOverview, 'days'>): Html | null {
  if (days.length === 0) return <p class="empty">No file has been read yet.</p>
  const found = new Map(days.map(({ day, files }) => [Date.parse(day), files]))
  const last = Math.max(...found.keys())
  const bars = Array.from({ length: DAYS_SHOWN }, (_, index) => {
    const day = last - (DAYS_SHOWN - 1 - index) * DAY
    return { label: dayNames.format(day), value: found.get(day) ?? 0 }
  })
  return renderBars('Files read for the first time, by day', bars)
}
