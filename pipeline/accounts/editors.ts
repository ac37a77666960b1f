import { randomUUID } from 'node:crypto'
import type { Editor } from '../model/save.ts'
import type { Sqlite } from '../store/sqlite.ts'
import type { AccountStamp } from './stamp.ts'

/** Ensures that an editor has a public id, which reveals nothing about the person. */
export function ensureEditorId(db: Sqlite, editor: Editor, stamp: AccountStamp): string {
  const { kind, id, org_id } = editor
  const found = findEditor(db, editor)
  if (found !== undefined) return found.editor_id
  const editor_id = stamp.editorId ?? randomUUID()
  db.insert('editors', [{ editor_id, kind, principal_id: id, org_id, seq: stamp.seq }])
  return editor_id
}

function findEditor(db: Sqlite, { kind, id, org_id }: Editor): { editor_id: string } | undefined {
  return db.one(
    `select editor_id from editors
     where kind = $kind and principal_id = $id and org_id is not distinct from $org_id`,
    { kind, id, org_id },
  )
}

/** Rows of SQL: editors by their public ids or those of their keys, with the organization for which they edit. */
export const EDITORS = `(select editor_id, org_id from editors where org_id is not null
  union all select key_id, org_id from api_keys)`

/** Loads the names of editors: the name of the organization for which they edit. */
export function loadEditorNames(db: Sqlite, ids: readonly string[]): Map<string, string> {
  const rows = db.all<{ editor_id: string; name: string }>(
    `select editor_id, coalesce(o.name, 'a deleted organization') as name
     from ${EDITORS} left join organizations o using (org_id)
     where editor_id in (select value from json_each($ids))`,
    { ids: JSON.stringify(ids) },
  )
  return new Map(rows.map(({ editor_id, name }) => [editor_id, name]))
}

/** Lists the editors whose organization was renamed or deleted in these commits. */
export function listRenamedEditors(db: Sqlite, commits: { seq: number; last: number }): string[] {
  const rows = db.all<{ editor_id: string }>(
    `select editor_id from ${EDITORS} where org_id in (
       select answer ->> '$.done.org_id' from submissions
       where seq > $seq and seq <= $last
         and +operation in ('organization.rename', 'organization.delete'))`,
    commits,
  )
  return rows.map(({ editor_id }) => editor_id)
}

/** Loads contacts by their ids. */
export function loadContacts(db: Sqlite, ids: readonly string[]): Map<string, object> {
  if (ids.length === 0) return new Map()
  const rows = db.all<{ contact_id: string; contact: object }>(
    `select contact_id, contact from property_contacts
     where contact_id in (select value from json_each($ids))`,
    { ids: JSON.stringify(ids) },
  )
  return new Map(rows.map(({ contact_id, contact }) => [contact_id, contact]))
}
