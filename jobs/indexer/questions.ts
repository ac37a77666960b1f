import { type AuditWanted, listAuditRows } from '../../pipeline/accounts/audit.ts'
import { type KeysWanted, listActiveKeys } from '../../pipeline/accounts/organizations.ts'
import type { Clock, Instant } from '../../pipeline/core/clock.ts'
import type { Domain } from '../../pipeline/core/domain.ts'
import {
  type FailureGrouping,
  reportFailures,
} from '../../pipeline/maintenance/inspect/crawl-failures.ts'
import { reportDomain } from '../../pipeline/maintenance/inspect/domain-report.ts'
import type { IndexStatus } from '../../pipeline/maintenance/inspect/index-status.ts'
import { readIndexStatusBeside } from '../../pipeline/maintenance/inspect/index-status-beside.ts'
import { previewTakedown } from '../../pipeline/maintenance/inspect/takedown-preview.ts'
import { checkBodies } from '../../pipeline/maintenance/verify/check-bodies.ts'
import { describeUnreadable, verify } from '../../pipeline/maintenance/verify-stores.ts'
import { loadAuditDetail } from '../../pipeline/writer/community/audit-detail.ts'
import { crawlSummary } from '../../pipeline/writer/crawl/crawl-summary.ts'
import { loadHeldRows } from '../../pipeline/writer/crawl/held-publishers.ts'
import type { Sequencer } from '../../pipeline/writer/sequencer.ts'

/** Questions of the command line to a running indexer. Those about the index are answered while no commit runs. */
export type Question =
  | { ask: 'verify' }
  | { ask: 'crawl_summary'; since: Instant; withFaults: boolean }
  | { ask: 'held' }
  | { ask: 'status' }
  /** Crawl record of a domain. */
  | { ask: 'domain'; domain: Domain }
  | { ask: 'takedown_preview'; domain: Domain }
  | { ask: 'failures'; by: FailureGrouping; limit: number }
  /** Active keys, or null where the organization is unknown. */
  | ({ ask: 'keys' } & KeysWanted)
  | { ask: 'audit'; filter: AuditWanted }
  | { ask: 'audit_detail'; id: string }
  /**
   * Copies the stores to a folder of the indexer's host; answers with the manifest, or with the
   * reason why not.
   */
  | { ask: 'backup'; dir: string }
  /** Publishes a snapshot and its search file at once. */
  | { ask: 'publish' }

/** State of the copies elsewhere, of those that are set. */
export type CopyStatus = Pick<IndexStatus, 'upload' | 'backup'>

export async function answerQuestion(
  question: Question,
  sequencer: Sequencer,
  clock: Clock,
  readCopies: () => CopyStatus,
): Promise<unknown> {
  switch (question.ask) {
    case 'publish':
      return sequencer.publish().then(() => sequencer.searchable())
    case 'backup':
      return sequencer.backUp(question.dir).catch(error => ({ failed: String(error.message) }))
    case 'verify':
      return verifyRunning(sequencer)
    case 'held':
      return sequencer.quietly(() => loadHeldRows(sequencer.index))
    case 'status':
      return reportStatus(sequencer, clock, readCopies())
    case 'domain':
      return sequencer.quietly(() =>
        reportDomain({ index: sequencer.index, accounts: sequencer.accounts.db }, question.domain),
      )
    case 'takedown_preview':
      return sequencer.quietly(() => previewTakedown(sequencer.index, question.domain))
    case 'failures':
      return sequencer.quietly(() => reportFailures(sequencer.index, question.by, question.limit))
    case 'keys':
      return listActiveKeys(sequencer.accounts.db, question)
    case 'audit':
      return listAuditRows(sequencer.accounts.db, question.filter)
    case 'audit_detail':
      return sequencer.quietly(() => loadAuditDetail(sequencer, question.id))
    case 'crawl_summary':
      return sequencer.quietly(() =>
        crawlSummary(sequencer.index, question.since, clock.now(), question),
      )
  }
}

/** Verifies the stores while no commit runs, and then the documents as fetched: these are many, and no commit changes one. */
async function verifyRunning(sequencer: Sequencer): Promise<string[]> {
  const faults = await sequencer.quietly(() => verify(sequencer, { skipped: ['bodies'] }))
  const damaged = await checkBodies(sequencer).catch(error => [describeUnreadable('bodies', error)])
  return [...faults, ...damaged]
}

async function reportStatus(
  { index, treeLog }: Sequencer,
  clock: Clock,
  copies: CopyStatus,
): Promise<IndexStatus> {
  const { stop } = treeLog
  return {
    ...(await readIndexStatusBeside(index.file, clock.now())),
    ...(stop && { [stop.isWaiting ? 'log_waits_for' : 'log_problem']: stop.why }),
    ...copies,
  }
}
