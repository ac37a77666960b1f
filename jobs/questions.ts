import type { Clock, Instant } from '../pipeline/core/clock.ts'
import { type AuditWanted, auditRows } from '../pipeline/index/accounts/audit.ts'
import { auditDetail } from '../pipeline/index/audit-detail.ts'
import { crawlSummary } from '../pipeline/index/crawl-summary.ts'
import { heldRows } from '../pipeline/index/held.ts'
import type { Sequencer } from '../pipeline/index/sequencer.ts'
import { verify } from '../pipeline/index/verify.ts'

/** What may be asked of a running indexer. Nobody commits while it looks. */
export type Question =
  | { ask: 'verify' }
  | { ask: 'crawl_summary'; since: Instant; withFaults: boolean }
  | { ask: 'held' }
  | { ask: 'audit'; wanted: AuditWanted }
  | { ask: 'audit_detail'; id: string }
  /** Copies the stores to a folder of the indexer's host; answers with the manifest, or what is in the way. */
  | { ask: 'backup'; dir: string }
  /** Publishes a snapshot of what is committed, without waiting for its time, search included. */
  | { ask: 'publish' }

export function answerQuestion(
  question: Question,
  sequencer: Sequencer,
  clock: Clock,
): Promise<unknown> {
  switch (question.ask) {
    case 'publish':
      return sequencer.publish().then(() => sequencer.searchable())
    case 'backup':
      return sequencer.backUp(question.dir).catch(error => ({ failed: String(error.message) }))
    case 'verify':
      return sequencer.quietly(() => verify(sequencer))
    case 'held':
      return sequencer.quietly(() => heldRows(sequencer.index))
    case 'audit':
      return sequencer.quietly(() => auditRows(sequencer.accounts.db, question.wanted))
    case 'audit_detail':
      return sequencer.quietly(() => auditDetail(sequencer, question.id))
    case 'crawl_summary':
      return sequencer.quietly(() =>
        crawlSummary(sequencer.index, question.since, clock.now(), question),
      )
  }
}
