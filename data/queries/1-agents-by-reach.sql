-- Which agents are authorized by the most publishers, and are they online?
select agent_url, publishers, contradicted_publishers, properties, is_alive, channels
from agent_reach
order by publishers desc, agent_url
limit 10
