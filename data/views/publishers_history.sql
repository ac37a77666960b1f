create or replace view publishers_history as
select
  v.domain,
  v.valid,
  v.discovery_method,
  v.manager_domain,
  v.resolved_location,
  v.agent_count,
  v.property_count,
  v.valid_from,
  v.valid_to,
  v.seq
from (
  select *, lead(valid_from) over (partition by domain order by seq) as valid_to
  from publisher_versions
) v
where not v.ended;
comment on view publishers_history is 'All states of publishers’ files, one row per state with its period.';
comment on column publishers_history.domain is 'domain of the publisher';
comment on column publishers_history.valid is 'whether the file counts as valid';
comment on column publishers_history.discovery_method is 'how the file was found';
comment on column publishers_history.manager_domain is 'domain that serves the file on behalf of the publisher; null if the publisher serves its own';
comment on column publishers_history.resolved_location is 'location of the document the facts were read from';
comment on column publishers_history.agent_count is 'number of distinct agents with a grant in force';
comment on column publishers_history.property_count is 'number of active properties';
comment on column publishers_history.valid_from is 'when this state began (UTC)';
comment on column publishers_history.valid_to is 'when this state ended (UTC); null for the current state';
comment on column publishers_history.seq is 'commit that recorded this state';
