import type { AgentCompliance } from '../../../pipeline/model/responses/compliance.ts'
import { Fragment, type Html, h } from '../html/jsx.ts'
import { clipText, renderMoment, renderName } from '../html/text.tsx'
import { renderTable } from './blocks.tsx'
import { renderBadge } from './freshness.tsx'
import { toStoryboardPath } from './paths.ts'

const looks: Readonly<Record<string, string>> = { passing: 'good', failing: 'bad', partial: 'fair' }

/** Renders the last result of each storyboard that was run against an agent. */
export function renderTests({ headline, storyboard_statuses }: AgentCompliance): Html {
  if (headline === null) return <p class="empty">No public test results.</p>
  return (
    <>
      <p>{headline}</p>
      {renderTable({
        caption: 'Storyboards',
        columns: ['Storyboard', 'Result', 'When'],
        items: storyboard_statuses,
        bytes: 8_000,
        empty: '',
        render: ({ storyboard_id, title, status, last_tested_at }) => [
          <a href={toStoryboardPath(storyboard_id)}>{renderName(title)}</a>,
          renderBadge(looks[status] ?? 'none', clipText(status, 20)),
          renderMoment(last_tested_at),
        ],
      })}
    </>
  )
}
