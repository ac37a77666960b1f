import { principals } from '../accounts/organizations.ts'
import type { Accounts } from '../accounts.ts'
import type { Scope } from '../scope.ts'
import type { Entry } from '../serving.ts'

/** Each key under the hash of its secret, by which callers are known, and under its organization. */
export async function principalEntries(
  accounts: Accounts,
  { keys, parameters }: Scope,
): Promise<Entry[]> {
  const rows = await principals(accounts.db, keys, parameters)
  return rows.flatMap(({ hash, revoked, ...principal }): Entry[] => {
    const { org_id, key_id } = principal
    const value = revoked ? undefined : Buffer.from(JSON.stringify(principal))
    return [
      { space: 'principal', key: hash, value },
      { space: 'org_key', key: `${org_id} ${key_id}`, value },
    ]
  })
}
