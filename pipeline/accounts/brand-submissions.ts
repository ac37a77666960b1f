import { hashCanonicalJson } from '../core/canonical-json.ts'
import type { Editor } from '../model/save.ts'
import type { Answer, OperationOf } from '../model/submission.ts'
import type { Sqlite } from '../store/sqlite.ts'
import { ensureEditorId } from './editors.ts'
import type { OperationDefinitions } from './operation-definition.ts'
import { type Review, submitReview } from './reviews.ts'
import type { AccountStamp } from './stamp.ts'

/** The part of a submitted brand that is saved on approval, with its editor. */
type Payload = Omit<OperationOf<'brand.submit'>, 'op' | 'revision_id' | 'domain' | 'editor'> & {
  editor_kind: Editor['kind']
}

/** An approved brand, as the save that it becomes. */
export interface ApprovedBrand {
  save: OperationOf<'brand.save'>
  /** The public id of the submitter. */
  editor_id: string
}

/** Submits a brand that the submitter need not own. It is hidden until a moderator approves it. */
export function submitBrand(
  db: Sqlite,
  operation: OperationOf<'brand.submit'>,
  stamp: AccountStamp,
): Answer {
  const { op: _, revision_id: review_id, domain, editor, ...details } = operation
  const payload: Payload = { ...details, editor_kind: editor.kind }
  const { id: submitted_by, org_id } = editor
  const review = { kind: 'brand', subject: domain, submitted_by, org_id } as const
  const digest = hashCanonicalJson({ domain, ...details })
  const id = submitReview(db, { ...review, review_id, digest, payload: { ...payload } }, stamp)
  return { done: { review_id: id, domain } }
}

/** Approves a submitted brand; the index saves it in the same commit (`listApprovedSince`). */
export function approveBrand(
  db: Sqlite,
  { subject, submitted_by: id, org_id, payload }: Review,
  stamp: AccountStamp,
): Answer {
  const { editor_kind: kind } = payload as unknown as Payload
  ensureEditorId(db, { kind, id, org_id }, stamp)
  return { done: { domain: subject } }
}

export function rejectBrand(_db: Sqlite, { subject }: Review): Answer {
  return { done: { domain: subject } }
}

/** Lists brands that were approved after a commit and, if given, up to another one. */
export function listApprovedSince(
  db: Sqlite,
  seq: number,
  last = Number.MAX_SAFE_INTEGER,
): ApprovedBrand[] {
  const rows = db.all<Review & { editor_id: string }>(
    `select review_id, subject, submitted_by, r.org_id, payload, e.editor_id from reviews r
     join editors e on e.principal_id = r.submitted_by and e.org_id is not distinct from r.org_id
       and e.kind = r.payload->>'editor_kind'
     where r.kind = 'brand' and r.status = 'approved' and r.seq > $seq and r.seq <= $last
     order by review_id`,
    { seq, last },
  )
  return rows.map(({ review_id, subject, submitted_by, org_id, payload, editor_id }) => {
    const { editor_kind: kind, ...details } = payload as unknown as Payload
    const editor = { kind, id: submitted_by, org_id }
    const domain = subject as ApprovedBrand['save']['domain']
    return {
      editor_id,
      save: { op: 'brand.save', revision_id: review_id, domain, editor, ...details },
    }
  })
}

/** Lists those of these domains whose brand waits for review. */
export function listWaitingBrands(db: Sqlite, domains: readonly string[]): ReadonlySet<string> {
  const rows = db.all<{ subject: string }>(
    `select subject from reviews where kind = 'brand' and status = 'pending'
       and subject in (select value from json_each($domains))`,
    { domains },
  )
  return new Set(rows.map(({ subject }) => subject))
}

export const brandSubmissionDefinitions: OperationDefinitions<'brand.submit'> = {
  'brand.submit': {
    perform: submitBrand,
    requires: { membershipIn: ({ editor }) => editor.org_id },
    irreversible: 'decide its review',
  },
}
