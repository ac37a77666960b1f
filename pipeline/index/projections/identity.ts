import { issuers } from '../accounts/issuers.ts'
import { membershipsOf } from '../accounts/memberships.ts'
import type { Accounts } from '../accounts.ts'
import type { Scope } from '../scope.ts'
import type { Entry } from '../serving.ts'

/** Persons with the organizations they belong to; who belongs to none any more is forgotten. */
export async function userEntries(
  accounts: Accounts,
  { users, parameters }: Scope,
): Promise<Entry[]> {
  const found = await membershipsOf(accounts.db, users, parameters)
  return [...found].map(([user_id, memberships]) => ({
    space: 'user',
    key: user_id,
    value: memberships.length > 0 ? Buffer.from(JSON.stringify({ memberships })) : undefined,
  }))
}

/** The identity provider, by whose keys each process verifies tokens. */
export async function issuerEntries(
  accounts: Accounts,
  { issuers: where, parameters }: Scope,
): Promise<Entry[]> {
  const rows = await issuers(accounts.db, where, parameters)
  return rows.map(row => ({
    space: 'issuer',
    key: row.issuer,
    value: Buffer.from(JSON.stringify(row)),
  }))
}
