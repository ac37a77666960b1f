import { isoOf } from '../../core/clock.ts'
import { digestOf } from '../../core/digest.ts'
import type { Dispute } from '../../model/contribution.ts'
import type { Answer, OperationOf } from '../../model/submission.ts'
import type { Database } from '../duckdb.ts'
import { handIn, type Review } from './reviews.ts'
import type { Stamp } from './stamp.ts'

/** Who contributed is private; what they contributed is the index's. */
export async function recordContribution(
  db: Database,
  operation: OperationOf<'property.contribute'>,
  { now, seq }: Stamp,
): Promise<Answer> {
  const { contribution_id, contributor, provenance, contributed } = operation
  const { kind, id: principal_id, org_id } = contributor
  const property_rids = contributed.map(({ property_rid }) => property_rid)
  const row = { contribution_id, kind, principal_id, org_id, provenance, property_rids, seq }
  await db.insert('contributions', [{ ...row, contributed_at: isoOf(now) }])
  return { done: { contribution_id } }
}

/** What one organization says of one record is one dispute for as long as it is open. */
export async function fileDispute(
  db: Database,
  { op: _, review_id, reporter, suspends, ...dispute }: OperationOf<'dispute.file'>,
  stamp: Stamp,
): Promise<Answer> {
  const { dispute_type, subject_type, subject_value } = dispute
  const subject = `${dispute_type} ${subject_type} ${subject_value}`
  const payload: Dispute = dispute
  const { id: submitted_by, org_id } = reporter
  const review = { kind: 'dispute', subject, submitted_by, org_id } as const
  const digest = digestOf(payload)
  const dispute_id = await handIn(
    db,
    { ...review, review_id, digest, payload: { ...payload } },
    stamp,
  )
  if (suspends !== undefined) {
    await db.run('delete from suspended_links where review_id = $dispute_id', { dispute_id })
    const link = { review_id: dispute_id, property_rid: suspends, lifted: false, seq: stamp.seq }
    await db.insert('suspended_links', [link])
  }
  return { done: { dispute_id } }
}

/** What was suspended stays so; whatever else is wrong is put right by other commands, such as a merge. */
export async function upholdDispute(_db: Database, { subject }: Review): Promise<Answer> {
  return { done: { subject } }
}

export async function rejectDispute(
  db: Database,
  { review_id, subject }: Review,
  { seq }: Stamp,
): Promise<Answer> {
  await db.run(
    'update suspended_links set lifted = true, seq = $seq where review_id = $review_id',
    { review_id, seq },
  )
  return { done: { subject } }
}
