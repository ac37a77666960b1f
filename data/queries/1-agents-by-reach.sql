-- Which agents reach the most properties?
select agent_url, publisher_count, property_count, channels
from agents
order by property_count desc, agent_url
limit 10
