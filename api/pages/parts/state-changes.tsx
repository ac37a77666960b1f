import { getAt } from '../../../pipeline/core/present.ts'
import type {
  ChangedKind,
  StateChange,
  StateChanges,
} from '../../../pipeline/read/queries/state-changes.ts'
import { type Child, Fragment, type Html, h } from '../html/jsx.ts'
import { fitItems, renderExactMoment, renderName } from '../html/text.tsx'
import { renderPages } from './blocks.tsx'
import { renderChangedFields } from './changed-fields.tsx'
import { type Change, compareDocuments } from './compare-documents.ts'
import { renderAgent } from './events.tsx'
import { renderBadge } from './freshness.tsx'
import { findStatusChange, omitStatusFields, type StatusChange } from './status-change.ts'

export const CHANGES_PER_PAGE = 60
const CHANGES_BYTES = 44_000

const nouns: Record<ChangedKind, string> = {
  brand: 'brand',
  publisher: 'file',
  property: 'property',
  grant: 'authorization of',
}

/** Renders as many changes as a page has room for by moment, and the way to those before them. */
export function renderChanges(
  { changes, total }: StateChanges,
  { offset, toPath }: { offset: number; toPath(cursor: string): string },
): Html {
  const { rows, shown } = fitItems(changes, renderChange, {
    limit: CHANGES_PER_PAGE,
    bytes: CHANGES_BYTES,
  })
  const moments = new Map<string, Html[]>()
  for (const [index, row] of rows.entries()) {
    const { at } = getAt(changes, index)
    moments.set(at, [...(moments.get(at) ?? []), row])
  }
  const left = total - offset - shown
  return (
    <>
      <ol class="timeline">
        {[...moments].map(([at, items]) => (
          <li>
            <h2>{renderExactMoment(at)}</h2>
            <ul>{items}</ul>
          </li>
        ))}
      </ol>
      {renderPages(
        left > 0 ? toPath(String(offset + shown)) : undefined,
        offset > 0 ? toPath('0') : undefined,
      )}
    </>
  )
}

/** Renders a change as a sentence, with the fields that it changed. */
function renderChange(change: StateChange): Html {
  const { kind, subject, ended, before, after } = change
  if (ended)
    return (
      <li>
        {kind === 'grant'
          ? renderGrant('bad', 'revoked', subject)
          : [renderBadge('bad', 'removed'), ' ', renderSubject(change)]}
      </li>
    )
  if (before === null && kind === 'publisher' && after.valid === false)
    return (
      <li>
        {renderBadge('bad', 'invalid')} {renderSubject(change)}: nothing in it can be used yet
      </li>
    )
  if (before === null)
    return (
      <li>
        {kind === 'grant'
          ? renderGrant('good', 'authorized', subject)
          : [renderBadge('good', 'new'), ' ', renderSubject(change)]}
      </li>
    )
  const fields = compareDocuments(before, after)
  const found = findStatusChange(change)
  if (found !== undefined) return renderStatusChange(change, found, omitStatusFields(fields))
  return (
    <li>
      {renderBadge('change', 'changed')} {renderSubject(change)}
      {renderChangedFields(fields, true)}
    </li>
  )
}

/** Renders a removal or a return in one line; a reader opens what else changed. */
function renderStatusChange(
  change: StateChange,
  found: StatusChange,
  others: readonly Change[],
): Html {
  return (
    <li>
      {renderBadge(found.what === 'removed' ? 'bad' : 'good', found.what)} {renderSubject(change)}
      {found.what === 'removed' ? `: ${found.why}` : null}
      {others.length === 0 ? null : renderChangedFields(others)}
    </li>
  )
}

/** Renders what was done with an agent: its verb needs no noun. */
function renderGrant(look: string, verb: string, agent: string): Child {
  return [renderBadge(look, verb), ' ', <strong>{renderAgent(agent)}</strong>]
}

function renderSubject({ kind, subject }: StateChange): Html {
  if (kind === 'publisher') return <strong>{nouns.publisher}</strong>
  return (
    <>
      {nouns[kind]}{' '}
      <strong>{kind === 'grant' ? renderAgent(subject) : renderName(subject, 100)}</strong>
    </>
  )
}
