import type { Founding } from '../../model/accounts/organization.ts'
import type { Answer, OperationOf, Refusal } from '../../model/submission.ts'
import type { Sqlite } from '../../store/sqlite.ts'
import { applyPlan, findFreeName, type Plan, planFounding } from '../founding.ts'
import { createMember, findMember } from '../members.ts'
import type { OperationDefinitions } from '../operation-definition.ts'
import { findOrganization, refuseUnknownOrganization } from '../organizations.ts'
import type { AccountStamp } from '../stamp.ts'
import { findMemberAgent, saveAgent } from './member-agents.ts'

/** The organization that an agent is enrolled for, or the one to found first. */
type AgentOwner = { org_id: string } | { plan: Exclude<Plan, Refusal>; user_id: string }

/**
 * Enrols an agent of a member. Creates what is missing: an organization for a person without one, a
 * profile that is not public. All refusals come before anything is written.
 */
export function enrolAgent(
  db: Sqlite,
  operation: OperationOf<'member.agent.enrol'>,
  stamp: AccountStamp,
): Answer {
  const { op: _, org, founding, ...agent } = operation
  const target = resolveOrganization(db, org, founding)
  if ('refused' in target) return target
  const foreign = refuseForeignHost(db, target, agent.url)
  if (foreign) return foreign
  const { org_id } = 'plan' in target ? applyPlan(db, target.plan, target.user_id, stamp) : target
  const hasProfile = !('refused' in findMember(db, org_id))
  if (!hasProfile) createMember(db, { op: 'member.create', org: org_id }, stamp)
  const answer = saveAgent(db, { op: 'member.agent.save', org: org_id, ...agent }, stamp)
  if ('refused' in answer) return answer
  return {
    done: {
      ...answer.done,
      ...('plan' in target && { org_auto_created: true }),
      ...(!hasProfile && { profile_auto_created: true }),
    },
  }
}

/** Resolves the organization of an agent; a person who joined one in the meantime founds none. */
function resolveOrganization(
  db: Sqlite,
  org: string | undefined,
  founding: Founding | undefined,
): AgentOwner | Refusal {
  if (org !== undefined) {
    const owner = findOrganization(db, org)
    return owner ?? refuseUnknownOrganization(org)
  }
  if (founding === undefined) return { refused: 'an agent needs an organization' }
  const { user_id } = founding
  const first = db.one<{ org_id: string }>(
    `select org_id from memberships where user_id = $user_id and removed_at is null
     order by joined_at, seq, org_id limit 1`,
    { user_id },
  )
  if (first) return first
  const plan = planFounding(db, { ...founding, name: findFreeName(db, founding.name) })
  return 'refused' in plan ? plan : { plan, user_id }
}

/**
 * Refuses an agent on a host outside the member's domains, once the member has proven any domain.
 */
function refuseForeignHost(db: Sqlite, target: AgentOwner, url: string): Refusal | undefined {
  const org_id = 'org_id' in target ? target.org_id : pickOwnId(target.plan)
  if (org_id !== undefined && findMemberAgent(db, org_id, url)) return undefined
  const rows = db.all<{ domain: string }>(
    'select domain from verified_domains where org_id = $org_id order by domain',
    { org_id: org_id ?? '' },
  )
  const mailDomain = 'plan' in target && 'founds' in target.plan ? target.plan.domain : undefined
  const domains = [...rows.map(({ domain }) => domain), ...(mailDomain ? [mailDomain] : [])]
  const { hostname } = new URL(url)
  const isOwn = domains.some(domain => hostname === domain || hostname.endsWith(`.${domain}`))
  if (domains.length === 0 || isOwn) return undefined
  return {
    refused: `verify ${hostname} or a parent domain first`,
    error: 'unverified_hostname',
    fields: {
      agent_hostname: hostname,
      verified_domains: domains,
      reason: 'hostname_mismatch',
    },
  }
}

function pickOwnId(plan: Exclude<Plan, Refusal>): string | undefined {
  return 'adopts' in plan ? plan.adopts.org_id : undefined
}

export const enrollingDefinitions: OperationDefinitions<'member.agent.enrol'> = {
  'member.agent.enrol': {
    perform: enrolAgent,
    requires: { membershipIn: ({ org }) => org },
    changesEnrolments: true,
    irreversible: 'that cannot be undone',
  },
}
