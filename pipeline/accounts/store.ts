import { toIso } from '../core/clock.ts'
import { deriveId } from '../core/uuid-v7.ts'
import type { Answer, Refusal, SaveVerdicts, Submission } from '../model/submission.ts'
import { openRecord, openRecordReadOnly, type TellIndexes } from '../store/record.ts'
import type { Sqlite } from '../store/sqlite.ts'
import { type KnownVerdicts, listTestedAgents, loadVerdicts } from './agents/verdicts.ts'
import { type AuditRow, toAuditColumns } from './audit.ts'
import { performRecorded } from './changed-rows.ts'
import { submitEntryReview } from './entry-reviews.ts'
import { findLostRight } from './lost-rights.ts'
import type { RowChange } from './operation-definition.ts'
import { getDefinition } from './operations.ts'
import { loadEnrolments } from './shown-agents.ts'
import type { AccountStamp } from './stamp.ts'
import { forgetRequest } from './taken-down-rows.ts'

/** Answers to submissions. */
export interface CarriedOut {
  answers: Map<string, Answer>
  /** Submissions that were carried out for the first time: nothing is derived from them yet. */
  fresh: ReadonlySet<string>
}

/** Verdicts, time and earlier answers by which submissions are carried out. */
interface Carrying extends SaveVerdicts {
  stamp: AccountStamp
  /** Answers that they have got before, on a host that is gone. */
  recorded: ReadonlyMap<string, Answer>
}

const noVerdicts: SaveVerdicts = { refused: new Map(), doubts: new Map() }

/**
 * The private rows of the record: organizations, keys, members, requests. Each submission is remembered here with
 * its answer, so that a second delivery changes nothing.
 */
export class Accounts {
  readonly db: Sqlite

  private constructor(db: Sqlite) {
    this.db = db
  }

  static open(record: string, tell?: TellIndexes): Accounts {
    return new Accounts(openRecord(record, tell))
  }

  /** Opens the record for reading, for a process that may change nothing, not even leave a file beside it. */
  static openReadOnly(record: string): Accounts {
    return new Accounts(openRecordReadOnly(record))
  }

  /**
   * Applies submissions in order, in one transaction; a refused one does not affect the others. A submission that
   * waited while its key was revoked, or its author lost the right to it, is refused, and so are those that the index
   * has `judged` so. An editor without an id gets that of the `recorded` answer.
   */
  apply(
    submissions: readonly Submission[],
    stamp: AccountStamp,
    judged: SaveVerdicts = noVerdicts,
    recorded: ReadonlyMap<string, Answer> = new Map(),
  ): CarriedOut {
    return this.db.transaction(() => {
      const answers = this.#findAnswers(submissions)
      const rows = this.#carryOutAll(submissions, { ...judged, stamp, recorded }, answers)
      this.db.insert('submissions', rows)
      return { answers, fresh: new Set(rows.map(({ submission_id }) => submission_id)) }
    })
  }

  /** Remembers that a submission cannot be applied; returns the answer, or the one that it has already. */
  refuse(submission: Submission, refusal: Refusal, stamp: AccountStamp): Answer {
    const { submission_id: id, digest } = submission
    const known = this.#findAnswers([submission]).get(id)
    if (known) return known
    const answer = digest === undefined ? refusal : { ...refusal, digest }
    const columns = { ...toAuditColumns(submission), answer, changes: null }
    this.db.insert('submissions', [{ ...columns, submitted_at: toIso(stamp.now), seq: stamp.seq }])
    return answer
  }

  /**
   * Loads the public agents of each member that these submissions change. Reads the stored rows
   * instead of the answers, since an old submission may be delivered again after a newer one.
   */
  loadEnrolments(submissions: readonly Submission[], answers: ReadonlyMap<string, Answer>) {
    const touched = submissions.flatMap(({ submission_id, operation }) => {
      const answer = answers.get(submission_id)
      const isEnrolmentChange =
        getDefinition(operation).changesEnrolments && answer && 'done' in answer
      return isEnrolmentChange ? [answer.done.org_id] : []
    })
    const orgs = [...new Set(touched as string[])]
    return orgs.length > 0 ? loadEnrolments(this.db, orgs) : []
  }

