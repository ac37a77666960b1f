import { createHash } from 'node:crypto'
import { pushTypes } from '../core/push-types.ts'
import { formatAuditCursor, parseAuditCursor } from '../model/accounts/audit-cursor.ts'
import type { OrganizationChange } from '../model/responses/organization.ts'
import type { Subscription } from '../model/subscription.ts'
import {
  describeChanges,
  listAuditSteps,
  mayPostAudit,
} from '../read/lookups/organization-audit.ts'
import type { Sqlite } from '../store/sqlite.ts'
import type { NextPage } from './pages.ts'

/** The audit to read: private rows, and the last commit that is complete. */
export interface AuditSource {
  record: Sqlite
  seq: number
}

export interface AuditRequest {
  cursor: string
  /** Submissions to look at, at most. */
  limit: number
  /** Size of the changes, in bytes, unless a single one is larger. */
  maxBytes: number
  /** Last submission, for a delivery that is repeated. */
  to?: string | undefined
}

/**
 * Reads what comes next in the audit of an organization, as `GET` of the audit shows it. Returns the reason instead
 * where nothing may be posted anymore: the right to it is looked up each time, since it may end at any commit.
 */
export function readAuditPage(
  { record, seq }: AuditSource,
  { org_id, granted_by }: Pick<Subscription, 'org_id' | 'granted_by'>,
  { cursor, limit, maxBytes, to }: AuditRequest,
): NextPage | { ended: string } {
  const reader = { record }
  if (granted_by === null || !mayPostAudit(reader, org_id, granted_by))
    return {
      ended:
        'whoever created or last resumed the subscription no longer has access to the audit log',
    }
  const after = parseAuditCursor(cursor)
  if (after.seq > seq) return { ended: 'the audit log no longer has the change of its cursor' }
  const steps = listAuditSteps(reader, org_id, { after, until: seq, limit })
  const changes = describeChanges(
    reader,
    org_id,
    steps.flatMap(({ change }) => change ?? []),
  )
  const byId = new Map(changes.map(change => [change.id, change]))
  const taken: OrganizationChange[] = []
  let position = after
  let scanned = 0
  let bytes = 0
  for (const step of steps) {
    const change = byId.get(step.position.id)
    bytes += change === undefined ? 0 : Buffer.byteLength(JSON.stringify(change))
    const isTooLarge = bytes > maxBytes && taken.length > 0
    // A repeated delivery ends where its first attempt did.
    if (to === undefined ? isTooLarge : formatAuditCursor(step.position) > to) break
    position = step.position
    scanned++
    if (change) taken.push(change)
  }
  const end = to ?? formatAuditCursor(position)
  return { to: end, scanned, shared: toSharedBody(taken, end) }
}

function toSharedBody(changes: readonly OrganizationChange[], cursor: string) {
  const last = changes.at(-1)
  if (last === undefined) return undefined
  const bytes = Buffer.from(JSON.stringify({ result: { changes, cursor } }).slice(0, -1))
  const hash = createHash('sha256').update(bytes)
  return { type: pushTypes.audit, at: last.at, events: changes.length, bytes, hash }
}
