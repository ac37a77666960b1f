import type { Answer, OperationOf } from '../model/submission.ts'
import type { Sqlite } from '../store/sqlite.ts'
import { ensureEditorId } from './editors.ts'
import { invertRevision, type OperationDefinitions } from './operation-definition.ts'
import type { AccountStamp } from './stamp.ts'
import { recordStrangerItem } from './stranger-items.ts'

type Save = OperationOf<'brand.save' | 'property.save' | 'entry.rollback'>

/** Records the private part of a save: the editor and the contact. The index holds the rest. */
export function recordSave(db: Sqlite, save: Save, stamp: AccountStamp): Answer {
  const { revision_id, domain } = save
  const editor_id = ensureEditorId(db, save.editor, stamp)
  if (save.op === 'property.save' && save.contact !== undefined) {
    const contact = { contact_id: revision_id, domain, contact: save.contact, seq: stamp.seq }
    db.insert('property_contacts', [contact])
  }
  return { done: { domain, revision_id, editor_id } }
}

/** Records for whom a brand was looked up; a refresh concerns nobody new. */
function recordEnrichment(
  db: Sqlite,
  { domain, revision_id, caller_hash: caller }: OperationOf<'brand.enrich'>,
  stamp: AccountStamp,
): Answer {
  if (caller !== undefined) recordStrangerItem(db, { kind: 'brand', key: domain }, caller, stamp)
  return { done: { domain, revision_id } }
}

export const saveDefinitions: OperationDefinitions<
  'brand.save' | 'brand.enrich' | 'property.save' | 'entry.rollback'
> = {
  'brand.save': {
    perform: recordSave,
    requires: { membershipIn: ({ editor }) => editor.org_id },
    invert: ({ domain, revision_id }, known) => invertRevision('brand', domain, revision_id, known),
  },
  'brand.enrich': {
    perform: recordEnrichment,
    invert: ({ domain, revision_id }, known) => invertRevision('brand', domain, revision_id, known),
  },
  'property.save': {
    perform: recordSave,
    requires: { membershipIn: ({ editor }) => editor.org_id },
    invert: ({ domain, revision_id }, known) =>
      invertRevision('property', domain, revision_id, known),
  },
  'entry.rollback': {
    perform: recordSave,
    requires: {
      membershipIn: ({ editor }) => editor.org_id,
      moderator: ({ moderates }) => moderates,
    },
    invert: ({ entity, domain, revision_id }, known) =>
      invertRevision(entity, domain, revision_id, known),
  },
}
