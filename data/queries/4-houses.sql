-- Which houses own the most brand domains, and who says so?
select house_domain, any_value(house_name) as house_name, relationship_trust, count(*) as domains
from brands
where house_domain is not null
group by all
order by domains desc, house_domain
limit 10
