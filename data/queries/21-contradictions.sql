-- Which authorizations does the agent’s operator contradict?
select publisher_domain, agent_url, operator_domain, operator_reason, count(*) as properties
from agent_contradictions
group by all
order by properties desc, publisher_domain, agent_url
limit 20
