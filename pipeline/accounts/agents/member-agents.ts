import { toIso } from '../../core/clock.ts'
import { requireValue } from '../../core/present.ts'
import { canBePublic } from '../../core/public-name.ts'
import { hasApiAccess } from '../../core/tiers.ts'
import type { MemberAgent } from '../../model/accounts/member.ts'
import type { Answer, OperationOf, Refusal } from '../../model/submission.ts'
import type { Sqlite } from '../../store/sqlite.ts'
import { findMember, touchMember } from '../members.ts'
import {
  type Inverse,
  type KnownChange,
  type OperationDefinitions,
  ORGANIZATION_NAMED,
} from '../operation-definition.ts'
import { findOrganization } from '../organizations.ts'
import type { AccountStamp } from '../stamp.ts'
import { forgetCredential } from './agent-credentials.ts'

interface Row extends Omit<MemberAgent, 'url'> {
  agent_url: string
  position: number
}

/** Enrols an agent, or changes its enrolment; a new one is private by default. */
export function saveAgent(
  db: Sqlite,
  operation: OperationOf<'member.agent.save'>,
  stamp: AccountStamp,
): Answer {
  const member = findMember(db, operation.org)
  if ('refused' in member) return member
  const { org_id } = member
  const known = findMemberAgent(db, org_id, operation.url)
  if (operation.is_change && !known) return refuseUnknownAgent(member.name, operation.url)
  if (!known && !canBePublic(new URL(operation.url).hostname)) {
    return { refused: 'url: must be on the public internet' }
  }
  const type = operation.type ?? known?.type
  if (type === undefined) return { refused: 'a new agent requires a type' }
  const wanted = operation.visibility ?? known?.visibility ?? 'private'
  const visibility = limitVisibility(db, org_id, wanted)
  const agent: Row = {
    agent_url: operation.url,
    position: known?.position ?? findNextPosition(db, org_id),
    type,
    name: operation.name ?? known?.name ?? null,
    visibility,
    health_check_url: operation.health_check_url ?? known?.health_check_url ?? null,
    enrolled_at: known?.enrolled_at ?? toIso(stamp.now),
  }
  removeRow(db, org_id, operation.url)
  db.insert('member_agents', [{ ...agent, org_id, seq: stamp.seq }])
  touchMember(db, org_id, stamp.seq)
  const { agent_url: url, position: _, ...shown } = agent
  const warnings = visibility === wanted ? {} : { warnings: [warnOfVisibility(url)] }
  return { done: { org_id, agent: { url, ...shown }, is_new: known === undefined, ...warnings } }
}

/** Removes an agent. A public agent must be hidden first, so that it is not removed by mistake. */
export function removeAgent(
  db: Sqlite,
  { org, url }: OperationOf<'member.agent.remove'>,
  { seq }: AccountStamp,
): Answer {
  const member = findMember(db, org)
  if ('refused' in member) return member
  const { org_id, name } = member
  const known = findMemberAgent(db, org_id, url)
  if (!known) return refuseUnknownAgent(name, url)
  if (known.visibility === 'public') {
    const refused = `${url} is public: hide it first`
    return { refused, error: 'unpublish_first', fields: { agent_url: url } }
  }
  removeRow(db, org_id, url)
  forgetCredential(db, { org_id, agent_url: url }, { seq })
  touchMember(db, org_id, seq)
  return { done: { org_id, url } }
}

function refuseUnknownAgent(name: string, url: string): Refusal {
  return { refused: `the organization ${name} has no agent ${url}`, error: 'not_found' }
}

function limitVisibility(
  db: Sqlite,
  org_id: string,
  wanted: MemberAgent['visibility'],
): MemberAgent['visibility'] {
  const owner = requireValue(findOrganization(db, org_id), 'organization')
  return wanted === 'public' && !hasApiAccess(owner.membership_tier) ? 'members_only' : wanted
}

function warnOfVisibility(agent_url: string) {
  return {
    code: 'visibility_downgraded',
    agent_url,
    requested: 'public',
    applied: 'members_only',
    reason: 'tier_required',
    message: 'only members with API access can publish agents; this one is visible to members',
  }
}

export function findMemberAgent(db: Sqlite, org_id: string, url: string): Row | undefined {
  return db.one(
    `select agent_url, position, type, name, visibility, health_check_url,
       enrolled_at from member_agents where org_id = $org_id and agent_url = $url`,
    { org_id, url },
  )
}

function findNextPosition(db: Sqlite, org_id: string): number {
  const row = db.oneOrThrow<{ next: number }>(
    `select coalesce(max(position), 0) + 1 as next from member_agents
     where org_id = $org_id`,
    { org_id },
  )
  return row.next
}

function removeRow(db: Sqlite, org_id: string, url: string): void {
  db.run('delete from member_agents where org_id = $org_id and agent_url = $url', {
    org_id,
    url,
  })
}

const agent = {
  table: 'member_agents',
  where: `org_id in ${ORGANIZATION_NAMED} and agent_url = $url`,
}

/**
 * Inverts a change of an agent: restores the earlier enrolment, or removes an agent that had none.
 */
function invertAgentChange(
  { org, url }: OperationOf<'member.agent.save' | 'member.agent.remove'>,
  { changes }: KnownChange,
): Inverse {
  const change = changes.find(({ table }) => table === 'member_agents')
  const [was, is] = [change?.before[0], change?.after[0]]
  if (was === undefined) return { op: 'member.agent.remove', org, url }
  const cleared = ['name', 'health_check_url'].filter(field => was[field] !== null)
  const isMore = ['name', 'health_check_url'].some(field => is?.[field] && was[field] === null)
  if (isMore)
    return 'it changed facts about the agent that may have been read: save the agent again as it should be'
  const { type, visibility } = was
  const fields = Object.fromEntries(cleared.map(field => [field, was[field]]))
  return { op: 'member.agent.save', org, url, type, visibility, ...fields }
}

export const memberAgentDefinitions: OperationDefinitions<
  'member.agent.save' | 'member.agent.remove'
> = {
  'member.agent.save': {
    perform: saveAgent,
    watches: [agent],
    requires: { membershipIn: ({ org }) => org },
    changesEnrolments: true,
    invert: invertAgentChange,
  },
  'member.agent.remove': {
    perform: removeAgent,
    watches: [agent],
    requires: { membershipIn: ({ org }) => org },
    changesEnrolments: true,
    invert: invertAgentChange,
  },
}
