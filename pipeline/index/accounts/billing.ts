import { type Instant, isoOf } from '../../core/clock.ts'
import type { Answer, OperationOf } from '../../model/submission.ts'
import type { Database } from '../duckdb.ts'
import { setTier } from './members.ts'
import { noOrganization, organizationNamed } from './organizations.ts'
import type { Stamp } from './stamp.ts'

/**
 * What the billing provider tells of a membership. An event counts once, however often it is
 * delivered, and one that is older than the last that counted changes nothing.
 */
export async function takeBilling(
  db: Database,
  operation: OperationOf<'member.billing'>,
  stamp: Stamp,
): Promise<Answer> {
  const { event_id, org_id, occurred_at, is_entitled } = operation
  const owner = await organizationNamed(db, org_id)
  if (owner?.org_id !== org_id) return noOrganization(org_id)
  const known = await db.one('select 1 from billing_events where event_id = $event_id', {
    event_id,
  })
  if (known) return { done: { org_id, is_applied: false } }
  const is_applied = !(await isOvertaken(db, org_id, occurred_at))
  const kept = owner.membership_tier
  const told = is_entitled ? (operation.tier ?? kept) : null
  const tier = is_applied ? told : kept
  const demoted = is_applied
    ? await demotedBy(db, { op: 'member.tier', org: org_id, tier }, stamp)
    : 0
  const { now, seq } = stamp
  const when = { occurred_at: isoOf(occurred_at), received_at: isoOf(now), seq }
  await db.insert('billing_events', [
    { event_id, org_id, membership_tier: tier, is_applied, ...when },
  ])
  return { done: { org_id, is_applied, tier, demoted } }
}

async function isOvertaken(db: Database, org_id: string, at: Instant): Promise<boolean> {
  const newer = await db.one(
    `select 1 from billing_events
     where org_id = $org_id and is_applied and occurred_at > $at::timestamptz limit 1`,
    { org_id, at: isoOf(at) },
  )
  return newer !== undefined
}

async function demotedBy(db: Database, operation: OperationOf<'member.tier'>, stamp: Stamp) {
  const answer = await setTier(db, operation, stamp)
  return 'done' in answer ? Number(answer.done.demoted) : 0
}
