import type { PolicyStats, PolicySummary } from '../../model/responses/policies.ts'
import { toListExpression } from '../../store/columnar/duckdb-values.ts'
import type { Snapshot } from '../reader.ts'
import type { Page } from './page.ts'

export interface PoliciesQuery extends Page {
  search?: string | undefined
  category?: string | undefined
  enforcement?: string | undefined
  jurisdiction?: string | undefined
  policy_category?: string | undefined
  domain?: string | undefined
}

const folded = (text: string) => `strip_accents(lower(${text}))`

/** Condition: every word of the search is in the name or the description, or the whole search is in the id. */
const MATCHING = `
from policies where review_status = 'approved'
  and ($category is null or category = $category)
  and ($enforcement is null or enforcement = $enforcement)
  and ($domain is null or list_contains(governance_domains, $domain))
  and ($policy_category is null or list_contains(policy_categories, $policy_category))
  and ($jurisdiction is null
    or list_contains(list_transform(jurisdictions, j -> lower(j)), lower($jurisdiction))
    or (len(jurisdictions) = 0 and len(json_keys(region_aliases)) = 0)
    or list_contains(list_transform(region_aliases->>'$.*[*]', j -> lower(j)), lower($jurisdiction)))
  and ($search = '' or contains(policy_id, lower($search))
    or list_bool_and(list_transform(${toListExpression('$words')},
      w -> contains(${folded(`name || ' ' || coalesce(description, '')`)}, ${folded('w')}))))`

const SUMMARIES = `select * exclude (policy, guidance, exemplars, ext, seq) ${MATCHING}
order by category, name, policy_id limit $limit offset $offset`

const STATS = `select count(*)::double as total,
  (count(*) filter (category = 'regulation'))::double as regulation,
  (count(*) filter (category = 'standard'))::double as standard ${MATCHING}`

/** Lists a page of the matching approved policies, and how many match in all. */
export async function listPolicies(
  { db }: Snapshot,
  { search = '', limit, offset, ...filters }: PoliciesQuery,
): Promise<{ policies: PolicySummary[]; stats: PolicyStats }> {
  const matching = {
    search,
    words: JSON.stringify(search.split(/[\s_]+/).filter(word => word !== '')),
    category: filters.category ?? null,
    enforcement: filters.enforcement ?? null,
    jurisdiction: filters.jurisdiction ?? null,
    policy_category: filters.policy_category ?? null,
    domain: filters.domain ?? null,
  }
  const [policies, stats] = await Promise.all([
    db.all<PolicySummary>(SUMMARIES, { ...matching, limit, offset }),
    db.oneOrThrow<PolicyStats>(STATS, matching),
  ])
  return { policies, stats }
}
