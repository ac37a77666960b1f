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
  { revisions, parameters }: Scope,
): Promise<Entry[]> {
  const rows = await index.all<RevisionRow>(
    `select * exclude (state) from revisions where ${revisions}`,
    parameters,
  )
  if (rows.length === 0) return []
  const names = await editorNames(accounts.db, [...new Set(rows.map(row => row.editor_id))])
  const last = await index.all<{ entity: RevisionRow['entity']; domain: string; number: number }>(
    `select entity, domain, max(revision_number)::double as number from revisions
     where (entity, domain) in (select entity, domain from revisions where ${revisions})
     group by entity, domain`,
    parameters,
  )
  return [
    ...rows.map(row => ({
      space: 'revision' as const,
      key: revisionKey(row.entity, row.domain, row.revision_number),
      value: Buffer.from(JSON.stringify(revisionOf(row, names))),
    })),
    ...last.map(({ entity, domain, number }) => ({
      space: 'revision' as const,
      key: historyKey(entity, domain),
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
