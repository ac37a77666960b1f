import { proofRows } from '../accounts/proofs.ts'
import type { Accounts } from '../accounts.ts'
import type { Scope } from '../scope.ts'
import type { Entry } from '../serving.ts'
import { ownershipKey } from '../serving-keys.ts'

/** What organizations have shown of domains. */
export async function ownershipEntries(
  accounts: Accounts,
  { proofs, parameters }: Scope,
): Promise<Entry[]> {
  const rows = await proofRows(accounts.db, proofs, parameters)
  return rows.map(({ org_id, domain, proof }) => ({
    space: 'ownership',
    key: ownershipKey(org_id, domain),
    value: proof === null ? undefined : Buffer.from(JSON.stringify(proof)),
  }))
}
