import { formatCount } from '../../../pipeline/core/counts.ts'
import type { AgentCompliance } from '../../../pipeline/model/responses/compliance.ts'
import { type Html, h } from '../html/jsx.ts'
import { capitalize, clipText, renderMoment, renderName } from '../html/text.tsx'
import { LATER_ROWS_OPEN, renderTable } from './blocks.tsx'
import { renderBadge } from './freshness.tsx'
import { toStoryboardPath } from './paths.ts'

/** Looks of the results of storyboards. */
export const testLooks: Readonly<Record<string, string>> = {
  passing: 'good',
  failing: 'bad',
  partial: 'fair',
}

/** Order of results: what failed is the first news, and what was not tested is none. */
const ranks = { failing: 0, partial: 0, passing: 1, untested: 2 }

const TESTS_BYTES = 24_000

const isFailed = (status: keyof typeof ranks) => ranks[status] === 0

/** Words for the results of storyboards, as the counts above their tables say them. */
const resultWords: Readonly<Record<string, string>> = {
  passing: 'passed',
  failing: 'failed',
  partial: 'partly passed',
  untested: 'not tested',
}

/** Describes the last result of a storyboard; one that pages have no words for stays as it is written. */
export const describeResult = (status: string) => resultWords[status] ?? clipText(status, 20)

/**
 * Describes how many storyboards failed, those that pass in part among them, and how many passed and were not tested:
 * the first of that is the news.
 */
export function describeTests({
  storyboard_statuses: all,
}: Pick<AgentCompliance, 'storyboard_statuses'>): { news: string; rest: string[] } {
  const passed = all.filter(({ status }) => status === 'passing').length
  const failed = all.filter(({ status }) => isFailed(status)).length
  const untested = all.length - passed - failed
  const [news = '', ...rest] = [
    ...(failed > 0 ? [`${formatCount(failed)} failed`] : []),
    `${formatCount(passed)} passed`,
    ...(untested > 0 ? [`${formatCount(untested)} not tested`] : []),
  ]
  return { news, rest }
}

/** Renders the last result of each storyboard that was run against an agent. */
export function renderTests(compliance: AgentCompliance, agentUrl = compliance.agent_url): Html {
  const { headline, storyboard_statuses } = compliance
  if (storyboard_statuses.length === 0)
    return (
      <p class="empty">{headline === null ? 'No public test results' : capitalize(headline)}.</p>
    )
  const items = storyboard_statuses.toSorted((a, b) => ranks[a.status] - ranks[b.status])
  return renderTable({
    caption: 'Storyboards',
    columns: ['Storyboard', 'Result', 'When'],
    items,
    open: items.filter(({ status }) => isFailed(status)).length + LATER_ROWS_OPEN,
    rest: `/api/registry/agents/${encodeURIComponent(agentUrl)}/compliance`,
    limit: items.length,
    bytes: TESTS_BYTES,
    empty: '',
    render: ({ storyboard_id, title, status, last_tested_at }) => [
      <a href={toStoryboardPath(storyboard_id)}>{renderName(title)}</a>,
      renderBadge(testLooks[status] ?? 'none', describeResult(status)),
      status === 'untested' ? null : renderMoment(last_tested_at),
    ],
  })
}
