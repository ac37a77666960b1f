import { holdersOf } from '../accounts/holders.ts'
import { proofRows } from '../accounts/proofs.ts'
import type { Accounts } from '../accounts.ts'
import type { Scope } from '../scope.ts'
import type { Entry } from '../serving.ts'
import { holderKey, holdingKey, ownershipKey } from '../serving-keys.ts'

/**
 * What organizations have shown of domains, and whose these are: a domain that is held, or was taken
 * from who held it, is among them.
 */
export async function ownershipEntries(
  accounts: Accounts,
  { proofs, parameters }: Scope,
): Promise<Entry[]> {
  const rows = await proofRows(accounts.db, proofs, parameters)
  const domains = [...new Set(rows.map(({ domain }) => domain))]
  const holders = await holdersOf(accounts.db, domains)
  return [
    ...rows.flatMap(({ org_id, domain, proof }) => {
      const holder = holders.get(domain)
      const held = holder?.org_id === org_id ? holder : undefined
      return [
        entryOf(ownershipKey(org_id, domain), proof ?? undefined),
        entryOf(holdingKey(org_id, domain), held),
      ]
    }),
    ...domains.map(domain => entryOf(holderKey(domain), holders.get(domain))),
  ]
}

/** Without a value whatever stands there ends. */
function entryOf(key: string, value: object | undefined): Entry {
  return { space: 'ownership', key, value: value && Buffer.from(JSON.stringify(value)) }
}
