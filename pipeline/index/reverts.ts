import type { Answer, Operation, OperationOf, Refusal, Submission } from '../model/submission.ts'
import { type AuditRow, auditRows } from './accounts/audit.ts'
import { isAsLeft } from './accounts/changed-rows.ts'
import type { Database } from './duckdb.ts'
import { inverseOf } from './inverses.ts'

interface Stores {
  index: Database
  accounts: Database
}

type Revert = OperationOf<'audit.revert'>

/** Submissions of which those that take others back are what that comes to, or refused. */
export interface Resolved {
  submissions: readonly Submission[]
  refused: ReadonlyMap<string, Refusal>
}

const nothingRefused: ReadonlyMap<string, Refusal> = new Map()

/**
 * Puts the operation that takes another one back in the place of the wish to do so. Under the same
 * id, so that one which is delivered again is what it was the first time.
 */
export async function resolveReverts(
  stores: Stores,
  submissions: readonly Submission[],
): Promise<Resolved> {
  if (!submissions.some(({ operation }) => operation.op === 'audit.revert')) {
    return { submissions, refused: nothingRefused }
  }
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
      (await carriedOut(stores, submission_id)) ?? (await inverse(stores, operation, submission_id))
    if ('refused' in found) refused.set(submission_id, found)
    const what = 'refused' in found ? {} : { operation: found }
    resolved.push({ ...submission, ...what, reverts })
  }
  return { submissions: resolved, refused }
}

/** What it was when it came before. */
async function carriedOut(
  { accounts }: Stores,
  id: string,
): Promise<Operation | Refusal | undefined> {
  const [row] = await auditRows(accounts, { id, limit: 1 })
  return row && ('refused' in row.answer ? row.answer : operationOf(row))
}

async function inverse(
  stores: Stores,
  { reverts, editor }: Revert,
  revision_id: string,
): Promise<Operation | Refusal> {
  const [row] = await auditRows(stores.accounts, { id: reverts, limit: 1 })
  if (row === undefined) {
    return { refused: `nothing was submitted as ${reverts}`, error: 'not_found' }
  }
  if (!isDone(row.answer)) return { refused: 'it was refused: there is nothing to take back' }
  const told = operationOf(row)
  if (row.changes?.length === 0) return { refused: 'it changed nothing' }
  if (row.changes && !(await isAsLeft(stores.accounts, told, row.changes))) {
    return { refused: 'what it changed was changed again since: take that back first' }
  }
  return inverseOf(told, { ...stores, changes: row.changes ?? [], revision_id, editor })
}

function isDone(answer: Answer): boolean {
  return 'done' in answer
}

function operationOf({ operation, content }: AuditRow): Operation {
  return { op: operation, ...content } as unknown as Operation
}
