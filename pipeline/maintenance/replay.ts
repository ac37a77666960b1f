import type { AuditRow } from '../accounts/audit.ts'
import { listApprovedSince } from '../accounts/brand-submissions.ts'
import {
  listDecisionsSince,
  loadPublicationsSince,
  nothingPublished,
} from '../accounts/publications.ts'
import { groupBy } from '../core/group.ts'
import type { Submission } from '../model/submission.ts'
import { findRefusedMerges } from '../writer/entities/refused-merges.ts'
import { listUnknownToIndex } from '../writer/healing/facts.ts'
import type { Sequencer } from '../writer/sequencer.ts'

/** Result of a replay: how many submissions were carried out again, and the ids of those that could not be. */
export interface Replayed {
  replayed: number
  failed: string[]
}

type LostSubmission = Pick<
  AuditRow,
  'submission_id' | 'submitted_at' | 'operation' | 'content' | 'seq'
>

/**
 * Carries out again what the accounts answered and the index does not know, commit by commit in the
 * original order. Each submission keeps its id, so the accounts and their answers stay as they are, and a
 * revision keeps its time. A merge of records that are newer than the restored index cannot be repeated.
 */
export async function replay(sequencer: Sequencer): Promise<Replayed> {
  const came: Replayed = { replayed: 0, failed: [] }
  const unknown = await listUnknownSubmissions(sequencer)
  if (unknown.length > 0) {
    const publications = await loadPublicationsSince(sequencer.accounts.db, 0)
    if (publications) {
      // Approved brands are saves: each comes at its original position.
      const published = { ...publications, brands: [] }
      await sequencer.commit({ observations: [], submissions: [], publications: published })
    }
  }
  for (const [seq, rows] of groupBy(unknown, row => row.seq)) {
    const all = rows.map(toSubmission)
    const refused = await findRefusedMerges(sequencer.index, all)
    const submissions = all.filter(({ submission_id }) => !refused.has(submission_id))
    if (submissions.length > 0) {
      const submittedAt = Date.parse(rows[0]!.submitted_at)
      const decisions = await listDecisionsSince(sequencer.accounts.db, seq - 1, seq)
      // A domain that was readmitted since is on no list, and yet its earlier data must not come back.
      const takedowns = submissions.flatMap(({ operation }) =>
        operation.op === 'domain.takedown' ? [operation.domain] : [],
      )
      const brands = await listApprovedSince(sequencer.accounts.db, seq - 1, seq)
      const publications = { ...nothingPublished, brands }
      const asThen = { submittedAt, decisions, takedowns, publications }
      const batch = { observations: [], submissions, ...asThen }
      await sequencer.commit({ ...batch, actor: 'api:submission' })
    }
    came.replayed += submissions.length
    came.failed.push(...refused.keys())
  }
  return came
}

/** Restores the submission. Fields left out of the audit are of no use to the index. */
function toSubmission({ submission_id, operation, content }: LostSubmission): Submission {
  return { submission_id, operation: { op: operation, ...content } } as Submission
}

async function listUnknownSubmissions({ index, accounts }: Sequencer): Promise<LostSubmission[]> {
  const unknown = new Set(await listUnknownToIndex(index, accounts.db))
  if (unknown.size === 0) return []
  const done = await accounts.db.all<LostSubmission>(
    `select submission_id, submitted_at, operation, content, seq from submissions
     where (answer->'done') is not null order by seq, rowid`,
  )
  return done.filter(({ submission_id }) => unknown.has(submission_id))
}
