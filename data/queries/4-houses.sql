-- Which houses own the most brand domains, and who says so?
select house_domain, any_value(house_name) as house_name, count(*) as domains,
  histogram(relationship_trust) as by_trust
from brands
where house_domain is not null
group by house_domain
order by domains desc, house_domain
limit 10
