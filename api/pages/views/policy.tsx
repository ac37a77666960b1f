import type { Policy } from '../../../pipeline/model/responses/policies.ts'
import { resolvePolicy } from '../../routes/community/policies.ts'
import { Fragment, type Html, h } from '../html/jsx.ts'
import {
  capitalize,
  clipText,
  renderMoment,
  renderName,
  renderOutside,
  renderWindow,
} from '../html/text.tsx'
import { renderFacts, renderSection } from '../parts/blocks.tsx'
import { renderBadge } from '../parts/freshness.tsx'
import { showMissing } from '../parts/problem.tsx'
import type { View, ViewCall } from '../view.ts'

const TEXT_CHARS = 12_000

/** Shows one policy with its text. */
export async function show({
  ask,
  params: { id },
}: ViewCall<unknown, { id: string }>): Promise<View> {
  const query = { policy_id: id }
  const { status, body: policy } = await ask<Policy>(resolvePolicy, { query })
  if (status !== 200) {
    const title = 'Policy not found'
    const text = `There is no policy with the ID ${clipText(id, 100)}.`
    return showMissing(title, text)
  }
  return {
    title: policy.name,
    description: policy.description ?? `${policy.name}, a ${policy.category} for agents.`,
    json: `/api/policies/resolve?${new URLSearchParams(query)}`,
    body: (
      <>
        <p class="kicker">Policy</p>
        <h1>{renderName(policy.name)}</h1>
        <p class="sub">
          <code>{clipText(policy.policy_id, 100)}</code> {renderBadge('none', policy.category)}{' '}
          {policy.review_status === 'approved'
            ? renderBadge('good', 'approved')
            : renderBadge('fair', 'awaiting review')}
        </p>
        {policy.description === null ? null : (
          <p class="lead">{renderName(policy.description, 800)}</p>
        )}
        {renderFacts([
          ['Agents', `${capitalize(policy.enforcement)} follow it`],
          ['Applies in', policy.jurisdictions.slice(0, 30).join(', ') || 'every country'],
          ['In force', renderWindow(policy.effective_date, policy.sunset_date)],
          ['Version', renderName(policy.version, 60)],
          ['Source', policy.source_url && renderOutside(policy.source_url)],
          ['Changed', renderMoment(policy.updated_at)],
        ])}
        {renderSection('text', 'Text', renderText(policy.policy))}
        {policy.guidance === null
          ? null
          : renderSection('guidance', 'Guidance', renderText(policy.guidance))}
      </>
    ),
  }
}

function renderText(text: string): Html {
  return <p class="text">{clipText(text, TEXT_CHARS)}</p>
}
