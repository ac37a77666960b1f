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
comment on view brands_history is 'All states that the brands of domains have been in: one row per state, with its period.';
comment on column brands_history.domain is 'domain of the brand';
comment on column brands_history.canonical_id is 'canonical identifier: always a domain';
comment on column brands_history.canonical_domain is 'domain of the canonical brand';
comment on column brands_history.brand_name is 'primary name';
comment on column brands_history.source is 'brand_json, enriched or community';
comment on column brands_history.brand_id is 'id of the brand inside its document';
comment on column brands_history.keller_type is 'master, sub_brand, endorsed or independent';
comment on column brands_history.house_domain is 'the house: proven, or with relationship_trust house_only by the word of the house alone';
comment on column brands_history.house_name is 'name of that house';
comment on column brands_history.claimed_house_domain is 'a house that is only claimed';
comment on column brands_history.parent_brand is 'id of the parent brand inside the portfolio';
comment on column brands_history.relationship_trust is 'inline, mutual, leaf_only, house_only, standalone or unverifiable';
comment on column brands_history.resolved_location is 'location of the file from which the brand was read';
comment on column brands_history.valid_from is 'time since which the row had this state (UTC)';
comment on column brands_history.valid_to is 'time at which this state ended (UTC); null for the current state';
comment on column brands_history.seq is 'commit that made it so';