  /**
   * Loads the verdicts of agents that these submissions test, or whose visibility they change; undefined if
   * there are none. The current verdict is read, even for a submission that was delivered before.
   */
  loadVerdicts(
    submissions: readonly Submission[],
    answers: ReadonlyMap<string, Answer>,
  ): KnownVerdicts | undefined {
    const agents = new Set<string>()
    const orgs = new Set<string>()
    for (const { submission_id, operation } of submissions) {
      const answer = answers.get(submission_id)
      if (answer === undefined || 'refused' in answer) continue
      const { changesVerdicts, changesEnrolments } = getDefinition(operation)
      const { agent_url, agent_urls = [], org_id } = answer.done
      if (changesVerdicts)
        for (const url of [agent_url ?? [], agent_urls].flat()) agents.add(url as string)
      if (changesEnrolments) orgs.add(org_id as string)
    }
    if (agents.size === 0 && orgs.size === 0) return undefined
    for (const url of listTestedAgents(this.db, [...orgs])) agents.add(url)
    return agents.size > 0 ? loadVerdicts(this.db, [...agents]) : undefined
  }

  close(): void {
    this.db.close()
  }

  #findAnswers(submissions: readonly Submission[]): Map<string, Answer> {
    const rows = this.db.all<{ submission_id: string; answer: Answer }>(
      `select submission_id, answer from submissions
       where submission_id in (select value from json_each($ids))`,
      { ids: submissions.map(({ submission_id }) => submission_id) },
    )
    return new Map(rows.map(({ submission_id, answer }) => [submission_id, answer]))
  }

  /** Adds the answers; returns the new audit rows. */
  #carryOutAll(
    submissions: readonly Submission[],
    { refused, doubts, forgotten, stamp, recorded }: Carrying,
    answers: Map<string, Answer>,
  ): AuditRow[] {
    const submitted_at = toIso(stamp.now)
    const rows: AuditRow[] = []
    for (const submission of submissions) {
      const { submission_id: id } = submission
      if (answers.has(id)) continue
      const revoked = findLostRight(this.db, submission, rows)
      if (revoked) {
        // Not stored: another credential may send it again with the same Idempotency-Key.
        answers.set(id, revoked)
        continue
      }
      const known = { refusal: refused.get(id), doubt: doubts.get(id) }
      const { answer, changes } = this.#carryOut(
        submission,
        withEditorId(stamp, recorded.get(id)),
        known,
      )
      answers.set(id, answer)
      const columns = toAuditColumns(submission)
      const asked = { content: columns.content, answer }
      const stored = forgotten?.has(id) ? forgetRequest(asked) : asked
      const submission_id = isUnproven(answer) ? deriveId(id, String(stamp.seq)) : id
      rows.push({ ...columns, ...stored, submission_id, changes, submitted_at, seq: stamp.seq })
    }
    return rows
  }

  #carryOut(
    { operation, digest }: Submission,
    stamp: AccountStamp,
    { refusal, doubt }: { refusal: Refusal | undefined; doubt: string | undefined },
  ): { answer: Answer; changes: RowChange[] | null } {
    const performed = refusal
      ? { answer: refusal, changes: null }
      : performRecorded(this.db, operation, stamp)
    const answer =
      doubt === undefined
        ? performed.answer
        : submitEntryReview(this.db, operation, performed.answer, doubt, stamp)
    return {
      answer: digest === undefined ? answer : { ...answer, digest },
      changes: performed.changes,
    }
  }
}

/**
 * Tells whether a submission lacks a proof only, which its author may provide. It is recorded under another id, and
 * can be sent again with the same Idempotency-Key.
 */
function isUnproven(answer: Answer): boolean {
  return 'refused' in answer && answer.error === 'ownership_proof_required'
}

function withEditorId(stamp: AccountStamp, recorded: Answer | undefined): AccountStamp {
  const editorId = recorded && 'done' in recorded ? recorded.done.editor_id : undefined
  return typeof editorId === 'string' ? { ...stamp, editorId } : stamp
}
