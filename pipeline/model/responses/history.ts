import { z } from 'zod'
import {
  Editor,
  EditSummary,
  IsRollback,
  pageEnd,
  RevisionNumber,
  RolledBackTo,
} from '../shared-fields.ts'
import { FreshnessBlock } from './freshness.ts'

const text = z.string()
const count = z.int().nonnegative()

const Domain = text.describe('Domain of the entry, normalized')
const EditedAt = z.iso.datetime().describe('Time of the edit')
const Source = text.describe('Source of the entry after the edit: `community` or `enriched`')

export const Revision = z
  .looseObject({
    revision_number: RevisionNumber,
    editor_name: text.describe(
      'Name of the organization that edited; `system` for the registry itself',
    ),
    edit_summary: EditSummary,
    source: Source,
    is_rollback: IsRollback,
    rolled_back_to: RolledBackTo,
    created_at: EditedAt,
  })
  .meta({ id: 'Revision', description: 'One save of an entry; `system` edits are automated' })
export type Revision = z.infer<typeof Revision>

export const History = z
  .looseObject({
    domain: Domain,
    total: count.describe('Number of revisions on all pages'),
    revisions: z.array(Revision).describe('Revisions on this page, newest first'),
    ...pageEnd,
    freshness: FreshnessBlock.optional(),
  })
  .meta({ id: 'History', description: 'Edits to an entry, including its creation, newest first' })
export type History = z.infer<typeof History>

/** Fields of a revision. The editor is an opaque id; `system` stands for the registry itself. */
const revisionFields = {
  revision_number: RevisionNumber,
  editor_id: Editor,
  edit_summary: EditSummary,
  source: Source,
  is_rollback: IsRollback,
  rolled_back_to: RolledBackTo,
  created_at: EditedAt,
}

export const RevisionList = z
  .looseObject({
    domain: Domain,
    total: count.describe('Number of revisions on all pages'),
    revisions: z
      .array(z.looseObject(revisionFields))
      .describe('Revisions on this page, newest first'),
    ...pageEnd,
  })
  .meta({
    id: 'RevisionList',
    description: 'Every revision of an entry, including the first, newest first',
  })
export type RevisionList = z.infer<typeof RevisionList>

export const RevisionHeld = z
  .looseObject({
    domain: Domain,
    ...revisionFields,
    content: z
      .looseObject({
        brand_name: text.optional().describe('Name of the brand; absent for properties'),
        document: z.record(text, z.unknown()).describe('Content of the entry as saved'),
      })
      .nullable()
      .describe('Content of the entry after the edit; null if it is not shown'),
  })
  .meta({ id: 'RevisionHeld', description: 'A revision with the entry’s content after it' })
export type RevisionHeld = z.infer<typeof RevisionHeld>
