-- Which active properties is nobody authorized to sell?
select p.publisher_domain, p.name, p.property_type
from properties p
where p.status = 'active'
  and not exists (select 1 from authorizations a where a.in_force and list_contains(a.property_rids, p.property_rid))
order by p.publisher_domain, p.name
limit 20
