-- What changed at the publisher whose grants and properties change most?
with states as (
  select publisher_domain, valid_from, valid_to, 'property' as what, name as subject from properties_history
  union all
  select publisher_domain, valid_from, valid_to, 'grant', agent_url from authorizations_history
), busiest as (
  select publisher_domain from states group by all
  order by count(*) desc, publisher_domain limit 1
)
select publisher_domain, what, subject, valid_from, valid_to
from states
where publisher_domain in (from busiest)
order by valid_from desc, what, subject
limit 50
