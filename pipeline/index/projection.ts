import type { FeedEvent } from '../model/event.ts'
import type { Accounts } from './accounts.ts'
import type { Database } from './duckdb.ts'
import { aliasEntries } from './projections/aliases.ts'
import { keyedEntries } from './projections/authority.ts'
import { brandEntries } from './projections/brands.ts'
import { crawlRequestEntries } from './projections/crawl-requests.ts'
import { commitsOf, eventEntries } from './projections/events.ts'
import { freshnessEntries } from './projections/freshness.ts'
import { issuerEntries, userEntries } from './projections/identity.ts'
import { memberEntries } from './projections/members.ts'
import { mirrorEntries } from './projections/mirrors.ts'
import { ownershipEntries } from './projections/ownership.ts'
import { policyEntries } from './projections/policies.ts'
import { principalEntries } from './projections/principals.ts'
import { publisherEntries } from './projections/publishers.ts'
import { reviewEntries } from './projections/reviews.ts'
import { revisionEntries } from './projections/revisions.ts'
import { roleEntries } from './projections/roles.ts'
import { goneEntries } from './projections/taken-down.ts'
import type { Scope } from './scope.ts'
import type { Entry } from './serving.ts'

/**
 * What the serving store must hold for a part of the index: read from the index alone, so that a
 * commit, a recovery, a rebuild and a check project with the same code.
 */
export async function entriesOf(
  index: Database,
  accounts: Accounts,
  scope: Scope,
): Promise<{ entries: Entry[]; events: FeedEvent[] }> {
  const commits = await commitsOf(index, scope)
  const keyed = await keyedEntries(index, scope)
  const entries = [
    ...(await goneEntries(index, scope)),
    ...keyed.gone,
    ...(await brandEntries(index, scope)),
    ...(await publisherEntries(index, accounts, scope)),
    ...keyed.put,
    ...(await freshnessEntries(index, scope)),
    ...commits.flatMap(eventEntries),
    ...(await principalEntries(accounts, scope)),
    ...(await userEntries(accounts, scope)),
    ...(await issuerEntries(accounts, scope)),
    ...(await memberEntries(accounts, scope)),
    ...(await ownershipEntries(accounts, scope)),
    ...(await roleEntries(accounts, scope)),
    ...(await reviewEntries(accounts, scope)),
    ...(await policyEntries(index, scope)),
    ...(await mirrorEntries(accounts, scope)),
    ...(await aliasEntries(index, scope)),
    ...(await crawlRequestEntries(index, accounts, scope)),
    ...(await revisionEntries(index, accounts, scope)),
  ]
  return { entries, events: commits.flat() }
}
