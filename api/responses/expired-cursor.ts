import { refuse } from '../../pipeline/core/errors.ts'

/** Says how a reader of the feed goes on whose cursor the feed no longer has. */
export const EXPIRED_CURSOR =
  'the feed no longer has this cursor. Load your copy again (agent search, the snapshot of authorizations, the catalog, ' +
  'collections), then continue from the oldest X-Sync-Cursor of these responses. If you keep no copy, begin with since= and a recent time'

/** Refuses a cursor that is older than the feed, or was never issued. */
export function refuseExpiredCursor(): never {
  return refuse('cursor_expired', EXPIRED_CURSOR)
}
