import { type AuditRow, type AuditWanted, listAuditRows } from '../../pipeline/accounts/audit.ts'
import { formatTime } from '../../pipeline/core/clock.ts'
import { formatCount } from '../../pipeline/core/counts.ts'
import { findNearestWord } from '../../pipeline/core/nearest-word.ts'
import { Operation } from '../../pipeline/model/submission.ts'
import { type AuditDetail, loadAuditDetail } from '../../pipeline/writer/community/audit-detail.ts'
import { readSettings } from './environment.ts'
import { askOrOpen, identifyUser, performOrExit, unwrapOrExit } from './running.ts'
import { describeReadmitted } from './takedown-confirmation.ts'
import { formatTable } from './text.ts'

/** Prints the rows that match, one per line below the names of the columns. */
export async function listAudit({
  json,
  ...wanted
}: AuditWanted & { json?: boolean }): Promise<void> {
  assertKnown(wanted.operation)
  const rows = await listRows(wanted)
  if (json) process.stdout.write(`${JSON.stringify(rows)}\n`)
  else if (rows.length === 0) process.stdout.write('No entry of the audit log matches.\n')
  else process.stdout.write(`${formatTable([HEADER, ...rows.map(toCells)])}\n`)
}

/** Refuses the name of no operation, and a prefix that matches none. */
function assertKnown(name: string | undefined): void {
  if (name === undefined) return
  const names = Operation.options.map(({ shape }) => shape.op.value).sort()
  if (names.some(known => (name.endsWith('.') ? known.startsWith(name) : known === name))) return
  const meant = findMeant(name, names)
  const known =
    meant.length > 0 ? `Did you mean ${meant.join(', ')}?` : `Known ones are ${names.join(', ')}.`
  unwrapOrExit({ refused: `There is no operation called ${name}. ${known}` })
}

/** Finds the operation that a name is a misspelling of, or all with a part that it names, as `takedown` does. */
function findMeant(name: string, names: readonly string[]): string[] {
  const nearest = findNearestWord(name, names)
  if (nearest !== undefined) return [nearest]
  const parts = new Set(names.flatMap(known => known.split('.')))
  const part = findNearestWord(name, parts)
  return names.filter(known => part !== undefined && known.split('.').includes(part))
}

/** Prints an entry of the audit log with what it changed. */
export async function showAudit(id: string): Promise<void> {
  const row = await findDetail(id)
  if (row === null)
    return void unwrapOrExit({ refused: `There is no entry ${id} in the audit log` })
  process.stdout.write(`${JSON.stringify(row, null, 2)}\n`)
}

/** Reverts a write by one more write, in the name of the caller; says which, and what follows. */
export async function revertAudit(id: string): Promise<void> {
  const row = await findDetail(id)
  if (row === null)
    return void unwrapOrExit({ refused: `There is no entry ${id} in the audit log` })
  const editor = { kind: 'command', id: identifyUser().id, org_id: null } as const
  await performOrExit(readSettings(), { op: 'audit.revert', reverts: id, editor })
  process.stdout.write(`Reverted ${describeOperation(row)}.\n`)
  if (row.operation === 'domain.takedown')
    process.stdout.write(describeReadmitted(String(row.content.domain)))
}

function describeOperation({ operation, content, submitted_at }: AuditRow): string {
  const subject = findSubject(content)
  return `${operation}${subject === undefined ? '' : ` ${subject}`} of ${formatTime(submitted_at)}`
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

/** Finds the domain, key, person or other thing that an operation is about; of several domains, the first and their number. */
function findSubject(content: AuditRow['content']): string | undefined {
  const named = SUBJECTS.map(field => content[field])
  const subject = named.find((value): value is string => typeof value === 'string' && value !== '')
  if (subject !== undefined || !Array.isArray(content.domains)) return subject
  const [first, ...others] = content.domains
  return others.length === 0 ? first : `${first} and ${formatCount(others.length)} more`
}

const HEADER = ['TIME', 'ID', 'OPERATION', 'SUBJECT', 'BY', 'RESULT']

function toCells({ submission_id, submitted_at, operation, answer, ...row }: AuditRow): string[] {
  const by = row.by_kind === null ? 'unknown' : `${row.by_kind} ${row.by_id}`
  const result = 'done' in answer ? 'done' : `refused: ${answer.refused}`
  return [
    formatTime(submitted_at),
    submission_id,
    operation,
    findSubject(row.content) ?? '-',
    by,
    result,
  ]
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
