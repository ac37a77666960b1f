import { z } from 'zod'
import { FreshnessBlock } from './answers.ts'

const text = z.string()
const count = z.int().nonnegative()

export const Revision = z
  .looseObject({
    revision_number: count,
    editor_name: text,
    edit_summary: text,
    source: text,
    is_rollback: z.boolean(),
    /** Of a rollback: the revision that was restored. */
    rolled_back_to: count.optional(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Revision', description: 'One save of an entry; `system` edits are automated' })
export type Revision = z.infer<typeof Revision>

export const History = z
  .looseObject({
    domain: text,
    total: count,
    revisions: z.array(Revision),
    freshness: FreshnessBlock.optional(),
  })
  .meta({ id: 'History', description: 'How an entry was edited after it was made, newest first' })
export type History = z.infer<typeof History>

/** Who edited is an id that says nothing by itself; `system` for automation. */
const revisionFields = {
  revision_number: count,
  editor_id: text,
  edit_summary: text,
  source: text,
  is_rollback: z.boolean(),
  rolled_back_to: count.optional(),
  created_at: z.iso.datetime(),
}

export const RevisionList = z
  .looseObject({
    domain: text,
    total: count,
    revisions: z.array(z.looseObject(revisionFields)),
  })
  .meta({
    id: 'RevisionList',
    description: 'Every revision of an entry, the one that made it too, newest first',
  })

export const RevisionHeld = z
  .looseObject({
    domain: text,
    ...revisionFields,
    content: z
      .looseObject({ brand_name: text.optional(), document: z.record(text, z.unknown()) })
      .nullable(),
  })
  .meta({
    id: 'RevisionHeld',
    description: 'A revision with what the entry said after it; null where that is not shown',
  })
