import type { Answer, Operation } from '../model/submission.ts'
import type { Database, Parameters } from '../store/duckdb.ts'
import type { Row, RowChange } from './operation-definition.ts'
import { getDefinition } from './operations.ts'
import type { AccountStamp } from './stamp.ts'

/** Columns that the audit omits: not useful there, or written by the registry itself. */
const OMITTED_COLUMNS = ['hash', 'email', 'seq', 'cleared_at', 'payload', 'position']

/** Performs an operation and returns the private rows it changed, for the audit. */
export async function performRecorded(
  db: Database,
  operation: Operation,
  stamp: AccountStamp,
): Promise<{ answer: Answer; changes: RowChange[] | null }> {
  const before = await selectRows(db, operation)
  const answer = await getDefinition(operation).perform(db, operation, stamp)
  if (before.length === 0 || 'refused' in answer) return { answer, changes: null }
  const after = await selectRows(db, operation)
  const changes = before.map(({ table, rows }, i) => ({
    table,
    before: rows,
    after: after[i]?.rows ?? [],
  }))
  return { answer, changes: changes.filter(isChanged) }
}

/** Tells whether the rows that an operation changed have stayed the same since. */
export async function isUnchangedSince(
  db: Database,
  operation: Operation,
  changes: readonly RowChange[],
): Promise<boolean> {
  const now = await selectRows(db, operation)
  return changes.every(({ table, after }) => {
    const rows = now.find(selected => selected.table === table)?.rows ?? []
    return JSON.stringify(rows) === JSON.stringify(after)
  })
}

function isChanged({ before, after }: RowChange): boolean {
  return JSON.stringify(before) !== JSON.stringify(after)
}

async function selectRows(db: Database, operation: Operation) {
  const found: { table: string; rows: Row[] }[] = []
  for (const { table, where } of getDefinition(operation).watches ?? []) {
    const rows = await db.all<Row>(
      `select * exclude (${await listOmittedColumns(db, table)}) from ${table} where ${where} order by all`,
      buildParameters(operation, where),
    )
    found.push({ table, rows })
  }
  return found
}

/** Builds the parameters of a condition from the fields of an operation; a policy is named by its content. */
function buildParameters(operation: Operation, where: string): Parameters {
  const policy_id = 'policy' in operation ? operation.policy.policy_id : null
  const fields = { policy_id, ...operation } as unknown as Parameters
  const names = new Set([...where.matchAll(/\$(\w+)/g)].map(([, name = '']) => name))
  return Object.fromEntries([...names].map(name => [name, fields[name] ?? null]))
}

async function listOmittedColumns(db: Database, table: string): Promise<string> {
  const rows = await db.all<{ name: string }>(`select column_name as name from (describe ${table})`)
  return rows
    .map(({ name }) => name)
    .filter(name => OMITTED_COLUMNS.includes(name))
    .join(', ')
}
