import type { Answer, Operation } from '../model/submission.ts'
import type { Sqlite, SqliteParameters } from '../store/sqlite.ts'
import type { Row, RowChange } from './operation-definition.ts'
import { getDefinition } from './operations.ts'
import type { AccountStamp } from './stamp.ts'

/** Columns that the audit omits: not useful there, or written by the registry itself. */
const OMITTED_COLUMNS = ['hash', 'email', 'seq', 'cleared_at', 'payload', 'position']

/** Performs an operation and returns the private rows it changed, for the audit. */
export function performRecorded(
  db: Sqlite,
  operation: Operation,
  stamp: AccountStamp,
): { answer: Answer; changes: RowChange[] | null } {
  const before = selectRows(db, operation)
  const answer = getDefinition(operation).perform(db, operation, stamp)
  if (before.length === 0 || 'refused' in answer) return { answer, changes: null }
  const after = selectRows(db, operation)
  const changes = before.map(({ table, rows }, i) => ({
    table,
    before: rows,
    after: after[i]?.rows ?? [],
  }))
  return { answer, changes: changes.filter(isChanged) }
}

/** Tells whether the rows that an operation changed have stayed the same since. */
export function isUnchangedSince(
  db: Sqlite,
  operation: Operation,
  changes: readonly RowChange[],
): boolean {
  const now = selectRows(db, operation)
  return changes.every(({ table, after }) => {
    const rows = now.find(selected => selected.table === table)?.rows ?? []
    return JSON.stringify(rows) === JSON.stringify(after)
  })
}

function isChanged({ before, after }: RowChange): boolean {
  return JSON.stringify(before) !== JSON.stringify(after)
}

function selectRows(db: Sqlite, operation: Operation) {
  const found: { table: string; rows: Row[] }[] = []
  for (const { table, where } of getDefinition(operation).watches ?? []) {
    const rows = db.all<Row>(buildQuery(db, table, where), buildParameters(operation, where))
    found.push({ table, rows })
  }
  return found
}

/** Builds the parameters of a condition from the fields of an operation; a policy is named by its content. */
function buildParameters(operation: Operation, where: string): SqliteParameters {
  const policy_id = 'policy' in operation ? operation.policy.policy_id : null
  const fields = { policy_id, ...operation } as unknown as SqliteParameters
  const names = new Set([...where.matchAll(/\$(\w+)/g)].map(([, name = '']) => name))
  return Object.fromEntries([...names].map(name => [name, fields[name] ?? null]))
}

/** Builds the query of the rows of a table without the omitted columns, sorted by all others. */
function buildQuery(db: Sqlite, table: string, where: string): string {
  const shown = db.columns(table).filter(({ name }) => !OMITTED_COLUMNS.includes(name))
  const order = shown.map(({ name }) => `${name} nulls last`)
  return `select ${shown.map(({ name }) => name).join(', ')} from ${table} where ${where}
    order by ${order.join(', ')}`
}
