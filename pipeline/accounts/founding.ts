import { toIso } from '../core/clock.ts'
import { countThings } from '../core/counts.ts'
import type { Founding } from '../model/accounts/organization.ts'
import type { Answer, OperationOf, Refusal } from '../model/submission.ts'
import type { Sqlite } from '../store/sqlite.ts'
import { addMembership } from './memberships.ts'
import type { OperationDefinitions } from './operation-definition.ts'
import {
  findOrganization,
  insertOrganization,
  type NewOrganization,
  type Organization,
  STAYS,
} from './organizations.ts'
import type { AccountStamp } from './stamp.ts'
import { findTakenDown } from './taken-down.ts'

const ORGANIZATIONS_MAX = 10

/** A founding: of a new organization, with the domain that becomes its own, or of one that waits for its first person. */
export type Plan = { founds: NewOrganization; domain?: string } | { adopts: Organization } | Refusal

export function foundOrganization(
  db: Sqlite,
  operation: OperationOf<'organization.found'>,
  stamp: AccountStamp,
): Answer {
  const plan = planFounding(db, operation)
  if ('refused' in plan) return plan
  const taken = 'founds' in plan && findOrganization(db, operation.name)
  if (taken) {
    return { refused: `an organization named ${operation.name} already exists`, error: 'conflict' }
  }
  const { company_type, revenue_tier, marketing_opt_in } = operation
  const answers = {
    ...(company_type && { company_type }),
    ...(revenue_tier && { revenue_tier }),
    marketing_opt_in,
  }
  const { org_id, name } = applyPlan(db, plan, operation.user_id, stamp, answers)
  return { done: { org_id, name, ...('adopts' in plan && { adopted: true }) } }
}

/**
 * Plans the organization of a person. A mailbox at a domain founds an organization of that domain only once.
 * Later people are shown the name of the existing organization, unless it has no member and no data yet. Who belongs
 * to it founds more without the domain.
 */
export function planFounding(db: Sqlite, founding: Founding): Plan {
  const { org_id, name, user_id, is_personal, email_domain } = founding
  const theirs = db.all<Organization & { is_personal: boolean; role: string }>(
    `select o.org_id, o.name, o.membership_tier, o.is_personal, m.role
     from memberships m join organizations o using (org_id)
     where m.user_id = $user_id and m.removed_at is null`,
    { user_id },
  )
  if (theirs.length >= ORGANIZATIONS_MAX) {
    return { refused: `you already belong to ${countThings(theirs.length, 'organization')}` }
  }
  const workspace = theirs.find(
    organization => organization.is_personal && organization.role === 'owner',
  )
  if (is_personal && workspace) return refuseExisting('you already have a workspace', workspace)
  const holder =
    email_domain && !is_personal ? findHoldingOrganization(db, email_domain) : undefined
  const founds = { org_id, name, is_personal }
  const isFree = email_domain && !is_personal && !findTakenDown(db, email_domain)
  if (holder === undefined) return { founds, ...(isFree && { domain: email_domain }) }
  if (theirs.some(organization => organization.org_id === holder.org_id)) return { founds }
  return isProspect(db, holder)
    ? { adopts: holder }
    : refuseExisting(
        `the organization ${holder.name} already uses ${holder.domain}, the domain of your email address. Ask one of its owners to invite you, or create a workspace of your own`,
        holder,
      )
}

export function applyPlan(
  db: Sqlite,
  plan: Exclude<Plan, Refusal>,
  user_id: string,
  stamp: AccountStamp,
  said: Partial<NewOrganization> = {},
): Pick<Organization, 'org_id' | 'name'> {
  const { org_id, name } = 'founds' in plan ? plan.founds : plan.adopts
  if ('founds' in plan) {
    insertOrganization(db, { ...plan.founds, ...said }, stamp)
    if (plan.domain !== undefined) {
      const verified = { org_id, domain: plan.domain, proof: 'email' }
      const { now, seq } = stamp
      db.insert('verified_domains', [{ ...verified, verified_at: toIso(now), seq }])
    }
  }
  addMembership(db, { org_id, user_id, role: 'owner' }, stamp)
  return { org_id, name }
}

/** Finds a name that no organization has: the wanted one, with a number where it is taken. */
export function findFreeName(db: Sqlite, wanted: string): string {
  for (let number = 1; ; number++) {
    const name = number === 1 ? wanted : `${wanted} ${number}`
    if (!findOrganization(db, name)) return name
  }
}

/** Finds the organization that holds this domain or the nearest one above it. */
function findHoldingOrganization(
  db: Sqlite,
  domain: string,
): (Organization & { domain: string }) | undefined {
  const names = domain.split('.').map((_, i, labels) => labels.slice(i).join('.'))
  return db.one(
    `select o.org_id, o.name, o.membership_tier, d.domain
     from verified_domains d join organizations o using (org_id)
     where d.domain in (select value from json_each($names)) order by length(d.domain) desc limit 1`,
    { names: JSON.stringify(names) },
  )
}

/**
 * Tells whether an organization was entered by the operator and is still unused: no person, no key, no
 * membership and no agent.
 */
function isProspect(db: Sqlite, { org_id, membership_tier }: Organization) {
  if (membership_tier !== null) return false
  const row = db.oneOrThrow<{ used: boolean }>(
    `select exists (select 1 from memberships where org_id = $org_id)
       or exists (select 1 from api_keys where org_id = $org_id)
       or exists (select 1 from member_agents where org_id = $org_id)
       as "used [boolean]"`,
    { org_id },
  )
  return !row.used
}

function refuseExisting(refused: string, { org_id, name }: Organization): Refusal {
  const fields = { message: refused, existing_org_id: org_id, existing_org_name: name }
  return { refused, error: 'conflict', fields }
}

export const foundingDefinitions: OperationDefinitions<'organization.found'> = {
  'organization.found': {
    perform: foundOrganization,
    irreversible: STAYS,
  },
}
