import { forgetRequesters } from '../accounts/agents/storyboard-runs.ts'
import { removeUnusedClients } from '../accounts/people.ts'
import { DAY, type Instant, toIso } from '../core/clock.ts'
import type { Limits } from '../core/limits.ts'
import type { Entry, ServingStore } from '../serving/lmdb.ts'
import type { Database } from '../store/database.ts'
import type { Sqlite } from '../store/sqlite.ts'

interface Stores {
  index: Database
  accounts: Sqlite
  serving: ServingStore
}

type RetentionDays = Pick<
  Limits,
  'requestRetentionDays' | 'privateRetentionDays' | 'unusedClientDays'
>

/**
 * Time for which additions of domains, and registrations of applications, are stored as requests: strangers cause many,
 * and they are never looked up.
 */
const ADDITIONS_RETENTION_MS = DAY

/** Operations of which only the result counts. */
const FREQUENT_OPERATIONS = [
  'domains.add',
  'client.register',
  'client.use',
  'watch.report',
  'watch.retract',
]

/** Tables of private rows that tell the past, each with the column of the time at which they ended. */
const over = {
  memberships: 'removed_at',
  roles: 'revoked_at',
  billing_events: 'received_at',
} as const

/**
 * Deletes private rows past their retention. The accounts are last, so that an interrupted run is
 * found and repeated. False where somebody reads an earlier state, so that the log of the record keeps what was deleted.
 */
export async function forgetPrivateRows(
  { index, accounts, serving }: Stores,
  now: Instant,
  { requestRetentionDays, privateRetentionDays, unusedClientDays }: RetentionDays,
): Promise<boolean> {
  const requestsUntil = toIso(now - requestRetentionDays * DAY)
  const until = toIso(now - privateRetentionDays * DAY)
  for (const operation of FREQUENT_OPERATIONS) {
    dropSubmissions(accounts, operation, toIso(now - ADDITIONS_RETENTION_MS))
  }
  removeUnusedClients(accounts, toIso(now - unusedClientDays * DAY))
  await dropRequests({ index, accounts, serving }, requestsUntil)
  dropSubmissions(accounts, 'crawl.request', requestsUntil)
  // The content is in the revisions.
  dropSubmissions(accounts, 'brand.enrich', requestsUntil)
  dropSubmissions(accounts, 'compliance.record', requestsUntil)
  dropSubmissions(accounts, 'agent.request.record', requestsUntil)
  await dropContacts(index, accounts, until)
  accounts.run('delete from invitations where coalesce(ended_at, expires_at) < $until', { until })
  for (const [table, since] of Object.entries(over)) {
    accounts.run(`delete from ${table} where ${since} < $until`, { until })
  }
  dropSubmissions(accounts, 'storyboard.record', until)
  forgetRequesters(accounts, until)
  return accounts.emptyLog()
}

function dropSubmissions(accounts: Sqlite, operation: string, until: string): void {
  accounts.run('delete from submissions where operation = $operation and submitted_at < $until', {
    operation,
    until,
  })
}

/** Requests for crawls, with who made them. */
async function dropRequests({ index, accounts, serving }: Stores, until: string): Promise<void> {
  const rows = accounts.all<{ id: string }>(
    'select crawl_request_id as id from crawl_requests where requested_at < $until',
    { until },
  )
  if (rows.length === 0) return
  const gone = rows.map(({ id: key }): Entry => ({ space: 'crawl_request', key, value: undefined }))
  serving.write(gone, serving.seq)
  await dropFromIndex(index, 'shown_crawl_requests', 'crawl_request_id', rows)
  accounts.run('delete from crawl_requests where requested_at < $until', { until })
}

/** Erases the contacts of revisions that were replaced long ago. */
async function dropContacts(index: Database, accounts: Sqlite, until: string): Promise<void> {
  const rows = await index.all<{ id: string }>(
    `select revision_id as id from revisions
     where entity = 'property' and created_at < ms($until)
       and revision_id not in (select contact_id from entries where contact_id is not null)`,
    { until },
  )
  accounts.run(
    'delete from property_contacts where contact_id in (select value from json_each($ids))',
    { ids: rows.map(({ id }) => id) },
  )
}

async function dropFromIndex(
  index: Database,
  table: string,
  column: string,
  rows: readonly { id: string }[],
): Promise<void> {
  if (rows.length === 0) return
  await index.write(
    'delete from',
    table,
    `where ${column} in (select value from json_each($ids))`,
    { ids: JSON.stringify(rows.map(({ id }) => id)) },
  )
}
