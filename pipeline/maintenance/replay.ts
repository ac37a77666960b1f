import type { AuditRow } from '../accounts/audit.ts'
import { listApprovedSince } from '../accounts/brand-submissions.ts'
import {
  listDecisionsSince,
  loadPublicationsSince,
  nothingPublished,
} from '../accounts/publications.ts'
import { getFirst } from '../core/present.ts'
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
 * Applies to the index every submission that the accounts have answered and the index lacks, commit by commit
 * in the original order. Each keeps its id, so accounts and answers stay as they are, and revisions keep their
 * times. A merge of records that the restored index does not have fails.
 */
export async function replay(sequencer: Sequencer): Promise<Replayed> {
  const result: Replayed = { replayed: 0, failed: [] }
  const unknown = await listUnknownSubmissions(sequencer)
  if (unknown.length > 0) {
    const publications = loadPublicationsSince(sequencer.accounts.db, 0)
    if (publications) {
      // Approved brands are saves, so each is applied at its original position below.
      const published = { ...publications, brands: [] }
      await sequencer.commit({ observations: [], submissions: [], publications: published })
    }
  }
  for (const [seq, rows] of Map.groupBy(unknown, row => row.seq)) {
    const all = rows.map(toSubmission)
    const refused = await findRefusedMerges(sequencer.index, all)
    const submissions = all.filter(({ submission_id }) => !refused.has(submission_id))
    if (submissions.length > 0) {
      const submittedAt = Date.parse(getFirst(rows).submitted_at)
      const decisions = listDecisionsSince(sequencer.accounts.db, seq - 1, seq)
      // A domain that was readmitted later is not on the list of take-downs, but its earlier data must not return.
      const takedowns = submissions.flatMap(({ operation }) =>
        operation.op === 'domain.takedown' ? [operation.domain] : [],
      )
      const brands = listApprovedSince(sequencer.accounts.db, seq - 1, seq)
      const publications = { ...nothingPublished, brands }
      const original = { submittedAt, decisions, takedowns, publications }
      const batch = { observations: [], submissions, ...original }
      await sequencer.commit({ ...batch, actor: 'api:submission' })
    }
    result.replayed += submissions.length
    result.failed.push(...refused.keys())
  }
  return result
}

/** Restores a submission from the audit. The fields that the audit omits do not affect the index. */
function toSubmission({ submission_id, operation, content }: LostSubmission): Submission {
  return { submission_id, operation: { op: operation, ...content } } as Submission
}

async function listUnknownSubmissions({ index, accounts }: Sequencer): Promise<LostSubmission[]> {
  const unknown = new Set(await listUnknownToIndex(index, accounts.db))
  if (unknown.size === 0) return []
  const done = accounts.db.all<LostSubmission>(
    `select submission_id, submitted_at, operation, content, seq from submissions
     where (answer->'done') is not null order by seq, rowid`,
  )
  return done.filter(({ submission_id }) => unknown.has(submission_id))
}
