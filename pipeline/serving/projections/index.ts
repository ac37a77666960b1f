import type { Accounts } from '../../accounts/store.ts'
import type { FeedEvent } from '../../model/event.ts'
import type { Database } from '../../store/database.ts'
import type { Entry } from '../lmdb.ts'
import { projectKeys } from './authority.ts'
import { projectBrands } from './brands.ts'
import { loadCommits, projectEvents } from './events.ts'
import { projectHostedEntries } from './hosted.ts'
import { projectPublishers } from './publishers.ts'
import { projectPolicies, projectRevisions } from './revisions.ts'
import type { Scope } from './scope.ts'

/**
 * Projects a part of the index to entries of the serving store. Reads the index alone, so that a
 * commit, a recovery, a rebuild and a check project with the same code.
 */
export async function projectEntries(
  index: Database,
  accounts: Accounts,
  scope: Scope,
): Promise<{ entries: Entry[]; events: FeedEvent[] }> {
  const { gone, brands, publishers, policies } = scope
  const commits = scope.events === '' ? [] : await loadCommits(index, scope)
  const keyed = scope.keyed.length > 0 ? await projectKeys(index, scope) : nothingKeyed
  const entries = [
    ...gone.map(({ space, key }) => ({ space, key, value: undefined }) as Entry),
    ...keyed.gone,
    ...(brands.length > 0 ? await projectBrands(index, scope) : []),
    ...(publishers.length > 0 ? await projectPublishers(index, accounts, scope) : []),
    ...(brands.length + publishers.length > 0
      ? await projectHostedEntries(index, accounts, scope)
      : []),
    ...keyed.put,
    ...commits.flatMap(projectEvents),
    ...(policies.length > 0 ? await projectPolicies(index, policies) : []),
  ]
  // One by one: a call takes no more than some 100,000 arguments.
  for (const [projection, where] of scope.rows) {
    const rows = await projection.project({ index, accounts }, where, scope.parameters)
    for (const entry of rows) entries.push(entry)
  }
  // After the policies: one that was rejected takes its revision with it.
  const revisions = scope.revisions === '' ? [] : await projectRevisions(index, accounts, scope)
  return { entries: entries.concat(revisions), events: commits.flat() }
}

const nothingKeyed: Awaited<ReturnType<typeof projectKeys>> = { gone: [], put: [] }
