import { existsSync } from 'node:fs'
import { readmit, takeDown } from '../accounts/taken-down.ts'
import type { Domain } from '../core/domain.ts'
import type { OperationOf } from '../model/submission.ts'
import type { Paths } from '../store/paths.ts'
import { openRecordReadOnly } from '../store/record.ts'
import { hasContent } from '../store/record-file.ts'
import { Sqlite } from '../store/sqlite.ts'
import type { Facts } from '../writer/healing/facts.ts'

/** A takedown, or the undo of one, with everything that the audit knows of it. */
interface TakedownRow extends Record<string, unknown> {
  submission_id: string
  operation: 'domain.takedown' | 'domain.readmit'
  content: { domain: Domain; reason?: string }
  submitted_at: string
}

/** Domains that are taken down, or accepted again, by what was done after a backup. */
export interface RepeatedTakedowns {
  takenDown: Domain[]
  readmitted: Domain[]
  /** Domains of which this was undone since, which a start has to clear before: they are still taken down. */
  toReadmit: Domain[]
}

/** Facts of the record that a restore replaces. */
export interface Replaced {
  /** The last commit and its time, ISO 8601. */
  last: { seq: number; committed_at: string | null }
  takedowns: TakedownRow[]
  /** Operations that took access away, which the backup does not know. */
  revocations: Revocation[]
  /** False if it does not continue the backup: it may be that of another registry, or of a new machine. */
  isSuccessor: boolean
}

/** An operation that took access away from a key or a person. */
export interface Revocation {
  submission_id: string
  operation: 'key.revoke' | 'role.revoke' | 'membership.remove' | 'membership.end'
  content: Readonly<Record<string, string>>
}

const REVOCATIONS = `select submission_id, operation, content from submissions
  where operation in ('key.revoke', 'role.revoke', 'membership.remove', 'membership.end')
    and answer ->> '$.refused' is null order by seq, rowid`
/** A record that continues another one has the last request of that. */
const LAST_REQUEST = 'select submission_id from submissions order by rowid desc limit 1'

const MEMBERSHIP = 'select 1 from memberships where user_id = $user_id and removed_at is null'
/** Queries for the access in force that each operation takes away. */
const ACCESS: Readonly<Record<Revocation['operation'], string>> = {
  'key.revoke': 'select 1 from api_keys where key_id = $key_id and revoked_at is null',
  'role.revoke':
    'select 1 from roles where holder = $holder and id = $id and role = $role and revoked_at is null',
  'membership.remove': MEMBERSHIP,
  'membership.end': MEMBERSHIP,
}

const LAST_COMMIT = 'select seq, committed_at from meta'

const TAKEDOWNS = `select * from submissions
  where operation in ('domain.takedown', 'domain.readmit') and answer ->> '$.refused' is null
  order by seq, rowid`

/**
 * Loads what a restore needs of the record that it replaces, with what was revoked there and not in the backup;
 * undefined if the record is missing, cannot be read, or is what an interrupted restore has left.
 */
export function loadReplaced(
  { record, restoring }: Paths,
  backupRecord: string,
): Replaced | undefined {
  if (!hasContent(record) || existsSync(restoring)) return undefined
  let db: Sqlite | undefined
  let backup: Sqlite | undefined
  try {
    db = openRecordReadOnly(record)
    // Of any format: only its requests are read.
    backup = Sqlite.openUnchanging(backupRecord)
    const newest = backup.one<{ submission_id: string }>(LAST_REQUEST)
    const inBackup = backup
    return {
      last: db.oneOrThrow<Replaced['last']>(LAST_COMMIT),
      takedowns: db.all<TakedownRow>(TAKEDOWNS),
      revocations: db
        .all<Revocation>(REVOCATIONS)
        .filter(row => !hasRequest(inBackup, row) && hasAccess(inBackup, row)),
      isSuccessor: newest === undefined || hasRequest(db, newest),
    }
  } catch {
    // Damage is the usual reason for a restore.
    return undefined
  } finally {
    db?.close()
    backup?.close()
  }
}

/** Tells whether the access that was revoked may be in a record: it can also be granted and revoked after it. */
function hasAccess(db: Sqlite, { operation, content }: Revocation): boolean {
  try {
    return db.one(ACCESS[operation], content) !== undefined
  } catch {
    // A record of another format: better one command too many.
    return true
  }
}

/** Tells whether a record has a request. */
function hasRequest(db: Sqlite, { submission_id }: { submission_id: string }): boolean {
  return (
    db.one('select 1 from submissions where submission_id = $submission_id', { submission_id }) !==
    undefined
  )
}

/**
 * Repeats the takedowns that a restored record lacks, in their order and with their audit. Their data goes at the next
 * start, as that of every takedown in the record, so one that was undone since stays until then.
 */
export async function repeatTakedowns(
  { index, accounts: { db } }: Facts,
  rows: readonly TakedownRow[],
): Promise<RepeatedTakedowns> {
  const { seq } = await index.oneOrThrow<{ seq: number }>('select seq from meta')
  const last = new Map<Domain, TakedownRow['operation']>()
  const toReadmit = new Set<Domain>()
  for (const row of rows) {
    const { submission_id, operation: op, content, submitted_at } = row
    if (hasRequest(db, { submission_id })) continue
    if (op === 'domain.takedown') toReadmit.delete(content.domain)
    else if (last.get(content.domain) === 'domain.takedown') {
      toReadmit.add(content.domain)
      continue
    }
    const operation = { op, ...content }
    const stamp = { now: Date.parse(submitted_at), seq }
    if (op === 'domain.takedown') takeDown(db, operation as OperationOf<typeof op>, stamp)
    else readmit(db, operation as OperationOf<typeof op>)
    db.insert('submissions', [{ ...row, seq }])
    last.set(content.domain, op)
  }
  const listLast = (op: TakedownRow['operation']) =>
    [...last].flatMap(([domain, operation]) => (operation === op ? domain : []))
  return {
    takenDown: listLast('domain.takedown'),
    readmitted: listLast('domain.readmit'),
    toReadmit: [...toReadmit],
  }
}
