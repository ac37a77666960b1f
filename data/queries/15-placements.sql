-- Which agents can sell only some placements of a publisher?
select publisher_domain, agent_url, placement_ids, placement_tags, property_count as properties
from authorizations
where in_force and (placement_ids is not null or placement_tags is not null)
order by publisher_domain, agent_url, entry
limit 20
