import { loadEditorNames } from '../../accounts/editors.ts'
import type { Accounts } from '../../accounts/store.ts'
import type { PolicyRow } from '../../model/policy.ts'
import type { EntryState, RevisionRow } from '../../model/rows.ts'
import type { Database } from '../../store/database.ts'
import { toHistoryKey, toJsonValue, toRevisionKey } from '../document-value.ts'
import type { Entry } from '../lmdb.ts'
import type { Scope } from './scope.ts'

/**
 * Projects each revision with the state it left, and the number range of its entry. Names of editors are
 * private: they are looked up here and are in no table of the index.
 */
export async function projectRevisions(
  index: Database,
  accounts: Accounts,
  { revisions, parameters }: Scope,
): Promise<Entry[]> {
  const rows = await index.all<RevisionRow>(
    `select * from revisions where ${revisions}`,
    parameters,
  )
  if (rows.length === 0) return []
  const names = loadEditorNames(accounts.db, [...new Set(rows.map(row => row.editor_id))])
  // The latest of each is among them: numbers rise with the commits, and a slice has all of a domain.
  const last = new Map<string, number>()
  for (const { entity, domain, revision_number } of rows) {
    const key = toHistoryKey(entity, domain)
    last.set(key, Math.max(revision_number, last.get(key) ?? 0))
  }
  return [
    ...rows.map(row => ({
      space: 'revision' as const,
      key: toRevisionKey(row.entity, row.domain, row.revision_number),
      value: toJsonValue(toRevision(row, names)),
    })),
    ...rows.filter(({ entity }) => entity !== 'policy').map(toContentEntry),
    ...[...last].map(([key, number]) => ({
      space: 'revision' as const,
      key,
      value: Buffer.from(String(number)),
    })),
  ]
}

/**
 * Converts a revision to the content of its entry and whether it was public; the contact is stored
 * elsewhere.
 */
function toContentEntry({ entity, domain, revision_number, state }: RevisionRow): Entry {
  const { status, brand_name, document } = state as unknown as EntryState
  const content = { ...(brand_name !== null && { brand_name }), document }
  return {
    space: 'revision_content',
    key: toRevisionKey(entity, domain, revision_number),
    value: Buffer.from(JSON.stringify({ status, content })),
  }
}

/** Converts a row to a revision. An editor without a credential is shown as `system`, like automation. */
function toRevision(row: RevisionRow, names: ReadonlyMap<string, string>) {
  return {
    revision_number: row.revision_number,
    editor_id: row.editor_id,
    editor_name: names.get(row.editor_id) ?? 'system',
    edit_summary: row.edit_summary,
    source: row.source,
    is_rollback: row.is_rollback,
    ...(row.rolled_back_to === null ? {} : { rolled_back_to: row.rolled_back_to }),
    created_at: row.created_at,
  }
}

/** Projects policies as they are shown. A rejected one had a single revision, which is removed with it. */
export async function projectPolicies(
  index: Database,
  policies: readonly string[],
): Promise<Entry[]> {
  const rows = await index.all<PolicyRow & { key: string }>(
    `select k.value as key, p.* from json_each($policies) k
     left join shown_policies p on p.policy_id = k.value`,
    { policies: JSON.stringify(policies) },
  )
  return rows.flatMap(({ key, seq: _, ...policy }): Entry[] =>
    policy.policy_id === null
      ? [
          { space: 'policy', key, value: undefined },
          { space: 'revision', key: toHistoryKey('policy', key), value: undefined },
          { space: 'revision', key: toRevisionKey('policy', key, 1), value: undefined },
        ]
      : [{ space: 'policy', key, value: toJsonValue(policy) }],
  )
}
