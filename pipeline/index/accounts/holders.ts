import type { StoredHolder } from '../../model/ownership.ts'
import { type Database, listOf } from '../duckdb.ts'

/** Whose these domains are; those that nobody holds are left out. */
export async function holdersOf(
  db: Database,
  domains: readonly string[],
): Promise<Map<string, StoredHolder>> {
  if (domains.length === 0) return new Map()
  const rows = await db.all<StoredHolder & { domain: string }>(
    `select domain, org_id, proof, verified_at from verified_domains
     where domain in (select unnest(${listOf('$domains')}))`,
    { domains: JSON.stringify(domains) },
  )
  return new Map(rows.map(({ domain, ...holder }) => [domain, holder]))
}
