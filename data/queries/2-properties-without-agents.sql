-- Which active properties have no authorized agent?
select p.publisher_domain, p.name, p.property_type
from properties p
where p.status = 'active'
  and p.property_rid not in (select unnest(property_rids) from property_sets
    where set_id in (select property_set from authorizations where in_force))
order by p.publisher_domain, p.name
limit 20
