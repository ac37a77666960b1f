import { HOUR, type Instant } from '../../core/clock.ts'
import { buildProtectedNames, type ProtectedNames } from '../../core/lookalikes/protected-names.ts'
import type { Database } from '../../store/database.ts'

/** Names that new ones must not imitate: those that the operator lists, and brands of the registry. */
export interface NameRules {
  protectedNames: ProtectedNames
  /** Reach from which a brand with a file of its own is protected; 0 protects none. */
  protectedReach: number
  now: Instant
}

/** Protected brands at most, those of the largest reach: each is compared with every new name. */
const BRANDS_MAX = 10_000

/**
 * Loads the names of the operator together with the brands whose reach is large enough. Those are listed anew each
 * hour, since that reads all brands.
 */
export function loadProtectedNames(
  index: Database,
  { protectedNames, protectedReach, now }: NameRules,
): Promise<ProtectedNames> {
  if (protectedReach === 0) return Promise.resolve(protectedNames)
  const hour = Math.floor(now / HOUR)
  const question = JSON.stringify([hour, protectedReach, ...protectedNames.sites])
  return index.written.memo('protected names', question, [], async () =>
    buildProtectedNames([
      ...(await listBrandsOfReach(index, protectedReach)),
      ...protectedNames.sites,
    ]),
  )
}

/**
 * Lists brands with a file of their own by their reach: their active properties, the other brands of their
 * house, and the publishers that grant their agents anything.
 */
async function listBrandsOfReach(index: Database, reach: number): Promise<string[]> {
  const rows = await index.all<{ domain: string }>(
    `with housed as (
       select house_domain as domain, count(*) as n from brands
       where source = 'brand_json' and house_domain is not null and house_domain != domain
       group by house_domain),
     sold as (
       select d.location as domain, max(a.publisher_count) as n
       from agent_declarations d join agents a using (agent_url) group by d.location)
     select domain from brands b
     left join publishers p using (domain)
     left join housed h using (domain)
     left join sold s using (domain)
     where b.source = 'brand_json' and b.canonical_domain = b.domain
       and coalesce(p.property_count, 0) + coalesce(h.n, 0) + coalesce(s.n, 0) >= $reach
     order by coalesce(p.property_count, 0) + coalesce(h.n, 0) + coalesce(s.n, 0) desc, domain
     limit ${BRANDS_MAX}`,
    { reach },
  )
  return rows.map(({ domain }) => domain)
}
