import { storedLogos } from '../accounts/logos.ts'
import type { Accounts } from '../accounts.ts'
import type { Scope } from '../scope.ts'
import type { Entry } from '../serving.ts'
import { logoKey } from '../serving-keys.ts'

/** Logos with whose they are, by which readers know who may see them. */
export async function logoEntries(
  accounts: Accounts,
  { logos, parameters }: Scope,
): Promise<Entry[]> {
  const rows = await storedLogos(accounts.db, logos, parameters)
  return rows.map(logo => ({
    space: 'logo',
    key: logoKey(logo.domain, logo.logo_id),
    value: Buffer.from(JSON.stringify(logo)),
  }))
}
