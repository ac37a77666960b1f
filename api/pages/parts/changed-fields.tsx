import { type Html, h } from '../html/jsx.ts'
import { clipText, countThings, fitItems, renderName } from '../html/text.tsx'
import type { Change } from './compare-documents.ts'
import { toPlainWords } from './plain-words.ts'

/** Renders fields before and after a change, which a reader opens. */
export function renderChangedFields(changes: readonly Change[], isOpen = false): Html {
  const { rows, shown } = fitItems(changes, renderField, { limit: 20, bytes: 3_000 })
  return (
    <details class="diff" open={isOpen}>
      <summary>{countThings(changes.length, 'field')} changed</summary>
      <dl>{rows}</dl>
      {shown < changes.length ? <p class="quiet">and {changes.length - shown} more</p> : null}
    </details>
  )
}

function renderField({ path, before, after }: Change): Html {
  return (
    <div>
      <dt>{path === 'stale_reason' ? toPlainWords(path) : <code>{clipText(path, 120)}</code>}</dt>
      {before === undefined ? null : (
        <dd class="gone">− {renderName(before === 'null' ? 'none' : before, 160)}</dd>
      )}
      {after === undefined ? null : (
        <dd class="come">+ {renderName(after === 'null' ? 'none' : after, 160)}</dd>
      )}
    </div>
  )
}
