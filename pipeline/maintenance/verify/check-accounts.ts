import { relative } from 'node:path'
import type { Accounts } from '../../accounts/store.ts'
import type { Database } from '../../store/duckdb.ts'
import { listDamagedPictures, listLogosWithoutPicture } from '../../writer/community/logo-files.ts'
import { listUnknownToIndex } from '../../writer/healing/facts.ts'
import type { Stores } from './stores.ts'

/** Message about submissions that only the accounts have. */
const UNKNOWN = 'writes of the accounts are missing: run `registry replay`'

/**
 * Checks that accounts and index have the same submissions and public agents, and that the pictures of logos
 * exist; returns a message for each fault.
 */
export async function checkAccounts(stores: Omit<Stores, 'serving'>): Promise<string[]> {
  const { index, accounts } = stores
  const ids = async (db: Database) =>
    new Set(
      (await db.all<{ id: string }>('select submission_id as id from submissions')).map(
        row => row.id,
      ),
    )
  const [inIndex, inAccounts] = [await ids(index), await ids(accounts.db)]
  const lost = await listUnknownToIndex(index, accounts.db, { exceptUnfinished: true })
  const missing = [...inIndex].filter(id => !inAccounts.has(id))
  return [
    ...missing.map(id => `accounts: the index has submission ${id}, the accounts do not`),
    ...(lost.length === 0 ? [] : [`index: ${lost.length} ${UNKNOWN}`]),
    ...(await listWrongEnrolments(index, accounts)),
    ...(await listLogosWithoutPicture(stores)).map(id => `logos: ${id} has no picture`),
    ...listDamagedPictures(stores.paths.pictures).map(
      path => `logos: ${relative(stores.paths.dir, path)} does not match its name`,
    ),
  ]
}

/** Checks that private agents of members are not in the index. */
async function listWrongEnrolments(index: Database, accounts: Accounts): Promise<string[]> {
  const pairs = async (db: Database, from: string) =>
    (await db.all<{ pair: string }>(`select org_id || ' ' || agent_url as pair from ${from}`)).map(
      ({ pair }) => pair,
    )
  const shown = new Set(await pairs(accounts.db, `member_agents where visibility = 'public'`))
  const enrolled = await pairs(index, 'enrolled_agents')
  const wrong = enrolled.filter(pair => !shown.has(pair)).length
  return wrong === 0 ? [] : [`index: ${wrong} agents are enrolled that no member publishes`]
}
