import { lastMemberChange, storedMembers } from '../accounts/stored-members.ts'
import type { Accounts } from '../accounts.ts'
import type { Scope } from '../scope.ts'
import { type Entry, MEMBERS_CHANGED } from '../serving.ts'

/** Members, and when any of them changed, by which readers know whether to read them again. */
export async function memberEntries(
  accounts: Accounts,
  { members, parameters }: Scope,
): Promise<Entry[]> {
  const stored = await storedMembers(accounts.db, members, parameters)
  if (stored.length === 0) return []
  const changed = Buffer.from(String(await lastMemberChange(accounts.db)))
  return [
    ...stored.map(
      (member): Entry => ({
        space: 'member',
        key: member.org_id,
        value: Buffer.from(JSON.stringify(member)),
      }),
    ),
    { space: 'meta', key: MEMBERS_CHANGED, value: changed },
  ]
}
