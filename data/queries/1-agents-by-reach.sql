-- Which agents do the most publishers authorize, and do they answer?
select agent_url, publishers, contradicted_publishers, properties, is_alive, channels
from agent_reach
order by publishers desc, agent_url
limit 10
