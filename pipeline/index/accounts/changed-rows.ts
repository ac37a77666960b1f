import type { Answer, Operation } from '../../model/submission.ts'
import type { Database, Parameters } from '../duckdb.ts'

/** Rows of one table that an operation was about, as they stood before it and after. */
export interface RowChange {
  table: string
  before: Record<string, unknown>[]
  after: Record<string, unknown>[]
}

interface Watched {
  table: string
  /** Condition on its rows; its parameters are the fields of the operation. */
  where: string
}

const ofOrganization = '(select org_id from organizations where $org in (name, org_id))'
const keys = { table: 'api_keys', where: 'key_id = $key_id' }
const domains = { table: 'verified_domains', where: 'domain = $domain' }
const profile = { table: 'members', where: `org_id in ${ofOrganization}` }
const tier = { table: 'organizations', where: `org_id in ${ofOrganization}` }
const agents = { table: 'member_agents', where: `org_id in ${ofOrganization}` }
const agent = { table: 'member_agents', where: `${agents.where} and agent_url = $url` }
const role = { table: 'roles', where: 'holder = $holder and id = $id and role = $role' }
const membership = {
  table: 'memberships',
  where: `user_id = $user_id and org_id in ${ofOrganization}`,
}
const mirror = { table: 'mirrors', where: 'platform = $platform' }
const policy = { table: 'policies', where: 'policy_id = $policy_id' }
const review = { table: 'reviews', where: 'review_id = $review_id' }
const approved = {
  table: 'mirrors',
  where: `platform in (select subject from reviews where review_id = $review_id and kind = 'mirror')`,
}
const taken = { table: 'taken_down', where: 'domain = $domain' }

/**
 * The private rows that an operation is about. What saves change stands in the revisions of the entry,
 * and what the index alone takes in is told by the operation itself.
 */
const watched: Partial<Record<Operation['op'], readonly Watched[]>> = {
  'key.create': [keys],
  'key.revoke': [keys],
  'organization.domain.add': [domains],
  'organization.domain.remove': [domains],
  'member.create': [profile],
  'member.update': [profile],
  'member.tier': [tier, agents],
  'member.agent.save': [agent],
  'member.agent.remove': [agent],
  'role.grant': [role],
  'role.revoke': [role],
  'membership.set': [membership],
  'membership.remove': [membership],
  'mirror.publish': [mirror],
  'mirror.remove': [mirror],
  'policy.save': [policy],
  'policy.publish': [policy],
  'review.approve': [review, approved],
  'review.reject': [review],
  'domain.takedown': [taken],
  'domain.readmit': [taken],
}

/** What nobody looks up, or what changes by itself. */
const LEFT_OUT = ['hash', 'seq', 'cleared_at', 'payload', 'position']

/** Carries an operation out, and tells which private rows it changed. */
export async function watching(
  db: Database,
  operation: Operation,
  work: () => Promise<Answer>,
): Promise<{ answer: Answer; changes: RowChange[] | null }> {
  const before = await rowsAbout(db, operation)
  const answer = await work()
  if (before.length === 0 || 'refused' in answer) return { answer, changes: null }
  const after = await rowsAbout(db, operation)
  const changes = before.map(({ table, rows }, i) => ({
    ...{ table, before: rows, after: after[i]!.rows },
  }))
  return { answer, changes: changes.filter(isChanged) }
}

/** Whether the rows an operation changed are as it left them. */
export async function isAsLeft(
  db: Database,
  operation: Operation,
  changes: readonly RowChange[],
): Promise<boolean> {
  const now = await rowsAbout(db, operation)
  return changes.every(({ table, after }) => {
    const rows = now.find(one => one.table === table)?.rows ?? []
    return JSON.stringify(rows) === JSON.stringify(after)
  })
}

function isChanged({ before, after }: RowChange): boolean {
  return JSON.stringify(before) !== JSON.stringify(after)
}

async function rowsAbout(db: Database, operation: Operation) {
  const found: { table: string; rows: RowChange['before'] }[] = []
  for (const { table, where } of watched[operation.op] ?? []) {
    const rows = await db.all<RowChange['before'][number]>(
      `select * exclude (${await columnsLeftOut(db, table)}) from ${table} where ${where} order by all`,
      parametersOf(operation, where),
    )
    found.push({ table, rows })
  }
  return found
}

/** Fields of an operation that a condition names; a policy is named by its content. */
function parametersOf(operation: Operation, where: string): Parameters {
  const policy_id = 'policy' in operation ? operation.policy.policy_id : null
  const fields = { policy_id, ...operation } as unknown as Parameters
  const names = new Set([...where.matchAll(/\$(\w+)/g)].map(([, name]) => name!))
  return Object.fromEntries([...names].map(name => [name, fields[name] ?? null]))
}

async function columnsLeftOut(db: Database, table: string): Promise<string> {
  const rows = await db.all<{ name: string }>(
    `select column_name as name from duckdb_columns() where table_name = $table`,
    { table },
  )
  return rows
    .map(({ name }) => name)
    .filter(name => LEFT_OUT.includes(name))
    .join(', ')
}
