import { type Instant, toIso } from '../core/clock.ts'
import type { Answer, Operation, Submission } from '../model/submission.ts'
import type { Sqlite } from '../store/sqlite.ts'
import type { RowChange } from './operation-definition.ts'

/** A request in the audit. */
export interface AuditRow {
  submission_id: string
  submitted_at: string
  operation: string
  by_kind: string | null
  by_id: string | null
  org_id: string | null
  request_id: string | null
  /** Id of the submission that this one reverted. */
  reverts: string | null
  /** The request, without secrets. */
  content: Record<string, unknown>
  answer: Answer
  /** Private rows that it changed. */
  changes: RowChange[] | null
  seq: number
}

/** Conditions on audit rows; all of them must hold. */
export interface AuditWanted {
  id?: string
  /** Id of a key, a person or an organization, or a kind of caller. */
  by?: string
  /**
   * Name of an operation; a name that ends with a dot matches every operation that begins with it.
   */
  operation?: string
  domain?: string
  since?: Instant
  limit: number
}

/**
 * Matches secrets and their hashes, which are never stored in the audit. Only top-level members are
 * matched.
 */
const SECRET = /^(hash|secret|token|password)$|_(hash|secret|token)$/
/** Large fields that are stored elsewhere: pictures in files, steps of runs in a table of their own. */
const LARGE: ReadonlySet<string> = new Set(['bytes', 'diagnostics'])

/** Builds the audit columns of a submission: who asked for what. */
export function toAuditColumns({ submission_id, operation, by, request, reverts }: Submission) {
  const { op, ...rest } = stripContact(operation)
  const members = Object.entries(rest).filter(([name]) => !SECRET.test(name) && !LARGE.has(name))
  return {
    submission_id,
    operation: op,
    by_kind: by?.kind ?? null,
    by_id: by?.id ?? null,
    org_id: by?.org_id ?? null,
    request_id: request ?? null,
    reverts: reverts ?? null,
    content: Object.fromEntries(members),
  }
}

/**
 * Replaces the contact by a mark that there was one, and leaves out who a person is: both are stored in one
 * place, from which they can be erased.
 */
function stripContact(operation: Operation): Operation {
  if (operation.op === 'person.enter') {
    const { op, user_id, provider } = operation
    return { op, user_id, provider } as Operation
  }
  if (
    operation.op === 'invitation.create' ||
    operation.op === 'invitation.accept' ||
    operation.op === 'watch.begin'
  ) {
    const { email: _, ...rest } = operation
    return rest as Operation
  }
  const isNamed = operation.op === 'property.save' && operation.contact !== undefined
  return isNamed ? { ...operation, contact: {} } : operation
}

const conditions: Record<Exclude<keyof AuditWanted, 'limit'>, string> = {
  id: 'submission_id = $id',
  by: '$by in (by_kind, by_id, org_id)',
  operation: `(operation = $operation
    or (substr($operation, -1) = '.' and substr(operation, 1, length($operation)) = $operation))`,
  domain: `instr(content, '"' || $domain || '"') > 0`,
  since: 'submitted_at >= $since',
}

/** Lists requests, latest first. */
export function listAuditRows(db: Sqlite, { limit, ...wanted }: AuditWanted): AuditRow[] {
  const { since, ...named } = wanted
  const parameters = { ...named, ...(since !== undefined && { since: toIso(since) }) }
  const where = Object.keys(parameters).map(name => conditions[name as keyof typeof conditions])
  return db.all<AuditRow>(
    `select submission_id, submitted_at, operation, by_kind, by_id, org_id, request_id,
       reverts, content, answer, changes, seq
     from submissions ${where.length > 0 ? `where ${where.join(' and ')}` : ''}
     order by submitted_at desc, seq desc, rowid desc limit $limit`,
    { ...parameters, limit },
  )
}
