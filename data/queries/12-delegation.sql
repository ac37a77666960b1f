-- How do publishers sell: directly, through delegates or through ad networks?
select coalesce(delegation_type, 'not stated') as delegation, count(distinct publisher_domain) as publishers,
  count(distinct agent_url) as agents, count(*) as grants, count(*) filter (exclusive) as exclusive_grants
from authorizations
where in_force
group by all
order by publishers desc, delegation
