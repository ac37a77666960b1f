import { countThings } from '../../../pipeline/core/counts.ts'
import {
  type OperatorRule,
  type OperatorWord,
  operatorTexts,
} from '../../../pipeline/model/operator-side.ts'
import { type Child, Fragment, h } from '../html/jsx.ts'
import { toContractions } from '../html/text.tsx'
import { renderBadge } from './freshness.tsx'

const words = {
  confirmed: ['good', 'Confirmed'],
  silent: ['none', 'Not confirmed'],
  contradicted: ['bad', 'Contradicted'],
  unknown: ['none', 'Unknown'],
} as const

interface Shown {
  operator_side?: OperatorWord | undefined
  operator_reason?: OperatorRule | undefined
  properties_contradicted?: number | undefined
}

/** Renders what the operator of an agent says about a grant; a contradiction with its reason and its extent. */
export function renderOperatorSide({
  operator_side,
  operator_reason,
  properties_contradicted: count,
}: Shown): Child {
  if (operator_side === undefined || operator_reason === undefined) return ''
  const [look, word] = words[operator_side]
  const reason = toContractions(operatorTexts[operator_reason])
  if (look === 'none')
    return (
      <span class="quiet whole" title={reason}>
        {word}
      </span>
    )
  if (operator_side !== 'contradicted') return <span title={reason}>{renderBadge(look, word)}</span>
  return (
    <>
      {renderBadge(look, word)}
      <div class="quiet">
        {count === undefined ? '' : `${countThings(count, 'property', 'properties')}: `}
        {reason}
      </div>
    </>
  )
}
