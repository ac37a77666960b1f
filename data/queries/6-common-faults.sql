-- What do publishers get wrong most often?
with faults as (
  select kind, unnest(from_json(faults, '[{"field":"VARCHAR","message":"VARCHAR","severity":"VARCHAR"}]')) as fault
  from documents
)
select kind, fault.severity as severity, fault.message as message, count(*) as times
from faults
group by all
order by times desc, message
limit 10
