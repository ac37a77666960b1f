import { countThings } from '../../../pipeline/core/counts.ts'
import { type Child, Fragment, h } from '../html/jsx.ts'
import { renderBadge } from './freshness.tsx'

/** Marks a grant of stale properties, which is in force although the agent cannot sell them now. */
export function renderStale({
  properties_stale: count,
}: {
  properties_stale?: number | undefined
}): Child {
  if (count === undefined) return ''
  return (
    <>
      {renderBadge('fair', 'Stale properties')}
      <div class="quiet">{countThings(count, 'property', 'properties')} can’t be sold now</div>
    </>
  )
}
