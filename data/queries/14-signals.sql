-- Which agents can sell publishers’ signals?
select agent_url, count(distinct publisher_domain) as publishers,
  count(distinct publisher_domain) filter (signal_ids is not null) as by_id,
  count(distinct publisher_domain) filter (signal_tags is not null) as by_tag
from authorizations
where in_force and (signal_ids is not null or signal_tags is not null)
group by all
order by publishers desc, agent_url
limit 20
