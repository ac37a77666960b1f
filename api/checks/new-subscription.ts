import { refuse } from '../../pipeline/core/errors.ts'
import { NIL_UUID } from '../../pipeline/core/uuid-v7.ts'
import { eventTypeNames } from '../../pipeline/model/event.ts'
import { readPageAfter } from '../../pipeline/read/lookups/feed.ts'
import { listSubscriptions } from '../../pipeline/read/lookups/subscriptions.ts'
import type { Services } from '../operation/services.ts'

type Stores = Pick<Services, 'reader' | 'config'>

/**
 * Refuses a second subscription of one address, and more than an organization may have. The writer checks
 * both again; checking them first spares the receiver a challenge.
 */
export function requireRoom(url: string, orgId: string, { reader, config }: Stores): void {
  const own = listSubscriptions(reader, orgId)
  const most = config.LIMITS.subscriptionsPerOrganization
  if (own.some(subscription => subscription.url === url)) {
    refuse('conflict', 'url: your organization has a subscription of this address')
  }
  if (own.length >= most) {
    refuse('conflict', `your organization has ${own.length} subscriptions and may have ${most}`)
  }
}

/**
 * Returns the event after which deliveries begin: the one that is named, or else the newest. Refuses one
 * that the feed no longer has.
 */
export function resolveCursor(named: string | undefined, stores: Stores): string {
  const cursor = named ?? findFeedPosition(NIL_UUID, stores)?.head ?? NIL_UUID
  if (findFeedPosition(cursor, stores) !== undefined) return cursor
  return refuse('cursor_expired', 'the feed no longer has this cursor: start again without one')
}

/** Finds the place of a cursor in the feed, with the newest event as `head`; undefined where it expired. */
function findFeedPosition(cursor: string, { reader, config: { LIMITS } }: Stores) {
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
