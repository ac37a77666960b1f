-- Who claims to sell inventory without its publisher’s authorization?
select claimant, claimed_by, publisher_says, count(distinct publisher_domain) as publishers,
  min(publisher_domain) as for_example
from unauthorized_claims
group by all
order by publishers desc, claimant, publisher_says
limit 20
