import { type Instant, toIso } from '../core/clock.ts'
import type { Answer, OperationOf } from '../model/submission.ts'
import type { Sqlite } from '../store/sqlite.ts'
import { setTier } from './members.ts'
import type { OperationDefinitions } from './operation-definition.ts'
import { findOrganization, refuseUnknownOrganization } from './organizations.ts'
import type { AccountStamp } from './stamp.ts'

/**
 * Applies a billing event to a membership. An event counts once, however often it is delivered, and one
 * older than the last that counted changes nothing.
 */
export function applyBilling(
  db: Sqlite,
  operation: OperationOf<'member.billing'>,
  stamp: AccountStamp,
): Answer {
  const { event_id, org_id, occurred_at, is_entitled } = operation
  const owner = findOrganization(db, org_id)
  if (owner?.org_id !== org_id) return refuseUnknownOrganization(org_id)
  const known = db.one('select 1 from billing_events where event_id = $event_id', {
    event_id,
  })
  if (known) return { done: { org_id, is_applied: false } }
  const is_applied = !isOvertaken(db, org_id, occurred_at)
  const current = owner.membership_tier
  const entitledTier = is_entitled ? (operation.tier ?? current) : null
  const tier = is_applied ? entitledTier : current
  const demoted = is_applied ? listDemoted(db, { op: 'member.tier', org: org_id, tier }, stamp) : 0
  const { now, seq } = stamp
  const when = { occurred_at: toIso(occurred_at), received_at: toIso(now), seq }
  db.insert('billing_events', [{ event_id, org_id, membership_tier: tier, is_applied, ...when }])
  return { done: { org_id, is_applied, tier, demoted } }
}

function isOvertaken(db: Sqlite, org_id: string, occurredAt: Instant): boolean {
  const newer = db.one(
    `select 1 from billing_events
     where org_id = $org_id and is_applied and occurred_at > $at limit 1`,
    { org_id, at: toIso(occurredAt) },
  )
  return newer !== undefined
}

function listDemoted(db: Sqlite, operation: OperationOf<'member.tier'>, stamp: AccountStamp) {
  const answer = setTier(db, operation, stamp)
  return 'done' in answer ? Number(answer.done.demoted) : 0
}

export const billingDefinitions: OperationDefinitions<'member.billing'> = {
  'member.billing': {
    perform: applyBilling,
    requires: { membershipIn: ({ org_id }) => org_id },
    changesEnrolments: true,
    irreversible: 'memberships follow the billing provider: change them there',
  },
}
