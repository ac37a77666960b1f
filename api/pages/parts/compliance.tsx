import { formatCount } from '../../../pipeline/core/counts.ts'
import type { AgentCompliance } from '../../../pipeline/model/responses/compliance.ts'
import { type Html, h } from '../html/jsx.ts'
import { capitalize, clipText, renderMoment, renderName } from '../html/text.tsx'
import { renderTable } from './blocks.tsx'
import { renderBadge } from './freshness.tsx'
import { toStoryboardPath } from './paths.ts'

/** Looks of the results of storyboards. */
export const testLooks: Readonly<Record<string, string>> = {
  passing: 'good',
  failing: 'bad',
  partial: 'fair',
}

/** Describes how many storyboards passed, failed and were not tested; those that pass in part count as failed. */
export function describeTests({
  storyboard_statuses: all,
}: Pick<AgentCompliance, 'storyboard_statuses'>): string {
  const count = (...wanted: string[]) => all.filter(({ status }) => wanted.includes(status)).length
  const passed = count('passing')
  const failed = count('failing', 'partial')
  const untested = all.length - passed - failed
  return [
    `${formatCount(passed)} passed`,
    ...(failed > 0 ? [`${formatCount(failed)} failed`] : []),
    ...(untested > 0 ? [`${formatCount(untested)} not tested`] : []),
  ].join(', ')
}

/** Renders the last result of each storyboard that was run against an agent. */
export function renderTests(compliance: AgentCompliance, agentUrl = compliance.agent_url): Html {
  const { headline, storyboard_statuses } = compliance
  if (storyboard_statuses.length === 0)
    return (
      <p class="empty">{headline === null ? 'No public test results' : capitalize(headline)}.</p>
    )
  // What passes is the smaller news.
  const isPassing = ({ status }: (typeof storyboard_statuses)[number]) => status === 'passing'
  const passing = storyboard_statuses.filter(isPassing)
  const others = storyboard_statuses.filter(test => !isPassing(test))
  return renderTable({
    caption: 'Storyboards',
    columns: ['Storyboard', 'Result', 'When'],
    items: [...others, ...passing],
    open: others.length,
    rest: `/api/registry/agents/${encodeURIComponent(agentUrl)}/compliance`,
    bytes: 8_000,
    empty: '',
    render: ({ storyboard_id, title, status, last_tested_at }) => [
      <a href={toStoryboardPath(storyboard_id)}>{renderName(title)}</a>,
      renderBadge(testLooks[status] ?? 'none', clipText(status, 20)),
      renderMoment(last_tested_at),
    ],
  })
}
