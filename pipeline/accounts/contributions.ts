import { hashCanonicalJson } from '../core/canonical-json.ts'
import { toIso } from '../core/clock.ts'
import type { Dispute } from '../model/contribution.ts'
import type { Answer, OperationOf } from '../model/submission.ts'
import type { Sqlite } from '../store/sqlite.ts'
import type { OperationDefinitions } from './operation-definition.ts'
import { type Review, submitReview } from './reviews.ts'
import type { AccountStamp } from './stamp.ts'

/** Records who contributed, which is private; the index holds what was contributed. */
export function recordContribution(
  db: Sqlite,
  operation: OperationOf<'property.contribute'>,
  { now, seq }: AccountStamp,
): Answer {
  const { contribution_id, contributor, provenance, contributed } = operation
  const { kind, id: principal_id, org_id } = contributor
  const property_rids = contributed.map(({ property_rid }) => property_rid)
  const row = { contribution_id, kind, principal_id, org_id, provenance, property_rids, seq }
  db.insert('contributions', [{ ...row, contributed_at: toIso(now) }])
  return { done: { contribution_id } }
}

/** Files a dispute. An organization has at most one open dispute of a record. */
export function fileDispute(
  db: Sqlite,
  { op: _, review_id, reporter, suspends, ...dispute }: OperationOf<'dispute.file'>,
  stamp: AccountStamp,
): Answer {
  const { dispute_type, subject_type, subject_value } = dispute
  const subject = `${dispute_type} ${subject_type} ${subject_value}`
  const payload: Dispute = dispute
  const { id: submitted_by, org_id } = reporter
  const review = { kind: 'dispute', subject, submitted_by, org_id } as const
  const digest = hashCanonicalJson(payload)
  const dispute_id = submitReview(
    db,
    { ...review, review_id, digest, payload: { ...payload } },
    stamp,
  )
  if (suspends !== undefined) {
    db.run('delete from suspended_links where review_id = $dispute_id', {
      dispute_id,
    })
    const link = { review_id: dispute_id, property_rid: suspends, lifted: false, seq: stamp.seq }
    db.insert('suspended_links', [link])
  }
  return { done: { dispute_id } }
}

/** Upholds a dispute: a suspension stays, and other commands, such as a merge, correct the rest. */
export function upholdDispute(_db: Sqlite, { subject }: Review): Answer {
  return { done: { subject } }
}

export function rejectDispute(
  db: Sqlite,
  { review_id, subject }: Review,
  { seq }: AccountStamp,
): Answer {
  db.run('update suspended_links set lifted = true, seq = $seq where review_id = $review_id', {
    review_id,
    seq,
  })
  return { done: { subject } }
}

export const catalogDefinitions: OperationDefinitions<'property.contribute' | 'dispute.file'> = {
  'property.contribute': {
    perform: recordContribution,
    requires: { membershipIn: ({ contributor }) => contributor.org_id },
    irreversible: 'assigned ids are permanent: file a dispute about errors',
  },
  'dispute.file': {
    perform: fileDispute,
    requires: { membershipIn: ({ reporter }) => reporter.org_id },
    irreversible: 'decide its review',
  },
}
