import { z } from 'zod'
import type { Config } from '../../pipeline/core/config.ts'
import { countThings } from '../../pipeline/core/counts.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import { NIL_UUID } from '../../pipeline/core/uuid-v7.ts'
import { AuditCursor, parseAuditCursor } from '../../pipeline/model/accounts/audit-cursor.ts'
import { eventTypeNames } from '../../pipeline/model/event.ts'
import type { Subscription } from '../../pipeline/model/subscription.ts'
import { readPageAfter } from '../../pipeline/read/lookups/feed.ts'
import { findAuditHead } from '../../pipeline/read/lookups/organization-audit.ts'
import { listSubscriptions } from '../../pipeline/read/lookups/subscriptions.ts'
import type { Reader } from '../../pipeline/read/reader.ts'

interface Stores {
  reader: Reader
  config: Config
}

/**
 * Refuses with 409 a second subscription for an address, and more subscriptions than an organization may
 * have. The writer checks both again; checking first spares the receiver a challenge.
 */
export function requireSubscriptionAllowed(
  url: string,
  orgId: string,
  { reader, config }: Stores,
): void {
  const own = listSubscriptions(reader, orgId)
  const max = config.LIMITS.subscriptionsPerOrganization
  if (own.some(subscription => subscription.url === url)) {
    refuse('conflict', 'url: your organization already has a subscription for this URL')
  }
  if (own.length >= max) {
    refuse(
      'conflict',
      `your organization has ${countThings(own.length, 'subscription')} and may have ${max}`,
    )
  }
}

/**
 * Returns the position after which deliveries begin: the requested one, or else the newest. Refuses one that
 * the feed, or the audit of the organization, does not have with 410.
 */
export function resolveCursor(
  requested: string | undefined,
  { kind, org_id }: Pick<Subscription, 'kind' | 'org_id'>,
  stores: Stores,
): string {
  return kind === 'audit'
    ? resolveAuditCursor(requested, org_id, stores)
    : resolveFeedCursor(requested, stores)
}

function resolveAuditCursor(requested: string | undefined, orgId: string, { reader }: Stores) {
  const seq = reader.serving?.seq ?? 0
  const cursor = requested ?? findAuditHead(reader, orgId, seq)
  if (!AuditCursor.safeParse(cursor).success)
    refuse('invalid_request', 'cursor: must be a `cursor` of the audit log')
  if (parseAuditCursor(cursor).seq <= seq) return cursor
  return refuse(
    'cursor_expired',
    'the audit log does not have this cursor: leave it out to begin with what happens from now on',
  )
}

function resolveFeedCursor(requested: string | undefined, stores: Stores): string {
  if (requested !== undefined && !z.uuid().safeParse(requested).success)
    refuse('invalid_request', 'cursor: must be the id of an event')
  const cursor = requested ?? findFeedPage(NIL_UUID, stores)?.head ?? NIL_UUID
  if (findFeedPage(cursor, stores) !== undefined) return cursor
  return refuse(
    'cursor_expired',
    'the feed no longer has this cursor: leave it out to begin with what happens from now on',
  )
}

/** Finds the page of the feed after a cursor, with the newest event as `head`; undefined if the cursor expired. */
function findFeedPage(cursor: string, { reader, config: { LIMITS } }: Stores) {
  const page = readPageAfter(reader, {
    cursor,
    types: eventTypeNames,
    limit: 1,
    maxBytes: LIMITS.feedPageBytes,
    retentionDays: LIMITS.feedRetentionDays,
  })
  page?.release()
  return page
}
