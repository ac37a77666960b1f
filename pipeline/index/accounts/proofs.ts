import { DAY, type Instant, isoOf } from '../../core/clock.ts'
import { type Database, listOf } from '../duckdb.ts'

/** For how long a proof counts. */
const PROOF_DAYS = 90

/**
 * Whether an organization has shown that a domain, or one above it, is its own, lately enough; what
 * whoever runs the registry said of it holds for good.
 */
export async function hasProof(
  accounts: Database,
  org_id: string,
  domain: string,
  now: Instant,
): Promise<boolean> {
  const row = await accounts.one(
    `select 1 from (
       select org_id, domain, verified_at, false as is_lasting from ownership_proofs
       union all select org_id, domain, verified_at, proof = 'operator' from verified_domains)
     where org_id = $org_id and domain in (select unnest(${listOf('$domains')}))
       and (is_lasting or verified_at >= $since::timestamptz) limit 1`,
    {
      org_id,
      domains: JSON.stringify(withParents(domain)),
      since: isoOf(now - PROOF_DAYS * DAY),
    },
  )
  return row !== undefined
}

/** A domain and those above it that are no bare suffix. */
function withParents(domain: string): string[] {
  const labels = domain.split('.')
  return labels.slice(0, -1).map((_, i) => labels.slice(i).join('.'))
}
