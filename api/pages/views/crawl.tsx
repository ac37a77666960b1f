import { HOUR, type Instant, toIso } from '../../../pipeline/core/clock.ts'
import { countThings, formatCount } from '../../../pipeline/core/counts.ts'
import { nameResult, outcomes, resultNames } from '../../../pipeline/core/outcomes.ts'
import {
  type CrawlOverview,
  loadCrawlOverview,
} from '../../../pipeline/read/queries/crawl-overview.ts'
import { getSnapshot } from '../../responses/lists.ts'
import { askIfReady } from '../ask.ts'
import { Fragment, type Html, h } from '../html/jsx.ts'
import { capitalize, renderMoment, toContractions } from '../html/text.tsx'
import { renderCounts, renderFacts, renderSection, renderTable } from '../parts/blocks.tsx'
import { renderBars } from '../parts/chart.tsx'
import { renderResult } from '../parts/freshness.tsx'
import { formatDay, renderLatestDays } from '../parts/latest-days.tsx'
import type { View, ViewCall } from '../view.ts'

/** Shows the state of the crawl. */
export async function show({ services }: ViewCall): Promise<View> {
  const { reader } = services
  const overview = await askIfReady(reader, async () => {
    const snapshot = getSnapshot(reader)
    return snapshot && loadCrawlOverview(snapshot, reader.now())
  })
  return {
    title: 'Crawl status',
    description: 'The state of the crawl: files by result, what is due, and recent nights.',
    isLive: true,
    body: (
      <>
        <h1>Crawl status</h1>
        {overview === undefined || overview.outcomes.length === 0 ? (
          <p class="notice" role="status">
            No file fetched yet. This page refreshes itself.
          </p>
        ) : (
          renderOverview(overview, reader.now())
        )}
      </>
    ),
  }
}

function renderOverview(overview: CrawlOverview, now: Instant): Html {
  const { hours, nights, due, recent_attempts, held } = overview
  const files = sumFiles(overview.outcomes)
  const untried = sumFiles(overview.outcomes.filter(({ outcome }) => outcome === null))
  return (
    <>
      {renderCounts([
        ['known files and agents', files],
        ['not tried yet', untried],
        ['due now', due],
        ['publishers with held-back removals', held],
      ])}
      {renderFacts([
        ['Last attempt', renderMoment(overview.last_attempt_at)],
        ['Last active minute', recent_attempts > 0 && countThings(recent_attempts, 'attempt')],
        ['Next due', renderMoment(overview.next_due_at, 'nothing scheduled')],
      ])}
      {renderSection('outcomes', 'Latest results', renderOutcomes(overview))}
      {hours.length < 2 ? null : renderSection('hours', 'The last day', renderHours(hours, now))}
      {overview.days.length < 2
        ? null
        : renderSection('growth', 'Growth', renderLatestDays(overview))}
      {renderSection('nights', 'Nightly crawls', renderNights(nights))}
    </>
  )
}

const DAY_HOURS = 24

function renderHours(hours: CrawlOverview['hours'], now: Instant): Html | null {
  const found = new Map(hours.map(({ hour, files }) => [Date.parse(hour), files]))
  const last = Math.floor(now / HOUR) * HOUR
  const bars = Array.from({ length: DAY_HOURS }, (_, index) => {
    const hour = last - (DAY_HOURS - 1 - index) * HOUR
    return { label: toIso(hour).slice(11, 16), value: found.get(hour) ?? 0 }
  })
  return renderBars('Files by the hour of their last attempt (UTC)', bars)
}

function sumFiles(rows: readonly { files: number }[]): number {
  return rows.reduce((sum, { files }) => sum + files, 0)
}

function renderOutcomes({ outcomes: rows }: CrawlOverview): Html {
  const known = rows.flatMap(({ outcome, ...row }) => (outcome === null ? [] : { ...row, outcome }))
  const results = resultNames.filter(name => known.some(row => nameResult(row.outcome) === name))
  return (
    <>
      <p>
        Each file is counted once, by its last attempt. A file that was fetched can still be
        unusable, for example if it leads to one that is invalid: lookups and pages show its state.
      </p>
      {renderTable({
        caption: 'Files by type and result',
        columns: ['Type', ...results.map(capitalize)],
        items: [...Map.groupBy(known, ({ kind }) => kind)],
        empty: 'No attempts yet.',
        render: ([kind, own]) => [
          kind,
          ...results.map(name =>
            formatCount(sumFiles(own.filter(({ outcome }) => nameResult(outcome) === name))),
          ),
        ],
      })}
      <details>
        <summary>Reasons</summary>
        {renderTable({
          caption: 'Files by type and reason',
          columns: ['Type', 'Result', 'Reason', 'Files'],
          items: known,
          limit: 100,
          empty: '',
          render: ({ kind, outcome, files }) => [
            kind,
            renderResult(outcome),
            toContractions(outcomes[outcome].means),
            formatCount(files),
          ],
        })}
      </details>
    </>
  )
}

function renderNights(nights: CrawlOverview['nights']): Html {
  if (nights.every(({ losses }) => losses === 0))
    return (
      <p class="empty">
        No nightly crawl has removed anything yet. If one would remove far more than usual, its
        removals are held back until an operator reviews them.
      </p>
    )
  return (
    <>
      {nights.some(({ taken }) => taken > 0)
        ? renderBars(
            'Grants and properties removed each night',
            nights.map(({ night, taken }) => ({ label: formatDay(night), value: taken })).reverse(),
          )
        : null}
      {renderTable({
        caption: 'Nightly crawls',
        columns: ['Night', 'Publishers', 'Removals', 'Applied'],
        items: nights,
        empty: '',
        render: ({ night, publishers, losses, taken }) => [
          renderMoment(night),
          formatCount(publishers),
          formatCount(losses),
          formatCount(taken),
        ],
      })}
    </>
  )
}
