import type { Accounts } from '../../accounts/store.ts'
import type { FeedEvent } from '../../model/event.ts'
import type { Database } from '../../store/database.ts'
import type { Entry } from '../lmdb.ts'
import { projectKeys } from './authority.ts'
import { projectBrands } from './brands.ts'
import type { Scope } from './change-scope.ts'
import { loadCommits, projectEvents } from './events.ts'
import { projectHostedEntries } from './hosted.ts'
import { projectPublishers } from './publishers.ts'
import { projectPolicies, projectRevisions } from './revisions.ts'

/**
 * Projects a part of the index to entries of the serving store. Reads the index alone, so that a
 * commit, a recovery, a rebuild and a check project with the same code.
 */
export async function projectEntries(
  index: Database,
  accounts: Accounts,
  scope: Scope,
): Promise<{ entries: Entry[]; events: FeedEvent[] }> {
  const commits = await projectWithin(scope.events, () => loadCommits(index, scope))
  const keyed = scope.keyed === '' ? nothingKeyed : await projectKeys(index, scope)
  const entries = [
    ...(await projectWithin(scope.gone, () => projectGone(index, scope))),
    ...keyed.gone,
    ...(await projectWithin(scope.brands, () => projectBrands(index, scope))),
    ...(await projectWithin(scope.publishers, () => projectPublishers(index, accounts, scope))),
    ...(await projectWithin(scope.brands || scope.publishers, () =>
      projectHostedEntries(index, accounts, scope),
    )),
    ...keyed.put,
    ...commits.flatMap(projectEvents),
    ...(await projectWithin(scope.policies, () => projectPolicies(index, scope))),
  ]
  for (const [projection, where] of scope.rows) {
    entries.push(...(await projection.project({ index, accounts }, where, scope.parameters)))
  }
  // After the policies: one that was rejected takes its revision with it.
  entries.push(
    ...(await projectWithin(scope.revisions, () => projectRevisions(index, accounts, scope))),
  )
  return { entries, events: commits.flat() }
}

const nothingKeyed: Awaited<ReturnType<typeof projectKeys>> = { gone: [], put: [] }

async function projectWithin<Made>(part: string, make: () => Promise<Made[]>): Promise<Made[]> {
  return part === '' ? [] : make()
}

/** Removes keys that ended because a domain was taken down. */
async function projectGone(index: Database, { gone, parameters }: Scope): Promise<Entry[]> {
  const rows = await index.all<Pick<Entry, 'space' | 'key'>>(gone, parameters)
  return rows.map(({ space, key }) => ({ space, key, value: undefined }))
}
