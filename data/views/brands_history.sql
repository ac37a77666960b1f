create or replace view brands_history as
select
  v.domain,
  v.canonical_id,
  v.canonical_domain,
  v.brand_name,
  v.source,
  v.brand_id,
  v.keller_type,
  v.house_domain,
  v.house_name,
  v.claimed_house_domain,
  v.parent_brand,
  v.relationship_trust,
  v.resolved_location,
  v.valid_from,
  v.valid_to,
  v.seq
from (
  select *, lead(valid_from) over (partition by domain order by seq) as valid_to
  from brand_versions
) v
where not v.ended;
comment on view brands_history is 'All states of the brands of domains, one row per state with its period.';
comment on column brands_history.domain is 'domain of the brand';
comment on column brands_history.canonical_id is 'canonical identifier: always a domain';
comment on column brands_history.canonical_domain is 'domain of the canonical brand';
comment on column brands_history.brand_name is 'primary name';
comment on column brands_history.source is 'who describes the brand: brand_json (its own file, or the one that it leads to, such as its house’s), enriched (a third party) or community (members of the registry)';
comment on column brands_history.brand_id is 'id of the brand in its file; null if it has none';
comment on column brands_history.keller_type is 'role in the portfolio of its house: master, sub_brand, endorsed or independent; null if no file says, where the API says master';
comment on column brands_history.house_domain is 'domain of the house: confirmed, or, if relationship_trust is house_only, declared by the house alone; null for a brand without a house';
comment on column brands_history.house_name is 'name of the house; null if there is none or it has no name';
comment on column brands_history.claimed_house_domain is 'house that the brand names but that does not confirm it; null if there is none';
comment on column brands_history.parent_brand is 'id of the parent brand inside the portfolio; null at the top';
comment on column brands_history.relationship_trust is 'who says that the brand belongs to the house: inline (the house, for its own site), mutual (both files), leaf_only (only the brand), house_only (only the house), standalone (it belongs to no house), unverifiable (the files cannot be compared); null if no file says anything';
comment on column brands_history.resolved_location is 'location of the file from which the brand was read; null where none was';
comment on column brands_history.valid_from is 'when this state began (UTC)';
comment on column brands_history.valid_to is 'when this state ended (UTC); null for the current state';
comment on column brands_history.seq is 'commit that recorded this state';
