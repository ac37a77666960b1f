import type { FeedEvent } from '../model/event.ts'
import type { Accounts } from './accounts.ts'
import type { Database } from './duckdb.ts'
import { aliasEntries } from './projections/aliases.ts'
import { keyedEntries } from './projections/authority.ts'
import { brandEntries } from './projections/brands.ts'
import { crawlRequestEntries } from './projections/crawl-requests.ts'
import { commitsOf, eventEntries } from './projections/events.ts'
import { freshnessEntries } from './projections/freshness.ts'
import { hostedFileEntries, originEntries } from './projections/hosted.ts'
import { issuerEntries, userEntries } from './projections/identity.ts'
import { logoEntries } from './projections/logos.ts'
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
  const commits = await within(scope.events, () => commitsOf(index, scope))
  const keyed = scope.keyed === '' ? nothingKeyed : await keyedEntries(index, scope)
  const entries = [
    ...(await within(scope.gone, () => goneEntries(index, scope))),
    ...keyed.gone,
    ...(await within(scope.brands, () => brandEntries(index, scope))),
    ...(await within(scope.publishers, () => publisherEntries(index, accounts, scope))),
    ...(await hostedFileEntries(index, accounts, scope)),
    ...keyed.put,
    ...(await within(scope.files, () => freshnessEntries(index, scope))),
    ...commits.flatMap(eventEntries),
    ...(await within(scope.keys, () => principalEntries(accounts, scope))),
    ...(await within(scope.users, () => userEntries(accounts, scope))),
    ...(await within(scope.issuers, () => issuerEntries(accounts, scope))),
    ...(await within(scope.members, () => memberEntries(accounts, scope))),
    ...(await within(scope.proofs, () => ownershipEntries(accounts, scope))),
    ...(await within(scope.roles, () => roleEntries(accounts, scope))),
    ...(await within(scope.reviews, () => reviewEntries(accounts, scope))),
    ...(await within(scope.policies, () => policyEntries(index, scope))),
    ...(await within(scope.mirrors, () => mirrorEntries(accounts, scope))),
    ...(await within(scope.origins, () => originEntries(accounts, scope))),
    ...(await within(scope.logos, () => logoEntries(accounts, scope))),
    ...(await within(scope.aliases, () => aliasEntries(index, scope))),
    ...(await within(scope.requests, () => crawlRequestEntries(index, accounts, scope))),
    ...(await within(scope.revisions, () => revisionEntries(index, accounts, scope))),
  ]
  return { entries, events: commits.flat() }
}

const nothingKeyed: Awaited<ReturnType<typeof keyedEntries>> = { gone: [], put: [] }

async function within<Made>(part: string, make: () => Promise<Made[]>): Promise<Made[]> {
  return part === '' ? [] : make()
}
