create or replace view brand_tree as
with recursive named as (
  select *, coalesce(house_domain, canonical_domain) as root from brands
), parents as (
  select child.domain, min(parent.domain) as parent_domain
  from named child
  join named parent on parent.root = child.root and parent.brand_id = child.parent_brand
    and parent.domain <> child.domain
  group by child.domain
), tree as (
  select n.*, null::varchar as parent_domain, 0::utinyint as depth, [n.brand_name] as path,
    [n.domain] as domains
  from named n
  where n.domain not in (select domain from parents)
  union all
  select n.*, t.domain, (t.depth + 1)::utinyint, t.path || [n.brand_name], t.domains || [n.domain]
  from named n
  join parents p on p.domain = n.domain
  join tree t on t.domain = p.parent_domain
  where t.depth < 16 and not list_contains(t.domains, n.domain)
)
select domain, canonical_domain, brand_id, brand_name, keller_type, house_domain, house_name,
  claimed_house_domain, relationship_trust, parent_domain, depth, path, source
from tree;
comment on view brand_tree is 'Brands below their houses: one row per domain, with its place in the portfolio. Brands whose parents form a cycle are left out.';
comment on column brand_tree.domain is 'domain of the brand';
comment on column brand_tree.canonical_domain is 'domain of the canonical brand; differs if the brand has several domains';
comment on column brand_tree.brand_id is 'id of the brand in its file; null if it has none';
comment on column brand_tree.brand_name is 'primary name';
comment on column brand_tree.keller_type is 'role in the portfolio of its house: master, sub_brand, endorsed or independent; null if no file says, where the API says master';
comment on column brand_tree.house_domain is 'domain of the house: confirmed, or, if relationship_trust is house_only, declared by the house alone; null for a brand without a house';
comment on column brand_tree.house_name is 'name of the house; null if there is none or it has no name';
comment on column brand_tree.claimed_house_domain is 'house that the brand names but that does not confirm it; null if there is none';
comment on column brand_tree.relationship_trust is 'who says that the brand belongs to the house: inline (the house, for its own site), mutual (both files), leaf_only (only the brand), house_only (only the house), standalone (it belongs to no house), unverifiable (the files cannot be compared); null if no file says anything';
comment on column brand_tree.parent_domain is 'domain of the parent brand in the same house; null at the top';
comment on column brand_tree.depth is 'number of parents above the brand; 0 at the top';
comment on column brand_tree.path is 'brand names from the top down to this one';
comment on column brand_tree.source is 'who describes the brand: brand_json (its own file, or the one that it leads to, such as its house’s), enriched (a third party) or community (members of the registry)';
