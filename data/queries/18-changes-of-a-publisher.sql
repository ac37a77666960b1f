-- What changed at the most active publisher?
with states as (
  select publisher_domain, valid_from, valid_to, 'property' as kind, name as subject from properties_history
  union all
  select publisher_domain, valid_from, valid_to, 'grant', agent_url from authorizations_history
), busiest as (
  select publisher_domain from states group by all
  order by count(*) desc, publisher_domain limit 1
)
select publisher_domain, kind, subject, valid_from, valid_to, valid_to is null as is_current
from states
where publisher_domain in (from busiest)
order by valid_from desc, kind, subject
limit 50
