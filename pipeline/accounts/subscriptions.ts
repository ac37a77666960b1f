import { toIso } from '../core/clock.ts'
import { countThings } from '../core/counts.ts'
import type { Answer, OperationOf } from '../model/submission.ts'
import type { Sqlite } from '../store/sqlite.ts'
import type { OperationDefinitions } from './operation-definition.ts'
import type { AccountStamp } from './stamp.ts'

const UNKNOWN = { refused: 'you have no subscription with this ID', error: 'not_found' } as const

/** Creates a subscription, unless the organization has one of this address, or as many as it may have. */
export function createSubscription(
  db: Sqlite,
  { op: _, kind, most, cursor: begins_after, ...fields }: OperationOf<'subscription.create'>,
  { now, seq }: AccountStamp,
): Answer {
  const own = db.all<{ url: string }>(
    'select url from subscriptions where org_id = $org_id and deleted_at is null',
    { org_id: fields.org_id },
  )
  const same = db.one('select 1 from subscriptions where subscription_id = $id', {
    id: fields.subscription_id,
  })
  if (same) return { refused: 'a subscription with this ID already exists', error: 'conflict' }
  if (own.length >= most) {
    const refused = `your organization has ${countThings(own.length, 'subscription')}, and may have ${most}: delete one`
    return { refused, error: 'conflict' }
  }
  if (own.some(({ url }) => url === fields.url)) {
    const refused = 'url: your organization already has a subscription for this URL'
    return { refused, error: 'conflict' }
  }
  const ends = { disabled_at: null, disabled_reason: null, deleted_at: null }
  const row = { ...fields, begins_after, created_at: toIso(now), ...ends, seq }
  db.insert('subscriptions', [row])
  const { subscription_id, created_by: granted_by, url } = fields
  if (kind === 'audit') db.insert('audit_subscriptions', [{ subscription_id, granted_by, seq }])
  return { done: describeSubscription(subscription_id, url) }
}

/** Deletes a subscription. The row stays without its content, so that deliveries notice the change. */
export function deleteSubscription(
  db: Sqlite,
  { subscription_id, org_id }: OperationOf<'subscription.delete'>,
  { now, seq }: AccountStamp,
): Answer {
  const url = findReceiver(db, subscription_id, org_id)
  if (url === undefined) return UNKNOWN
  db.run(
    `update subscriptions set url = null, event_types = '[]', domains = '[]', agents = '[]', created_by = null,
       disabled_reason = null, deleted_at = $now, seq = $seq
     where subscription_id = $subscription_id`,
    { subscription_id, now: toIso(now), seq },
  )
  db.run('delete from audit_subscriptions where subscription_id = $subscription_id', {
    subscription_id,
  })
  return { done: describeSubscription(subscription_id, url) }
}

/** Replaces the filters of a subscription that are named. */
export function changeSubscription(
  db: Sqlite,
  { subscription_id, org_id, event_types, domains, agents }: OperationOf<'subscription.change'>,
  { seq }: AccountStamp,
): Answer {
  const url = findReceiver(db, subscription_id, org_id)
  if (url === undefined) return UNKNOWN
  const toStored = (list: readonly string[] | undefined) => (list ? JSON.stringify(list) : null)
  db.run(
    `update subscriptions set event_types = coalesce($event_types, event_types),
       domains = coalesce($domains, domains), agents = coalesce($agents, agents), seq = $seq
     where subscription_id = $subscription_id`,
    {
      subscription_id,
      event_types: toStored(event_types),
      domains: toStored(domains),
      agents: toStored(agents),
      seq,
    },
  )
  return { done: describeSubscription(subscription_id, url) }
}

/** Disables a subscription; one that is disabled or deleted already stays as it is. */
export function disableSubscription(
  db: Sqlite,
  { subscription_id, reason }: OperationOf<'subscription.disable'>,
  { now, seq }: AccountStamp,
): Answer {
  db.run(
    `update subscriptions set disabled_at = $now, disabled_reason = $reason, seq = $seq
     where subscription_id = $subscription_id and disabled_at is null and deleted_at is null`,
    { subscription_id, reason, now: toIso(now), seq },
  )
  return { done: { subscription_id } }
}

/** Resumes deliveries after the last one. A subscription that is not disabled stays as it is. */
export function resumeSubscription(
  db: Sqlite,
  { subscription_id, org_id, resumed_by }: OperationOf<'subscription.resume'>,
  { seq }: AccountStamp,
): Answer {
  const url = findReceiver(db, subscription_id, org_id)
  if (url === undefined) return UNKNOWN
  const resumed = db.run(
    `update subscriptions set disabled_at = null, disabled_reason = null, seq = $seq
     where subscription_id = $subscription_id and disabled_at is not null`,
    { subscription_id, seq },
  )
  if (resumed > 0 && resumed_by !== undefined) {
    db.run(
      `update audit_subscriptions set granted_by = $resumed_by, seq = $seq
       where subscription_id = $subscription_id`,
      { subscription_id, resumed_by, seq },
    )
  }
  return { done: describeSubscription(subscription_id, url) }
}

/** Describes a subscription for the audit, by the host of its receiver: the path may hold a token. */
function describeSubscription(subscription_id: string, url: string) {
  return { subscription_id, receiver: new URL(url).host }
}

function findReceiver(db: Sqlite, subscription_id: string, org_id: string): string | undefined {
  return db.one<{ url: string }>(
    `select url from subscriptions
     where subscription_id = $subscription_id and org_id = $org_id and deleted_at is null`,
    { subscription_id, org_id },
  )?.url
}

type Name =
  | 'subscription.change'
  | 'subscription.create'
  | 'subscription.delete'
  | 'subscription.disable'
  | 'subscription.resume'

export const subscriptionDefinitions: OperationDefinitions<Name> = {
  'subscription.create': {
    perform: createSubscription,
    requires: {
      membershipIn: ({ org_id }) => org_id,
      right: ({ kind }) => (kind === 'audit' ? 'keys' : 'edit'),
    },
    irreversible: 'its receiver was told: delete the subscription',
  },
  'subscription.delete': {
    perform: deleteSubscription,
    requires: { membershipIn: ({ org_id }) => org_id },
    irreversible: 'its receiver must answer a challenge again: subscribe again',
  },
  'subscription.change': {
    perform: changeSubscription,
    requires: { membershipIn: ({ org_id }) => org_id },
    irreversible: 'deliveries follow its new filters: change them again',
  },
  'subscription.resume': {
    perform: resumeSubscription,
    requires: { membershipIn: ({ org_id }) => org_id },
    irreversible: 'its receiver has answered a challenge: delete the subscription',
  },
  'subscription.disable': {
    perform: disableSubscription,
    irreversible: 'its receiver did not answer for long: resume it',
  },
}
