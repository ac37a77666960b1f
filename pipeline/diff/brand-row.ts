import type { Domain } from '../core/domain.ts'
import type { BrandRow } from '../model/rows.ts'
import type { BrandFacts } from '../resolve/brand.ts'

/** Builds the row of a brand from the facts of its files. */
export function buildBrandRow(domain: Domain, facts: BrandFacts, seq: number): BrandRow {
  return {
    domain,
    canonical_id: facts.canonical_domain,
    canonical_domain: facts.canonical_domain,
    brand_name: facts.brand_name,
    source: 'brand_json',
    brand_id: facts.brand_id ?? null,
    keller_type: facts.keller_type ?? null,
    house_domain: facts.house_domain ?? null,
    house_name: facts.house_name ?? null,
    claimed_house_domain: facts.claimed_house_domain ?? null,
    parent_brand: facts.parent_brand ?? null,
    brand_agent_url: facts.brand_agent_url ?? null,
    relationship_trust: facts.relationship_trust,
    relationship_declared_at: facts.relationship_declared_at ?? null,
    names: facts.names ?? null,
    manifest: facts.manifest ?? null,
    seq,
    resolved_location: facts.resolved_location ?? domain,
    promotion: facts.promotion ?? null,
  }
}
