import { countThings } from '../../../pipeline/core/counts.ts'
import { type Html, h } from '../html/jsx.ts'
import { clipText, fitItems, renderName } from '../html/text.tsx'
import type { Change } from './compare-documents.ts'
import { toPlainWords } from './plain-words.ts'

/** Renders fields before and after a change, which a reader opens. */
export function renderChangedFields(changes: readonly Change[], isOpen = false): Html {
  const bytes = isOpen ? 9_000 : 3_000
  const render = (change: Change) => renderField(change, isOpen ? 1_000 : 160)
  const { rows, shown } = fitItems(changes, render, { limit: 20, bytes })
  return (
    <details class="diff" open={isOpen}>
      <summary>{countThings(changes.length, 'field')} changed</summary>
      <dl>{rows}</dl>
      {shown < changes.length ? <p class="quiet">and {changes.length - shown} more</p> : null}
    </details>
  )
}

function renderField({ path, before, after }: Change, chars: number): Html {
  const isReason = path === 'stale_reason'
  const renderValue = (value: string) => {
    const text = value === 'null' ? 'none' : value
    return renderName(isReason ? toPlainWords(text.replaceAll('"', '')) : text, chars)
  }
  return (
    <div>
      <dt>{isReason ? toPlainWords(path) : <code>{clipText(path, 120)}</code>}</dt>
      {before === undefined ? null : <dd class="gone">− {renderValue(before)}</dd>}
      {after === undefined ? null : <dd class="come">+ {renderValue(after)}</dd>}
    </div>
  )
}
