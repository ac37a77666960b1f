-- Which brands belong to the largest house?
with largest as (
  select house_domain from brand_tree where house_domain is not null
  group by all order by count(*) desc, house_domain limit 1
)
select repeat('· ', if(depth = 0 and domain <> house_domain, 1, depth)) || brand_name as brand, domain, keller_type, relationship_trust
from brand_tree
where house_domain in (from largest)
order by depth = 0 and domain <> house_domain, path, domain
limit 100
