import { principals } from '../accounts/organizations.ts'
import type { Accounts } from '../accounts.ts'
import type { Scope } from '../scope.ts'
import type { Entry } from '../serving.ts'

export async function principalEntries(
  accounts: Accounts,
  { keys, parameters }: Scope,
): Promise<Entry[]> {
  const rows = await principals(accounts.db, keys, parameters)
  return rows.map(({ hash, revoked, ...principal }) => ({
    space: 'principal',
    key: hash,
    value: revoked ? undefined : Buffer.from(JSON.stringify(principal)),
  }))
}
