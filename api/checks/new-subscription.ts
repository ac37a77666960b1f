import { refuse } from '../../pipeline/core/errors.ts'
import { NIL_UUID } from '../../pipeline/core/uuid-v7.ts'
import { eventTypeNames } from '../../pipeline/model/event.ts'
import { readPageAfter } from '../../pipeline/read/lookups/feed.ts'
import { listSubscriptions } from '../../pipeline/read/lookups/subscriptions.ts'
import type { Services } from '../operation/services.ts'

type Stores = Pick<Services, 'reader' | 'config'>

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
    refuse('conflict', 'url: your organization already has a subscription for this address')
  }
  if (own.length >= max) {
    refuse('conflict', `your organization has ${own.length} subscriptions and may have ${max}`)
  }
}

/**
 * Returns the event after which deliveries begin: the requested one, or else the newest. Refuses a cursor
 * that the feed no longer has with 410.
 */
export function resolveCursor(requested: string | undefined, stores: Stores): string {
  const cursor = requested ?? findFeedPage(NIL_UUID, stores)?.head ?? NIL_UUID
  if (findFeedPage(cursor, stores) !== undefined) return cursor
  return refuse('cursor_expired', 'the feed no longer has this cursor: start again without one')
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
