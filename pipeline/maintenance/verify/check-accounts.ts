import { relative } from 'node:path'
import type { Accounts } from '../../accounts/store.ts'
import { formatCount } from '../../core/counts.ts'
import type { Database } from '../../store/database.ts'
import { describeDamage } from '../../store/record.ts'
import { listDamagedPictures, listLogosWithoutPicture } from '../../writer/community/logo-files.ts'
import type { Stores } from './stores.ts'

/**
 * Checks that the index has the public agents of the accounts, and that the pictures of logos
 * exist; returns a message for each fault.
 */
export async function checkAccounts(stores: Omit<Stores, 'serving'>): Promise<string[]> {
  const { index, accounts } = stores
  const [damage] = accounts.db.listDamage()
  if (damage !== undefined) return [`record/record.sqlite: ${describeDamage(damage)}`]
  return [
    ...(await listWrongEnrolments(index, accounts)),
    ...listLogosWithoutPicture(stores).map(id => `logos: ${id} has no picture`),
    ...listDamagedPictures(stores.paths.pictures).map(
      path => `logos: ${relative(stores.paths.dir, path)} does not match its name`,
    ),
  ]
}

/** Checks that private agents of members are not in the index. */
async function listWrongEnrolments(index: Database, accounts: Accounts): Promise<string[]> {
  const pair = `select org_id || ' ' || agent_url as pair`
  const published = accounts.db.all<{ pair: string }>(
    `${pair} from member_agents where visibility = 'public'`,
  )
  const shown = new Set(published.map(row => row.pair))
  const enrolled = await index.all<{ pair: string }>(`${pair} from enrolled_agents`)
  const wrong = enrolled.filter(row => !shown.has(row.pair)).length
  return wrong === 0
    ? []
    : [`index: agents are enrolled that no member publishes: ${formatCount(wrong)}`]
}
