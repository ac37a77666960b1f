import type { RevisionRow } from '../../model/rows.ts'
import { editorNames } from '../accounts/editors.ts'
import type { Accounts } from '../accounts.ts'
import type { Database } from '../duckdb.ts'
import type { Scope } from '../scope.ts'
import type { Entry } from '../serving.ts'
import { historyKey, revisionKey } from '../serving-value.ts'

/**
 * Each revision as histories show it, and how far the numbers of its entry go. Names of editors are
 * private: they are looked up here and stand in no table of the index.
 */
export async function revisionEntries(
  index: Database,
  accounts: Accounts,
  { revisions, newRevisions, parameters, planning }: Scope,
): Promise<Entry[]> {
  const rows =
    newRevisions ??
    (await index.all<RevisionRow>(
      `select * exclude (state) from revisions where ${revisions}`,
      parameters,
      planning,
    ))
  if (rows.length === 0) return []
  const names = await editorNames(accounts.db, [...new Set(rows.map(row => row.editor_id))])
  // The latest of each is among them: numbers rise with the commits, and a slice has all of a domain.
  const last = new Map<string, number>()
  for (const { entity, domain, revision_number } of rows) {
    const key = historyKey(entity, domain)
    last.set(key, Math.max(revision_number, last.get(key) ?? 0))
  }
  return [
    ...rows.map(row => ({
      space: 'revision' as const,
      key: revisionKey(row.entity, row.domain, row.revision_number),
      value: Buffer.from(JSON.stringify(revisionOf(row, names))),
    })),
    ...[...last].map(([key, number]) => ({
      space: 'revision' as const,
      key,
      value: Buffer.from(String(number)),
    })),
  ]
}

/** An editor that no credential names any more is shown as `system`, as automation is. */
function revisionOf(row: RevisionRow, names: ReadonlyMap<string, string>) {
  return {
    revision_number: row.revision_number,
    editor_name: names.get(row.editor_id) ?? 'system',
    edit_summary: row.edit_summary,
    source: row.source,
    is_rollback: row.is_rollback,
    ...(row.rolled_back_to === null ? {} : { rolled_back_to: row.rolled_back_to }),
    created_at: row.created_at,
  }
}
