import type { Accounts } from '../accounts.ts'
import type { Database } from '../duckdb.ts'
import { logosWithoutPicture } from '../pictures.ts'
import type { Stores } from './stores.ts'

export async function wrongInAccounts(stores: Omit<Stores, 'serving'>): Promise<string[]> {
  const { index, accounts } = stores
  const ids = async (db: Database) =>
    new Set(
      (await db.all<{ id: string }>('select submission_id as id from submissions')).map(
        row => row.id,
      ),
    )
  const [inIndex, inAccounts] = [await ids(index), await ids(accounts.db)]
  const missing = [...inIndex].filter(id => !inAccounts.has(id))
  return [
    ...missing.map(id => `accounts: the index has submission ${id}, accounts have not`),
    ...(await wrongEnrolments(index, accounts)),
    ...(await logosWithoutPicture(stores)).map(id => `logos: ${id} has no picture`),
  ]
}

/** What members keep to themselves must not stand in the index. */
async function wrongEnrolments(index: Database, accounts: Accounts): Promise<string[]> {
  const pairs = async (db: Database, from: string) =>
    (await db.all<{ pair: string }>(`select org_id || ' ' || agent_url as pair from ${from}`)).map(
      ({ pair }) => pair,
    )
  const shown = new Set(await pairs(accounts.db, `member_agents where visibility = 'public'`))
  const enrolled = await pairs(index, 'enrolled_agents')
  const wrong = enrolled.filter(pair => !shown.has(pair)).length
  return wrong === 0 ? [] : [`index: ${wrong} agents are enrolled that no member shows`]
}
