import type { History, RevisionHeld } from '../../../pipeline/model/responses/history.ts'
import type { EntryRow } from '../../../pipeline/model/rows.ts'
import type { FileRecord } from '../../../pipeline/read/lookups/file-records.ts'
import { countRevisions } from '../../../pipeline/read/lookups/revisions.ts'
import type { Operation } from '../../operation/operation.ts'
import type { Reply } from '../ask.ts'
import { Fragment, type Html, h } from '../html/jsx.ts'
import { fitItems, renderMoment, renderName } from '../html/text.tsx'
import type { ViewCall } from '../view.ts'
import { renderChangedFields } from './changed-fields.tsx'
import { type Change, compareFiles } from './compare-documents.ts'
import { toHistoryPath } from './paths.ts'
import { buildVersionFile } from './version-file.ts'

type Edit = History['revisions'][number] & {
  /** Fields that it changed; undefined where its content is not shown, or was not compared. */
  changes: Change[] | undefined
}

export type Edits = readonly Edit[]

const EDITS = 10
/** Edits whose content is read. */
const COMPARED = 4
/** Edits that stay open. */
const EDITS_OPEN = 2

/** Kind of entry, and the operations that tell of its edits. */
interface Editable {
  entity: EntryRow['entity']
  list: Operation
  read: Operation
}

/**
 * Loads the last edits of an entry, the newest with their changes; needs no further request if there are
 * none.
 */
export async function loadEdits(
  { ask, services }: Pick<ViewCall, 'ask' | 'services'>,
  { entity, ...operations }: Editable,
  domain: string,
): Promise<Edit[]> {
  if (countRevisions(services.reader, entity, domain) === 0) return []
  const query = { domain, limit: String(EDITS) }
  const listed = await ask<History>(operations.list, { query })
  if (listed.status !== 200) return []
  const { revisions } = listed.body
  const contents = await Promise.all(
    revisions
      .slice(0, COMPARED + 1)
      .map(({ revision_number: number }) =>
        ask<RevisionHeld>(operations.read, { params: { domain, number: String(number) } }),
      ),
  )
  return revisions.map((revision, at) => ({
    ...revision,
    changes: findChanges(entity, contents[at + 1], contents[at]),
  }))
}

/** Finds what an edit changed in the file that is served, as its review showed it. */
function findChanges(
  entity: EntryRow['entity'],
  before: Reply<RevisionHeld> | undefined,
  after: Reply<RevisionHeld> | undefined,
): Change[] | undefined {
  if (before?.status !== 200 || after?.status !== 200) return undefined
  const old = buildVersionFile(entity, before.body)
  const now = buildVersionFile(entity, after.body)
  return old && now && compareFiles(old, now)
}

/** Renders edits as a timeline, the newest first. */
function renderEdits(edits: readonly Edit[]): Html {
  const { rows } = fitItems(
    edits,
    ({ created_at, edit_summary, editor_name, changes, revision_number }) => (
      <li>
        <h3>{renderMoment(created_at)}</h3>
        <p>
          {renderName(edit_summary, 200)}{' '}
          <span class="quiet">
            Version {revision_number}, by {renderName(editor_name, 80)}
          </span>
        </p>
        {changes === undefined || changes.length === 0 ? null : renderChangedFields(changes)}
      </li>
    ),
    { bytes: 9_000 },
  )
  const later = rows.slice(EDITS_OPEN)
  return (
    <>
      <ol class="timeline">{rows.slice(0, EDITS_OPEN)}</ol>
      {later.length === 0 ? null : (
        <details>
          <summary>Show {later.length} more</summary>
          <ol class="timeline">{later}</ol>
        </details>
      )}
    </>
  )
}

/** Renders when the file changed, the edits of the entry, and the way to every state that the thing was in. */
export function renderHistory(
  kind: 'brand' | 'publisher',
  domain: string,
  edits: readonly Edit[],
  file: FileRecord | null | undefined,
): Html {
  return (
    <>
      <p>
        {!file ? (
          edits.length === 0 && 'The registry has never read a valid file from this domain. '
        ) : (
          <>
            File first read: {renderMoment(file.first_seen_at)}.{' '}
            {file.changed_at === file.first_seen_at ? (
              'It hasn’t changed since. '
            ) : (
              <>Last change: {renderMoment(file.changed_at)}. </>
            )}
          </>
        )}
        <a href={toHistoryPath(kind, domain)}>View full history</a>
      </p>
      {edits.length === 0 ? null : (
        <>
          <h3>Edits</h3>
          {renderEdits(edits)}
        </>
      )}
    </>
  )
}
