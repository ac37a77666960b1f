-- How is the largest house of brands built?
with largest as (
  select house_domain from brand_tree where house_domain is not null
  group by all order by count(*) desc, house_domain limit 1
)
select repeat('· ', depth) || brand_name as brand, domain, keller_type, relationship_trust
from brand_tree
where house_domain in (from largest)
order by path, domain
limit 100
