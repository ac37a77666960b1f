import { storedRoles } from '../accounts/roles.ts'
import type { Accounts } from '../accounts.ts'
import type { Scope } from '../scope.ts'
import type { Entry } from '../serving.ts'
import { roleKey } from '../serving-keys.ts'

export async function roleEntries(
  accounts: Accounts,
  { roles, parameters }: Scope,
): Promise<Entry[]> {
  const rows = await storedRoles(accounts.db, roles, parameters)
  return rows.map(row => ({
    space: 'role',
    key: roleKey(row.holder, row.id),
    value: row.roles.length === 0 ? undefined : Buffer.from(JSON.stringify(row)),
  }))
}
