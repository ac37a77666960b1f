create or replace macro authorized_on(moment) as table
with requested as (
  select case when length(moment::varchar) = 10 then (moment::varchar || ' 00:00:00+00')::timestamptz
    else moment::varchar::timestamptz end as at
)
select h.* from authorizations_history h, requested
where h.valid_from <= requested.at
  and (h.valid_to is null or h.valid_to > requested.at)
  and (h.effective_from is null or h.effective_from <= requested.at)
  and (h.effective_until is null or h.effective_until >= requested.at);
comment on macro table authorized_on is 'Grants that were in force at a time, by authorizations_history: from authorized_on(''2026-11-20'') or authorized_on(now()). Before the registry began there are no rows. It tells what publishers granted, not who might sell: a grant that the operator of the agent contradicts (grants_flat.operator_side) is among them. A date means 00:00 UTC, whatever the time zone of the session; a time without a zone is in the session''s.';
