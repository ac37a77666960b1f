import { type AuditRow, listAuditRows } from '../../accounts/audit.ts'
import { isUnchangedSince } from '../../accounts/changed-rows.ts'
import type { FindRevision, KnownChange } from '../../accounts/operation-definition.ts'
import { getDefinition } from '../../accounts/operations.ts'
import { FORGOTTEN } from '../../accounts/taken-down-rows.ts'
import {
  type Answer,
  Operation,
  type OperationOf,
  type Refusal,
  type Submission,
} from '../../model/submission.ts'
import type { Database } from '../../store/database.ts'
import type { Sqlite } from '../../store/sqlite.ts'

interface Stores {
  index: Database
  accounts: Sqlite
}

type Revert = OperationOf<'audit.revert'>

/** Submissions in which each revert is replaced by the inverse operation, or refused. */
export interface Resolved {
  submissions: readonly Submission[]
  refused: ReadonlyMap<string, Refusal>
}

/**
 * Replaces each request to revert an operation by the inverse operation. The id stays the same, so a
 * submission that is delivered again resolves to the same operation.
 */
export async function resolveReverts(
  stores: Stores,
  submissions: readonly Submission[],
): Promise<Resolved> {
  const refused = new Map<string, Refusal>()
  const resolved: Submission[] = []
  for (const submission of submissions) {
    const { operation, submission_id } = submission
    if (operation.op !== 'audit.revert') {
      resolved.push(submission)
      continue
    }
    const { reverts } = operation
    const found =
      findCarriedOut(stores, submission_id) ??
      (await buildInverse(stores, operation, submission_id))
    if ('refused' in found) refused.set(submission_id, found)
    const what = 'refused' in found ? {} : { operation: found }
    resolved.push({ ...submission, ...what, reverts })
  }
  return { submissions: resolved, refused }
}

/** Loads the operation as it was carried out. */
function findCarriedOut({ accounts }: Stores, id: string): Operation | Refusal | undefined {
  const [row] = listAuditRows(accounts, { id, limit: 1 })
  return row && ('refused' in row.answer ? row.answer : restoreOperation(row))
}

async function buildInverse(
  stores: Stores,
  { reverts, editor }: Revert,
  revision_id: string,
): Promise<Operation | Refusal> {
  const [row] = listAuditRows(stores.accounts, { id: reverts, limit: 1 })
  if (row === undefined) {
    return { refused: `there is no entry ${reverts} in the audit log`, error: 'not_found' }
  }
  if (row.content.taken_down === FORGOTTEN.taken_down)
    return { refused: 'it was about a domain that was taken down since' }
  if (!isDone(row.answer)) return { refused: 'it was refused: there is nothing to revert' }
  const restored = restoreOperation(row)
  if (row.changes?.length === 0) return { refused: 'it changed nothing' }
  if (row.changes && !isUnchangedSince(stores.accounts, restored, row.changes)) {
    return { refused: 'its result has been changed since: revert that first' }
  }
  const findRevision: FindRevision = (...of) => findRevisionNumbers(stores.index, ...of)
  return invertOperation(restored, {
    changes: row.changes ?? [],
    revision_id,
    editor,
    findRevision,
  })
}

/** Builds the inverse of an operation, or returns why there is none. */
async function invertOperation(
  operation: Operation,
  known: KnownChange,
): Promise<Operation | Refusal> {
  const definition = getDefinition(operation)
  const inverse =
    'invert' in definition ? await definition.invert(operation, known) : definition.irreversible
  return typeof inverse === 'string' ? { refused: inverse } : Operation.parse(inverse)
}

function findRevisionNumbers(index: Database, ...[entity, domain, of]: Parameters<FindRevision>) {
  return index.one<{ number: number; last: number }>(
    `select r.revision_number as number, e.revision_number as last
     from revisions r join entries e using (entity, domain)
     where r.revision_id = $of and entity = $entity and domain = $domain`,
    { of, entity, domain },
  )
}

function isDone(answer: Answer): boolean {
  return 'done' in answer
}

function restoreOperation({ operation, content }: AuditRow): Operation {
  return { op: operation, ...content } as unknown as Operation
}
