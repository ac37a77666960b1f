import { isoOf } from '../../core/clock.ts'
import { hasApiAccess } from '../../core/membership.ts'
import type { MemberAgent } from '../../model/member.ts'
import type { Answer, OperationOf, Refusal } from '../../model/submission.ts'
import type { Database } from '../duckdb.ts'
import { memberNamed, touchMember } from './members.ts'
import { organizationNamed } from './organizations.ts'
import type { Stamp } from './stamp.ts'

interface Row extends Omit<MemberAgent, 'url'> {
  agent_url: string
  position: number
}

/** Enrols an agent, or changes what is said of one; a new one is private unless something else is said. */
export async function saveAgent(
  db: Database,
  operation: OperationOf<'member.agent.save'>,
  stamp: Stamp,
): Promise<Answer> {
  const member = await memberNamed(db, operation.org)
  if ('refused' in member) return member
  const { org_id } = member
  const known = await agentOf(db, org_id, operation.url)
  if (operation.is_change && !known) return noAgent(member.name, operation.url)
  const type = operation.type ?? known?.type
  if (type === undefined) return { refused: 'a new agent needs a type' }
  const wanted = operation.visibility ?? known?.visibility ?? 'private'
  const visibility = await gated(db, org_id, wanted)
  const agent: Row = {
    agent_url: operation.url,
    position: known?.position ?? (await nextPosition(db, org_id)),
    type,
    name: operation.name ?? known?.name ?? null,
    visibility,
    health_check_url: operation.health_check_url ?? known?.health_check_url ?? null,
    enrolled_at: known?.enrolled_at ?? isoOf(stamp.now),
  }
  await removeRow(db, org_id, operation.url)
  await db.insert('member_agents', [{ ...agent, org_id, seq: stamp.seq }])
  await touchMember(db, org_id, stamp.seq)
  const { agent_url: url, position: _, ...shown } = agent
  const warnings = visibility === wanted ? {} : { warnings: [downgraded(url)] }
  return { done: { org_id, agent: { url, ...shown }, is_new: known === undefined, ...warnings } }
}

/** One that everybody sees is hidden first, so that nobody removes it by mistake. */
export async function removeAgent(
  db: Database,
  { org, url }: OperationOf<'member.agent.remove'>,
  { seq }: Stamp,
): Promise<Answer> {
  const member = await memberNamed(db, org)
  if ('refused' in member) return member
  const { org_id, name } = member
  const known = await agentOf(db, org_id, url)
  if (!known) return noAgent(name, url)
  if (known.visibility === 'public') {
    const message = `${url} is public: hide it first`
    const fields = { error: 'unpublish_first', message, agent_url: url }
    return { refused: message, error: 'conflict', fields }
  }
  await removeRow(db, org_id, url)
  await touchMember(db, org_id, seq)
  return { done: { org_id, url } }
}

function noAgent(name: string, url: string): Refusal {
  return { refused: `${name} has no agent ${url}`, error: 'not_found' }
}

async function gated(
  db: Database,
  org_id: string,
  wanted: MemberAgent['visibility'],
): Promise<MemberAgent['visibility']> {
  const owner = await organizationNamed(db, org_id)
  return wanted === 'public' && !hasApiAccess(owner!.membership_tier) ? 'members_only' : wanted
}

function downgraded(agent_url: string) {
  return {
    code: 'visibility_downgraded',
    agent_url,
    requested: 'public',
    applied: 'members_only',
    reason: 'tier_required',
    message: 'only members with API access show agents to everybody; this one is shown to members',
  }
}

export function agentOf(db: Database, org_id: string, url: string): Promise<Row | undefined> {
  return db.one(
    `select agent_url, position::double as position, type, name, visibility, health_check_url,
       enrolled_at from member_agents where org_id = $org_id and agent_url = $url`,
    { org_id, url },
  )
}

async function nextPosition(db: Database, org_id: string): Promise<number> {
  const row = await db.one<{ next: number }>(
    `select coalesce(max(position), 0)::double + 1 as next from member_agents
     where org_id = $org_id`,
    { org_id },
  )
  return row!.next
}

async function removeRow(db: Database, org_id: string, url: string): Promise<void> {
  await db.run('delete from member_agents where org_id = $org_id and agent_url = $url', {
    org_id,
    url,
  })
}
