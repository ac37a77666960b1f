import { type AuditRow, type AuditWanted, listAuditRows } from '../../pipeline/accounts/audit.ts'
import { Operation } from '../../pipeline/model/submission.ts'
import { type AuditDetail, loadAuditDetail } from '../../pipeline/writer/community/audit-detail.ts'
import { readSettings } from './environment.ts'
import { askOrOpen, identifyUser, performOrExit, unwrapOrExit } from './running.ts'
import { describeReadmitted } from './takedown-confirmation.ts'

/** Prints the rows that match, one per line. */
export async function listAudit({
  json,
  ...wanted
}: AuditWanted & { json?: boolean }): Promise<void> {
  assertKnown(wanted.operation)
  const rows = await listRows(wanted)
  if (json) process.stdout.write(`${JSON.stringify(rows)}\n`)
  else for (const row of rows) process.stdout.write(`${formatLine(row)}\n`)
}

/** Refuses the name of no operation, and a prefix that matches none. */
function assertKnown(name: string | undefined): void {
  if (name === undefined) return
  const names = Operation.options.map(({ shape }) => shape.op.value)
  if (names.some(known => (name.endsWith('.') ? known.startsWith(name) : known === name))) return
  unwrapOrExit({
    refused: `unknown operation ${name}; known operations: ${names.sort().join(', ')}`,
  })
}

/** Prints an entry of the audit log with what it changed. */
export async function showAudit(id: string): Promise<void> {
  const row = await findDetail(id)
  if (row === null) return void unwrapOrExit({ refused: `no submission ${id}` })
  process.stdout.write(`${JSON.stringify(row, null, 2)}\n`)
}

/** Reverts a write by one more write, in the name of the caller; says which, and what follows. */
export async function revertAudit(id: string): Promise<void> {
  const row = await findDetail(id)
  if (row === null) return void unwrapOrExit({ refused: `no submission ${id}` })
  const editor = { kind: 'command', id: identifyUser().id, org_id: null } as const
  await performOrExit(readSettings(), { op: 'audit.revert', reverts: id, editor })
  process.stdout.write(`reverted: ${describeOperation(row)}\n`)
  if (row.operation === 'domain.takedown')
    process.stdout.write(describeReadmitted(String(row.content.domain)))
}

function describeOperation({ operation, content, submitted_at }: AuditRow): string {
  const subject = findSubject(content)
  return `${operation}${subject === undefined ? '' : ` ${subject}`} of ${submitted_at}`
}

/** Fields that name what an operation is about, the most telling first. */
const SUBJECTS = [
  'domain',
  'publisher_domain',
  'agent_url',
  'url',
  'platform',
  'user_id',
  'label',
  'name',
  'key_id',
  'invitation_id',
  'subscription_id',
  'review_id',
  'id',
  'org',
  'org_id',
]

/** Finds the domain, key, person or other thing that an operation is about. */
function findSubject(content: AuditRow['content']): string | undefined {
  const named = SUBJECTS.map(field => content[field])
  return named.find((value): value is string => typeof value === 'string' && value !== '')
}

function formatLine({ submission_id, submitted_at, operation, answer, ...row }: AuditRow): string {
  const by = row.by_kind === null ? 'unknown' : `${row.by_kind} ${row.by_id}`
  const result = 'done' in answer ? 'done' : `refused: ${answer.refused}`
  const subject = findSubject(row.content) ?? '-'
  return `${submitted_at}  ${submission_id}  ${operation.padEnd(24)} ${subject}  ${by}  ${result}`
}

function listRows(filter: AuditWanted): Promise<AuditRow[]> {
  const question = { ask: 'audit', filter } as const
  return askOrOpen(readSettings(), question, async ({ accounts }) =>
    listAuditRows(accounts.db, filter),
  )
}

function findDetail(id: string): Promise<AuditDetail | null> {
  const question = { ask: 'audit_detail', id } as const
  return askOrOpen(readSettings(), question, stores => loadAuditDetail(stores, id))
}
